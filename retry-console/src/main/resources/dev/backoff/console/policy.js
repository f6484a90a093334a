// One policy, and what other values would do.
import { ask, path } from './api.js';
import { h } from './dom.js';
import { axis, button, change, hint, legend, problems as refused, table } from './parts.js';
import * as storm from './storm.js';
import { clock, count, duration, number, share, t } from './words.js';

const PREVIEW_AFTER = 300;
const TIMES = ['1ms', '2ms', '5ms', '10ms', '20ms', '50ms', '100ms', '150ms', '200ms', '300ms', '400ms', '500ms', '750ms',
	'1s', '1500ms', '2s', '3s', '5s', '7s', '10s', '15s', '20s', '30s', '45s', '1m', '90s', '2m', '3m', '5m', '10m', '15m',
	'30m', '1h', '2h', '5h'];
const ATTEMPTS = [...Array(20).keys()].map((attempt) => `${attempt + 1}`).concat('25', '30', '50', '100', 'unlimited');
const CHOICES = {
	base: TIMES,
	cap: TIMES,
	multiplier: ['1', '1.2', '1.5', '2', '2.5', '3', '4', '5'],
	'max-attempts': ATTEMPTS,
	jitter: ['none', 'full', 'equal', '10%', '20%', '50%'],
};
const RAISED = { base: '5s', cap: '60s', for: '30m' };
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

let opened = null; // { name, shown, method, changed, preview, problems }
let rendered = () => {};
let timer;

export function whenChanged(render) {
	rendered = render;
}

export function isOpen(name) {
	return opened?.name === name;
}

export async function open(name) {
	if (name === null) {
		opened = null;
	}
	else {
		opened = { name, changed: {}, method: isOpen(name) ? opened.method : null, problems: [] };
		const now = opened;
		try {
			now.shown = await ask(path(name));
			now.worth = await ask(path(name, 'worth')).catch(() => null);
			now.method ??= Object.keys(now.shown.methods)[0] ?? null;
		}
		catch (refusal) {
			now.problems = refusal.lines;
		}
	}
	rendered();
}

function plan(answer) {
	return answer?.methods[opened.method] ?? answer?.plan;
}

/** Note what has moved, and preview it when nothing moves for a moment. */
export function moved(input) {
	if (input.dataset.choose === 'method') {
		opened.method = input.value;
		opened.changed = {};
		opened.preview = null;
		return rendered();
	}
	const key = input.dataset.choose;
	const value = (input.type === 'range') ? choices(key)[input.value] : input.value;
	if (value === plan(opened.shown).values[key].value) {
		delete opened.changed[key];
	}
	else {
		opened.changed[key] = value;
	}
	rendered();
	clearTimeout(timer);
	timer = setTimeout(preview, PREVIEW_AFTER);
}

async function preview() {
	const now = opened;
	if (!now || Object.keys(now.changed).length === 0) {
		return rendered();
	}
	const asked = `${new URLSearchParams(now.changed)}`;
	try {
		const answer = await ask(`${path(now.name, 'preview')}?${asked}`);
		Object.assign(now, { preview: answer, problems: [] });
	}
	catch (refusal) {
		Object.assign(now, { preview: null, problems: refusal.lines });
	}
	if (asked === `${new URLSearchParams(now.changed)}`) {
		rendered();
	}
}

function millis(text) {
	const parts = text.match(/^([\d.]+)(ms|s|m|h|d)?$/);
	return parts ? parts[1] * (UNITS[parts[2]] ?? 1) : Infinity;
}

/** The choices of a key, the value in effect among them. */
function choices(key) {
	const now = plan(opened.shown).values[key].value;
	const known = CHOICES[key];
	if (known.some((choice) => millis(choice) === millis(now) && (millis(now) < Infinity || choice === now))) {
		return known.map((choice) => (millis(choice) === millis(now) && millis(now) < Infinity) ? now : choice);
	}
	const sorted = [...known, now];
	return (key === 'jitter') ? sorted : sorted.sort((one, other) => millis(one) - millis(other) || 0);
}

export function simulate() {
	return storm.simulate(opened.name, opened.changed, rendered);
}

export function panel(view) {
	if (!opened) {
		return null;
	}
	const { name, shown, problems } = opened;
	const now = plan(shown);
	const activity = view.policies[name];
	return h('section', { id: 'policy', 'aria-labelledby': 'policy-title' },
		h('div', { class: 'title' }, h('h2', { id: 'policy-title', tabindex: -1 }, name),
			h('div', { class: 'actions' }, operations(view, activity, now),
				button(t('close'), { 'data-close': true }))),
		now ? [methods(shown),
			h('div', { class: 'columns' },
				h('div', {}, delays(now, plan(opened.preview)), tryOut(view, now), view.parts.includes('storm') && storm.form(name)),
				h('div', {}, pace(view, shown), advice(plan(opened.preview) ?? now), worth(opened), values(now)))]
			: refused(problems));
}

function operations(view, activity, now) {
	if (!view.writable || !activity) {
		return null;
	}
	const where = path(opened.name);
	const { base, cap } = now?.values ?? {};
	return [base && millis(base.value) < 5_000 && millis(cap.value) <= 60_000 && change(t('raise'), 'POST', where, RAISED),
	activity.waiting > 0 && change(t('wake', { count: activity.waiting }), 'POST', `${where}/wake`, {}),
	activity.overrides && change(t('reset'), 'DELETE', where)];
}

function methods(shown) {
	const names = Object.keys(shown.methods);
	if (names.length < 2) {
		return (names[0] && names[0] !== opened.name) ? hint(names[0]) : null;
	}
	return h('p', {}, h('label', {}, `${t('method')} `, h('select', { 'data-choose': 'method' },
		names.map((name) => h('option', { selected: name === opened.method }, name)))));
}

function pace(view, { pace }) {
	return pace && [h('h3', {}, t('pace')),
		hint(t('paceNow', { name: pace.name, state: pace.state, waiting: pace.waiting, next: duration(pace.nextMs) }),
			pace.perSecond && ` ${number(pace.perSecond, 2)}/s`),
		view.writable && pace.state === 'held' && change(t('release'), 'POST', path(opened.name, 'pace'), { release: true })];
}

function advice(plan) {
	return plan.advice.length > 0 && [h('h3', {}, t('advice')),
		h('ul', { class: 'plain' }, plan.advice.map((line) => h('li', {}, line)))];
}

function worth({ worth }) {
	const rows = Object.entries({ ...worth?.attempts, ...worth?.causes });
	return rows.length > 0 && [h('h3', {}, t('worth')),
		hint(t('worthTotal', { rescued: count(worth.rescued), retries: count(worth.retries), since: clock(worth.since) })),
		table('worth', [['attemptOrCause'], ...['made', 'rescued', 'chance', 'ofCalls', 'ofLoad'].map((word) => [word, 'number'])],
			rows.map(([what, { made, rescued, chance, ofCalls, ofLoad }]) =>
				[what, count(made), count(rescued), share(chance), share(ofCalls), share(ofLoad)])),
		h('ul', { class: 'plain' }, worth.advice.map((line) => h('li', {}, line)))];
}

function values(plan) {
	const all = Object.entries(plan.values);
	const builtIn = all.filter(([, { origin }]) => origin === 'built in');
	return [h('h3', {}, t('values')), valueTable(all.filter((entry) => !builtIn.includes(entry))),
		h('details', {}, h('summary', {}, t('builtIn', { count: builtIn.length })), valueTable(builtIn))];
}

function valueTable(entries) {
	return table('values', [['key'], ['value'], ['origin']], entries.map(([key, { value, origin }]) =>
		[key, h('code', { class: origin === 'live override' ? 'changed' : null }, value), origin]));
}

function tryOut(view, now) {
	const changed = Object.entries(opened.changed);
	return [h('h3', {}, t('tryValues')), hint(t('tryHint')),
		h('div', { class: 'sliders' }, Object.keys(CHOICES).filter((key) => now.values[key]).map((key) => slider(key, now))),
		refused(opened.problems),
		changed.length > 0 && [
			hint(t('toWrite')),
			h('pre', {}, changed.map(([key, value]) => `${written(opened.name)}.${key}=${value}\n`).join('')),
			h('div', { class: 'actions' },
				view.writable && opened.problems.length === 0
					&& change(t('applyFor'), 'POST', path(opened.name), { ...opened.changed, for: '30m' }, 'main'),
				button(t('back'), { 'data-open': opened.name }))]];
}

function written(name) {
	return `backoff.policies.${/^[a-z][a-z0-9-]*$/.test(name) ? name : `[${name}]`}`;
}

function slider(key, now) {
	const all = choices(key);
	const value = opened.changed[key] ?? now.values[key].value;
	const shared = { id: `choose-${key}`, 'data-choose': key };
	return h('div', { class: opened.changed[key] ? 'moved' : null },
		h('label', { for: shared.id }, key),
		(key === 'jitter')
			? h('select', shared, all.map((choice) => h('option', { selected: choice === value }, choice)))
			: h('input', { ...shared, type: 'range', min: 0, max: all.length - 1, value: all.indexOf(value), 'aria-valuetext': value }),
		h('output', { for: shared.id }, value));
}

function delays(now, preview) {
	const shown = preview ?? now;
	return [h('h3', {}, t('delays')),
		(shown.delays?.length > 0) ? [chart(now.delays, preview?.delays),
			legend([['now', `${t('asNow')}: ${t('range')}`], ['mean', t('mean')], ...(preview ? [['then', t('asPreviewed')]] : [])])] : hint(t('noRetries')),
		shown.waits && hint(t('inAll', { mean: duration(shown.waits.meanMs), worst: duration(shown.waits.worstMs) })),
		(shown.delays?.length > 0) && h('details', {}, h('summary', {}, t('table')),
			table('delays', ['retry', 'least', 'mean', 'greatest'].map((word) => [word, 'number']), shown.delays.map((delay) =>
				[delay.retry, duration(delay.leastMs), duration(delay.meanMs), duration(delay.greatestMs)])))];
}

function chart(now, then) {
	const [width, height, left, bottom, top] = [window.innerWidth < 600 ? 300 : 520, 180, 62, 20, 10];
	const greatest = Math.max(1, ...[...now, ...(then ?? [])].map((delay) => delay.greatestMs));
	const retries = Math.max(now.length, then?.length ?? 0);
	const step = (width - left) / retries;
	const y = (ms) => top + (height - top - bottom) * (1 - ms / greatest);
	const bar = then ? Math.min(16, step * 0.36) : Math.min(28, step * 0.6);
	const bars = (delays, style, shift) => delays.map((delay, place) => {
		const x = left + step * (place + 0.5) + shift - bar / 2;
		const column = (name, from, to) => h('rect', { class: name, x, width: bar, y: y(to), height: Math.max(0, y(from) - y(to)) });
		return [column(`${style} below`, 0, delay.leastMs), column(style, delay.leastMs, delay.greatestMs),
		h('line', { class: 'mean', x1: x, x2: x + bar, y1: y(delay.meanMs), y2: y(delay.meanMs) })];
	});
	const spoken = (then ?? now).map((delay) => `${duration(delay.leastMs)} – ${duration(delay.greatestMs)}`).join(', ');
	return h('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('chart', { delays: spoken }) },
		axis(greatest, left, width, y, duration),
		bars(now, 'now', then ? -bar * 0.6 : 0), then && bars(then, 'then', bar * 0.6),
		[...Array(retries).keys()].map((place) =>
			h('text', { x: left + step * (place + 0.5), y: height - 4, 'text-anchor': 'middle' }, place + 1)));
}
