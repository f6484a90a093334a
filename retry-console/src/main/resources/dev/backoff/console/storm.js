// What a policy would do to a service that fails.
import { ask, path } from './api.js';
import { h } from './dom.js';
import { axis, button, hint, legend, notes, problems } from './parts.js';
import { number, t } from './words.js';

const FIELDS = { callers: '1', rate: '10', fault: 'stall 3s' };
const SEVERITIES = { error: 'bad', warn: 'warn', info: 'note' };
const LINES = ['unretried', 'configured'];
const SHOWN = 50;
let storm = { lines: [] };

/** Simulate with the form and other values. */
export async function simulate(name, values, render) {
	const fields = Object.keys(FIELDS).map((key) => [key, document.getElementById(`storm-${key}`).value]);
	const now = { name, lines: [], asked: true };
	storm = now;
	render();
	try {
		now.answer = await ask(`${path(name, 'storm')}?${new URLSearchParams([...fields, ...Object.entries(values)])}`);
	}
	catch (refusal) {
		now.lines = refusal.lines;
	}
	now.asked = false;
	render();
}

export function form(name) {
	const { lines, asked, answer } = (storm.name === name) ? storm : { lines: [] };
	return [h('h3', {}, t('stormTitle')), hint(t('stormHint')),
		h('div', { class: 'actions' }, Object.entries(FIELDS).map(([key, value]) =>
			h('label', {}, `${key} `, h('input', { id: `storm-${key}`, value, size: 7 }))),
		button(asked ? '…' : t('simulate'), { 'data-storm': name, disabled: asked })),
		problems(lines),
		answer && [notes(answer.findings.map(({ severity, text }) => [SEVERITIES[severity], text]), t('noFindings')), chart(answer),
			legend([['unretried', t('without')], ['configured', t('configured')]])]];
}

/** The requests for each call in each second. */
function chart(answer) {
	const [width, height, left, top] = [window.innerWidth < 600 ? 300 : 520, 160, 40, 10];
	const all = LINES.map((line) => answer[line].load.slice(0, SHOWN));
	const greatest = Math.max(1, ...all.flat());
	const y = (load) => top + (height - 2 * top) * (1 - load / greatest);
	const point = (load, second) => `${(left + (width - left) * second / (all[0].length - 1)).toFixed(1)} ${y(load).toFixed(1)}`;
	return h('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('stormHint') },
		axis(greatest, left, width, y, number),
		all.map((loads, index) => h('path', { class: LINES[index], d: `M${loads.map(point).join('L')}` })));
}
