// The console: asks the endpoint every two seconds, and shows the answer.
import { Refusal, ask, endpoint, path } from './api.js';
import * as attention from './attention.js';
import { h, show } from './dom.js';
import { note } from './history.js';
import { button, hint, section } from './parts.js';
import * as policy from './policy.js';
import * as sections from './sections.js';
import { clock, language, preferred, remember, speak, t } from './words.js';

const POLL = 2_000;
const LONGEST_PAUSE = 30_000;
const SLOW_POLL = 30_000;

const place = (id) => document.getElementById(id);
let view = null;
let problem = null;
let answered = null;
let failures = 0;
let timer;
let sorted = { by: 'policy', down: false };
let filter = '';
let alarmed = new Set();
let otherRetries = null;
let durable = {};

async function poll() {
	clearTimeout(timer);
	if (document.hidden) {
		return;
	}
	try {
		view = await ask('?view=activity');
		note(view);
		[problem, failures, answered] = [null, 0, view.at];
	}
	catch (refusal) {
		[problem, failures] = [refusal, failures + 1];
	}
	render();
	clearTimeout(timer);
	const pause = Math.min(LONGEST_PAUSE, POLL * 2 ** failures);
	timer = setTimeout(poll, failures ? Math.random() * pause : POLL);
}

/** Ask for what other parts of the library add. */
async function lookSlowly() {
	if (!document.hidden && view) {
		otherRetries = view.views.includes('other-retries') ? await ask('?view=other-retries').catch(() => null) : null;
		const policies = view.parts.includes('durable') ? (await ask('?view=short').catch(() => null))?.policies ?? {} : {};
		const kept = Object.keys(policies).filter((name) =>
			Object.values(policies[name].methods).some((plan) => plan.values.durable?.value === 'true'));
		const answers = await Promise.all(kept.map(stored));
		durable = Object.fromEntries(kept.map((name, index) => [name, answers[index]]).filter(([, answer]) => answer));
		render();
	}
}

async function pollSlowly() {
	await lookSlowly();
	setTimeout(pollSlowly, view ? SLOW_POLL : POLL);
}

/** The counts of a policy's stored calls, and those that an operator can move. */
async function stored(name) {
	const list = (state) => ask(`${path(name, 'durable')}?state=${state}&limit=20`);
	try {
		const [dead, planned] = await Promise.all([list('dead'), list('planned')]);
		return { counts: dead.counts, most: dead.countedTo, calls: [...dead.calls, ...planned.calls] };
	}
	catch {
		return null;
	}
}

function render() {
	head();
	if (view) {
		const needs = attention.needsOf(view, durable);
		announce(needs);
		document.title = `${needs.length > 0 ? `(${needs.length}) ` : ''}${view.application ? `${view.application} · ` : ''}Backoff`;
		show(place('main'), banner(), section('needs', null, attention.list(view, needs)),
			sections.policies(view, sorted, filter), policy.panel(view), sections.waiting(view), sections.stopped(view),
			h('div', { class: 'pair' }, sections.breakers(view), sections.budgets(view)),
			sections.durableCalls(view, durable), sections.otherRetries(otherRetries));
	}
	else {
		show(place('main'), banner());
	}
}

function head() {
	const status = problem ? h('span', { class: 'state bad' }, `▲ ${t('paused', { time: answered ? clock(answered) : '–' })}`)
		: view ? h('span', { class: 'state good' }, `● ${t('live', { time: clock(view.at) })}`)
			: h('span', { class: 'state' }, t('connecting'));
	const other = (language === 'zh') ? ['en', 'English'] : ['zh', '中文'];
	show(place('head'), h('div', { class: 'title' }, h('h1', {}, view?.application ? [view.application, ' ', h('small', {}, 'Backoff')] : 'Backoff'),
		h('div', { class: 'actions' }, view && !view.writable && h('span', { class: 'state' }, t('readOnly')), status,
			button(other[1], { 'data-language': other[0], lang: other[0] }))),
	hint(t('only')));
}

function banner() {
	return problem && h('div', { class: 'problem', role: 'alert' }, problem.lines.map((line) => h('p', {}, line)));
}

/** Tell a screen reader of alarms that were not there before. */
function announce(needs) {
	const alarms = needs.filter(({ severity }) => severity === 'bad');
	const fresh = alarms.filter(({ id }) => !alarmed.has(id));
	alarmed = new Set(alarms.map(({ id }) => id));
	if (fresh.length > 0) {
		place('alarms').textContent = fresh.map(({ text }) => text).join(' ');
	}
}

// What the reader does

function confirm({ method, path, body }) {
	const dialog = place('dialog');
	const request = `${method} ${endpoint}${path}${body ? `\n${JSON.stringify(JSON.parse(body), null, 2)}` : ''}`;
	show(dialog, h('h2', { id: 'question' }, t('sure')), h('pre', {}, request), hint(t(path.endsWith('/durable') ? 'scopeStored' : 'scope')),
		h('div', { class: 'actions' }, button(t('write'), { class: 'main', 'data-write': method, 'data-path': path, 'data-body': body }),
			button(t('cancel'), { autofocus: true, 'data-dismiss': true })));
	dialog.showModal();
}

async function write({ write, path, body }) {
	let title = t('written');
	let lines;
	try {
		const answer = await ask(path, write, body);
		lines = [answer.scope, ...(answer.changes ?? []).map(({ subject, key, before, now }) => `${subject}: ${key} ${before?.value ?? '–'} → ${now?.value ?? '–'}`),
			...(answer.advice ?? []), answer.undo && t('undo', { command: answer.undo })].filter((line) => line);
	}
	catch (refusal) {
		title = t('refusedTitle');
		lines = (refusal instanceof Refusal) ? refusal.lines : [`${refusal}`];
	}
	show(place('dialog'), h('h2', { id: 'question' }, title), lines.map((line) => h('p', {}, line)),
		h('div', { class: 'actions' }, button(t('close'), { class: 'main', 'data-dismiss': true })));
	place('dialog').querySelector('button').focus();
	await poll();
	if (path.endsWith('/durable')) {
		await lookSlowly();
	}
	const shown = place('policy-title')?.textContent;
	if (shown) {
		await policy.open(shown);
	}
}

async function act({ dataset }) {
	if (dataset.method) {
		confirm(dataset);
	}
	else if (dataset.write) {
		await write(dataset);
	}
	else if ('dismiss' in dataset) {
		place('dialog').close();
	}
	else if (dataset.open !== undefined) {
		await policy.open(dataset.open);
		place('policy-title')?.focus();
	}
	else if ('close' in dataset) {
		await policy.open(null);
	}
	else if (dataset.storm) {
		await policy.simulate();
	}
	else if (dataset.sort) {
		sorted = { by: dataset.sort, down: sorted.by === dataset.sort ? !sorted.down : dataset.sort !== 'policy' };
		render();
	}
	else if (dataset.language) {
		remember(dataset.language);
		await speak(dataset.language);
		render();
	}
}

function listen() {
	document.addEventListener('click', (event) => {
		const button = event.target.closest('button');
		if (button) {
			act(button);
		}
	});
	document.addEventListener('input', ({ target }) => {
		if ('filter' in target.dataset) {
			filter = target.value.toLowerCase();
			render();
		}
		else if (target.dataset.choose) {
			policy.moved(target);
		}
	});
	document.addEventListener('visibilitychange', poll);
}

await speak(preferred());
if (window.top === window.self) {
	policy.whenChanged(render);
	listen();
	render();
	await poll();
	pollSlowly();
}
else {
	show(place('main'), h('p', {}, t('framed'), ' ', h('a', { href: location.href, target: '_blank', rel: 'noopener' }, t('openAlone'))));
}
