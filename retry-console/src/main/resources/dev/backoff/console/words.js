// Words, numbers and times in the reader's language.
import en from './en.js';

const KEPT = 'backoff.language';
let words = en;
export let language = 'en';

export async function speak(wanted) {
	words = (wanted === 'zh') ? (await import('./zh.js')).default : en;
	language = wanted;
	document.documentElement.lang = (wanted === 'zh') ? 'zh-CN' : 'en';
}

export function preferred() {
	const known = (tag) => ['en', 'zh'].find((language) => tag?.toLowerCase().startsWith(language));
	return known(kept()) ?? navigator.languages.map(known).find((language) => language) ?? 'en';
}

function kept() {
	try {
		return localStorage.getItem(KEPT);
	}
	catch { // storage is switched off
		return null;
	}
}

export function remember(wanted) {
	try {
		localStorage.setItem(KEPT, wanted);
	}
	catch {
		// it holds until the page is closed
	}
}

export function t(key, values = {}) {
	return words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function number(value, digits = 3) {
	return new Intl.NumberFormat(language, { maximumSignificantDigits: digits }).format(value);
}

export function count(value) {
	return new Intl.NumberFormat(language).format(value);
}

export function share(value) {
	return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: value < 0.1 ? 1 : 0 }).format(value);
}

export function duration(ms) {
	if (ms < 999.5) {
		return `${number(ms, ms < 10 ? 2 : 3)} ms`;
	}
	const seconds = Math.round(ms / 1000);
	if (seconds < 60) {
		return `${number(ms / 1000, 3)} s`;
	}
	if (seconds < 3600) {
		return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
	}
	return `${Math.floor(seconds / 3600)} h${seconds % 3600 >= 60 ? ` ${Math.floor(seconds % 3600 / 60)} min` : ''}`;
}

export function clock(time) {
	return new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' }).format(new Date(time));
}
