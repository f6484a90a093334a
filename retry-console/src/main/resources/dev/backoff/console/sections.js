// The tables of policies, calls, breakers and budgets.
import { path } from './api.js';
import { h } from './dom.js';
import { lately, perSecond, trend } from './history.js';
import { change, hint, opener, section, table } from './parts.js';
import * as policy from './policy.js';
import { clock, count, duration, number, share, t } from './words.js';

const STATES = { closed: '●', open: '▲', half_open: '◐', forced_open: '■', disabled: '○' };

export function policies(view, sorted, filter) {
	const rows = Object.entries(view.policies).map(([name, { calls, waiting, overrides }]) => {
		const seen = lately(name);
		const stops = Object.entries(calls).filter(([reason]) => reason !== 'succeeded').sort((one, other) => other[1] - one[1]);
		return { policy: name, calls: perSecond(seen, 'calls'), retries: perSecond(seen, 'retries'), waiting, overrides,
			failed: seen.calls > 0 ? seen.failed / seen.calls : 0, ended: seen.calls, stops };
	}).filter(({ policy }) => policy.toLowerCase().includes(filter));
	rows.sort((one, other) => {
		const order = (sorted.by === 'policy') ? one.policy.localeCompare(other.policy) : one[sorted.by] - other[sorted.by];
		return (sorted.down ? -order : order) || one.policy.localeCompare(other.policy);
	});
	const total = Object.keys(view.policies).length;
	return section('policies', t('rates'),
		rows.length > 0 ? table('policies', [['policy', null, 'policy'], ['callsRate', 'number', 'calls'], ['retriesRate', 'number', 'retries'],
			['failed', 'number', 'failed'], ['waitingCount', 'number', 'waiting'], ['trend'], ['stops', 'reasons']], rows.map(cells), sorted)
			: hint(t(total === 0 ? 'noPolicies' : 'nothingMatches')),
		total > 8 && h('label', { class: 'filter hint' }, t('filter'), ' ', h('input', { type: 'search', 'data-filter': true, autocomplete: 'off' })));
}

function cells(row) {
	return [[opener(row.policy, row.policy, `${policy.isOpen(row.policy)}`), row.overrides && h('span', { class: 'mark' }, Object.keys(row.overrides).join(', '))],
		rate(row.calls), h('span', { class: row.retries > 0 ? 'warn' : null }, rate(row.retries)),
		h('span', { class: row.failed > 0 ? 'bad' : null }, row.failed > 0 ? t('shareOf', { share: share(row.failed), count: count(row.ended) }) : '–'), row.waiting || '–', sparkline(trend(row.policy)),
		row.stops.map(([reason, calls]) => `${reason} ${count(calls)}`).join(', ') || '–'];
}

function rate(perSecond) {
	return (perSecond > 0) ? number(perSecond, 2) : '–';
}

function sparkline(rates) {
	if (!rates.some((seen) => seen?.calls || seen?.retries)) {
		return '–';
	}
	const [width, height] = [120, 24];
	const greatest = Math.max(0.1, ...rates.map((seen) => seen ? Math.max(seen.calls, seen.retries) : 0));
	const point = (seen, index, key) => seen && `${(index * width / (rates.length - 1)).toFixed(1)} ${(height - 2 - seen[key] / greatest * (height - 4)).toFixed(1)}`;
	const line = (key) => rates.some((seen) => seen?.[key]) ? `M${rates.map((seen, index) => point(seen, index, key)).filter((seen) => seen).join('L')}` : '';
	return h('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
		h('line', { class: 'grid', x1: 0, x2: width, y1: height - 1, y2: height - 1 }),
		h('path', { class: 'calls', d: line('calls') }), h('path', { class: 'retries', d: line('retries') }));
}

export function waiting(view) {
	const all = Object.values(view.policies).reduce((sum, { waiting }) => sum + waiting, 0);
	if (view.waiting.length === 0) {
		return section('waiting', t('noneWaits'));
	}
	const names = Object.keys(view.policies).filter((name) => view.policies[name].waiting > 0);
	return section('waiting', all > view.waiting.length ? t('oldest', { shown: view.waiting.length, count: count(all) }) : null,
		[view.writable && h('ul', { class: 'plain waiters' }, names.map((name) => h('li', { class: 'actions' }, h('span', {}, name),
			change(t('wake', { count: view.policies[name].waiting }), 'POST', `${path(name)}/wake`, {})))),
		table('waiting', [['policy'], ['method'], ['attempt', 'number'], ['dueIn', 'number'], ['since', 'number']],
			view.waiting.map((call) => [opener(call.policy), call.method === call.policy ? '–' : call.method, call.attempt, duration(call.dueInMs), duration(call.elapsedMs)]))]);
}

export function stopped(view) {
	if (view.stopped.length === 0) {
		return section('stopped', t('noneStopped'));
	}
	return section('stopped', t('last', { shown: view.stopped.length }),
		table('stopped', [['time'], ['policy'], ['reason'], ['attempts', 'number'], ['took', 'number'], ['story'], ['failure'], ['recovered']],
			view.stopped.map((call) => [clock(call.time), opener(call.policy), h('code', {}, call.stop), call.attempts, duration(call.elapsedMs),
				bars(call), failure(call), call.recovered ?? '–'])));
}

function failure({ failure, rootFailure, host, message }) {
	const short = (name) => name.slice(name.lastIndexOf('.') + 1);
	return failure ? [h('span', { title: [failure, rootFailure].filter((name) => name).join(', ') }, short(failure)),
		rootFailure && rootFailure !== failure && h('small', {}, short(rootFailure)), host && h('small', {}, host), message && h('small', {}, message)] : '–';
}

function bars({ attemptsMs, waitsMs, elapsedMs }) {
	const width = 160;
	const total = Math.max(elapsedMs, [...attemptsMs, ...waitsMs].reduce((sum, ms) => sum + ms, 0), 1);
	let at = 0;
	const piece = (style, ms) => {
		const part = h('rect', { class: style, x: at.toFixed(1), y: style === 'attempt' ? 3 : 7, height: style === 'attempt' ? 10 : 2,
			width: Math.max(style === 'attempt' ? 2 : 0, ms / total * (width - 2 * attemptsMs.length)).toFixed(1) });
		at += Number(part.getAttribute('width'));
		return part;
	};
	return h('svg', { class: 'story', viewBox: `0 0 ${width} 16`, role: 'img', 'aria-label': waitsMs.map(duration).join(', ') || '–' },
		attemptsMs.map((ms, index) => [piece('attempt', ms), index < waitsMs.length && piece('wait', waitsMs[index])]));
}

export function breakers(view) {
	const entries = Object.entries(view.breakers);
	const columns = [['breaker'], ['state'], ['inSince'], ['failureRate', 'number'], ['rejected', 'number'], ['probeIn', 'number']];
	return section('breakers', entries.length === 0 ? t('noBreakers') : null,
		table('breakers', view.writable ? [...columns, ['actions']] : columns, entries.map(([name, breaker]) => [name,
			h('span', { class: `state ${breaker.state === 'closed' ? 'good' : breaker.state === 'open' ? 'bad' : 'warn'}` }, `${STATES[breaker.state] ?? '?'} ${breaker.state}`),
			breaker.since ? h('span', { title: breaker.changes.map(({ at, from, to }) => `${clock(at)} ${from} → ${to}`).join('\n') }, clock(breaker.since)) : '–',
			breaker.failureRate === undefined ? '–' : t(breaker.rejected > 0 ? 'shareRejected' : 'shareOf', { share: share(breaker.failureRate), count: count(breaker.calls), rejected: count(breaker.rejected ?? 0) }), breaker.rejected === undefined ? '–' : count(breaker.rejected),
			breaker.timeToProbeMs === undefined ? '–' : duration(breaker.timeToProbeMs),
			...(view.writable ? [h('span', { class: 'actions' }, moves(name, breaker))] : [])])));
}

/** A breaker of another library cannot be moved here. */
function moves(name, { state, rejected }) {
	return (rejected === undefined) ? '–' : ['closed', 'forced-open'].filter((to) => to.replace('-', '_') !== state)
		.map((to) => change(t(to), 'POST', path('breakers', name), { state: to }));
}

export function budgets(view) {
	const all = Object.entries(view.budgets);
	const left = ([, { balance, tokens }]) => balance / tokens;
	const drawn = all.filter((one) => left(one) < 1 || one[1].strikes > 1).sort((one, other) => left(one) - left(other));
	const full = all.length - drawn.length;
	const columns = [['budget'], ['balance'], ['refused', 'number']];
	return section('budgets', all.length === 0 ? t('noBudgets') : drawn.length === 0 ? t('allFull', { count: full }) : null,
		[table('budgets', view.writable ? [...columns, ['actions']] : columns, drawn.map(([name, budget]) => [name,
			[gauge(budget), ` ${number(budget.balance)} / ${number(budget.tokens)}`, budget.dry && h('span', { class: 'state bad' }, ` ▲ ${t('dry')}`)],
			count(budget.refused), ...(view.writable ? [change(t('fill'), 'POST', path('budgets', name), { reset: true })] : [])])),
		drawn.length > 0 && full > 0 && hint(t('othersFull', { count: full }))]);
}

function gauge({ balance, tokens, dry }) {
	return h('svg', { class: 'gauge', viewBox: '0 0 80 8', 'aria-hidden': 'true' }, h('rect', { class: 'empty', width: 80, height: 8, rx: 2 }),
		h('rect', { class: dry ? 'dry' : 'left', width: (80 * balance / tokens).toFixed(1), height: 8, rx: 2 }));
}

export function durableCalls(view, durable) {
	const entries = Object.entries(durable);
	const states = ['scheduled', 'running', 'dead', 'planned', 'unreadable'];
	const letters = entries.flatMap(([name, { calls }]) => calls.map((call) => [name, call]));
	return entries.length > 0 && section('durable', t('durableHint'), [
		table('durable', [['policy'], ...states.map((state) => [state, 'number']), ...(view.writable ? [['actions']] : [])],
			entries.map(([name, { counts, most }]) => [opener(name), ...states.map((state) => count(counts[state] ?? 0) + (counts[state] === most ? '+' : '')),
				...(view.writable ? [counts.dead > 0 ? change(t('requeue', { count: counts.dead }), 'POST', path(name, 'durable'), { action: 'requeue', over: '1m' }) : '–'] : [])])),
		letters.length > 0 && table('letters', [['policy'], ['id'], ['state'], ['attempts', 'number'], ['failure'], ...(view.writable ? [['actions']] : [])],
			letters.map(([name, call]) => [opener(name), [h('code', {}, call.id), call.key && h('small', {}, call.key)],
				[call.state.toLowerCase(), call.state === 'PLANNED' && h('small', {}, clock(call.due)), call.unreadable && h('span', { class: 'mark' }, t('unreadable'))],
				call.attempts, call.failure ?? call.stop ?? '–', ...(view.writable ? [h('span', { class: 'actions' }, letterMoves(name, call))] : [])]))]);
}

function letterMoves(name, { row, state }) {
	return [state === 'DEAD' ? 'requeue' : 'put-back', 'delete']
		.map((action) => change(t(action === 'requeue' ? 'requeueOne' : action), 'POST', path(name, 'durable'), { action, id: row }));
}

export function otherRetries(found) {
	return found?.otherRetries?.length > 0 && section('otherRetries', t('otherRetriesHint'),
		table('otherRetries', [['repeats'], ['place'], ['when'], ['off']],
			found.otherRetries.map((retry) => [retry.name, retry.place, retry.when, h('code', {}, retry.off)])));
}
