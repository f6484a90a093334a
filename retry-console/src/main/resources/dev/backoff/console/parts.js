// What sections are made of.
import { h } from './dom.js';
import { t } from './words.js';

const SIGNS = { bad: '▲', warn: '◆', note: '●' };

export function hint(...parts) {
	return h('p', { class: 'hint' }, parts);
}

export function problems(lines) {
	return lines.map((line) => h('p', { class: 'problem' }, line));
}

export function button(label, attributes) {
	return h('button', { type: 'button', ...attributes }, label);
}

/** A button that asks, and then sends a request. */
export function change(label, method, path, body = null, style = null) {
	return button(label, { class: style, 'data-method': method, 'data-path': path, 'data-body': body && JSON.stringify(body) });
}

/** A button that shows a policy. */
export function opener(name, label = name, expanded = null) {
	return button(label, { class: 'link', 'data-open': name, 'aria-expanded': expanded });
}

export function section(id, text, content, beside = null) {
	return h('section', { id, 'aria-labelledby': `${id}-title` },
		h('div', { class: 'title' }, h('h2', { id: `${id}-title` }, t(id)), beside), text && hint(text), content);
}

/** Lines of [severity, text, what to do]; one green line if there are none. */
export function notes(lines, well) {
	return (lines.length > 0)
		? h('ul', { class: 'needs' }, lines.map(([severity, text, action]) => h('li', { class: severity },
			h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[severity]), h('span', {}, text), action)))
		: h('p', { class: 'well' }, h('span', { class: 'sign', 'aria-hidden': 'true' }, '✓'), well);
}

/** A table with columns of [word, style, key to sort by], of which the first names the row. */
export function table(name, columns, rows, sorted = null) {
	return rows.length > 0 && h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t(name) }, h('table', {},
		h('thead', {}, h('tr', {}, columns.map(([word, style, by]) => by ? sortable(word, style, by, sorted) : h('th', { scope: 'col', class: style }, t(word))))),
		h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell, index) => (index === 0)
			? h('th', { scope: 'row', class: columns[0][1] }, cell) : labelled(columns[index], cell)))))));
}

/** A narrow screen has no columns, but their words before the cells. */
function labelled([word, style], cell) {
	const made = h('td', { class: style, 'data-label': t(word) }, cell);
	made.toggleAttribute('data-empty', made.textContent === '–');
	return made;
}

function sortable(word, style, by, sorted) {
	const order = (sorted.by === by) ? (sorted.down ? 'descending' : 'ascending') : null;
	return h('th', { scope: 'col', class: style, 'aria-sort': order }, button([t(word), h('span', { 'aria-hidden': 'true' },
		order ? (sorted.down ? ' ↓' : ' ↑') : '')], { class: 'sort', 'data-sort': by }));
}

export function legend(entries) {
	return h('p', { class: 'legend' }, entries.map(([style, text]) => h('span', {}, h('i', { class: style }), text)));
}

/** A vertical axis from 0 to the greatest value. */
export function axis(greatest, left, width, y, text) {
	return [0, 0.5, 1].map((part) => [h('line', { class: 'grid', x1: left, x2: width, y1: y(greatest * part), y2: y(greatest * part) }),
		h('text', { x: left - 8, y: y(greatest * part) + 4, 'text-anchor': 'end' }, text(greatest * part))]);
}
