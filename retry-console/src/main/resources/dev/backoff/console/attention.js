// What needs the reader, the worst first.
import { h } from './dom.js';
import { lately, perSecond } from './history.js';
import { notes, opener } from './parts.js';
import { clock, count, duration, number, t } from './words.js';

const MINUTE = 60_000;
const STORM = 0.3; // retries for each first attempt
const FEWEST = 10; // first attempts that tell of a storm
const WORST_FIRST = ['bad', 'warn', 'note'];

export function needsOf(view, durable) {
	const needs = [];
	const need = (id, severity, text, where) => needs.push({ id, severity, text, where });
	if (!view.enabled || !view.retriesEnabled) {
		need('off', 'bad', t(view.enabled ? 'switchedOff' : 'disabled'));
	}
	for (const [name, { state, timeToProbeMs }] of Object.entries(view.breakers)) {
		if (state !== 'closed') {
			const text = { open: 'breakerOpen', half_open: 'breakerProbing' }[state] ?? 'breakerForced';
			need(`${state} ${name}`, state === 'open' ? 'bad' : 'warn', t(text, { name, state, time: duration(timeToProbeMs ?? 0) }), '#breakers');
		}
	}
	for (const name of Object.keys(view.policies)) {
		const { retries, first } = lately(name);
		if (first >= FEWEST && retries / first > STORM) {
			need(`storm ${name}`, 'bad', t('storm', { name, load: number(1 + retries / first, 2), retries: count(retries), calls: count(first) }), name);
		}
	}
	for (const [name, { balance, tokens, dry, strikes }] of Object.entries(view.budgets)) {
		if (dry || strikes > 1) {
			need(`dry ${name}`, dry ? 'bad' : 'warn', t(dry ? 'budgetDry' : 'barred', { name, balance: number(balance), tokens: number(tokens) }), '#budgets');
		}
	}
	const long = view.waiting.filter((call) => call.elapsedMs > MINUTE);
	for (const name of new Set(long.map((call) => call.policy))) {
		need(`long ${name}`, 'warn', t('waitsLong', { name, count: long.filter((call) => call.policy === name).length }), '#waiting');
	}
	for (const [name, { counts: { dead }, most }] of Object.entries(durable)) {
		if (dead) {
			need(`dead ${name}`, 'warn', `${name}: ${dead}${dead === most ? '+' : ''} ${t('dead')}`, '#durable');
		}
	}
	overridden('backoff', view.overrides, null, need);
	for (const [name, { overrides }] of Object.entries(view.policies)) {
		overridden(name, overrides ?? {}, name, need);
	}
	return needs.sort((one, other) => WORST_FIRST.indexOf(one.severity) - WORST_FIRST.indexOf(other.severity));
}

function overridden(name, overrides, where, need) {
	const entries = Object.entries(overrides);
	if (entries.length > 0) {
		const until = entries.map(([, { until }]) => until).filter((until) => until).sort()[0];
		const values = entries.map(([key, { value }]) => `${key} ${value}`).join(', ');
		need(`overridden ${name}`, 'note', t(until ? 'overriddenUntil' : 'overridden', { name, values, time: until && clock(until) }), where);
	}
}

export function list(view, needs) {
	return notes(needs.map(({ severity, text, where }) => [severity, text,
		where?.startsWith('#') ? h('a', { href: where }, t('look')) : where && opener(where, t('look'))]), t('allWell', totals(view)));
}

function totals(view) {
	const names = Object.keys(view.policies);
	const rate = (key) => number(names.map(lately).reduce((sum, seen) => sum + perSecond(seen, key), 0), 2);
	return { policies: names.length, calls: rate('calls'), retries: rate('retries') };
}
