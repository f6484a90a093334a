// Requests to the endpoint, beside which the page is served.
import { t } from './words.js';

export const endpoint = new URL(document.documentElement.dataset.endpoint, document.baseURI).pathname;

/** Why a request was not answered, in words, one line each. */
export class Refusal extends Error {
	constructor(status, lines) {
		super(lines.join(' '));
		this.status = status;
		this.lines = lines;
	}
}

export function path(...names) {
	return names.map((name) => `/${encodeURIComponent(name)}`).join('');
}

export async function ask(where, method = 'GET', body = null) {
	const headers = { Accept: 'application/json' };
	if (method !== 'GET') {
		headers['Content-Type'] = 'application/json';
		const token = document.cookie.match(/(?:^|; )XSRF-TOKEN=([^;]*)/);
		if (token) {
			headers['X-XSRF-TOKEN'] = decodeURIComponent(token[1]);
		}
	}
	let response;
	try {
		response = await fetch(endpoint + where, { method, headers, body, cache: 'no-store', credentials: 'same-origin' });
	}
	catch {
		throw new Refusal(0, [t('noAnswer')]);
	}
	const answer = await response.json().catch(() => null);
	if (!response.ok) {
		throw new Refusal(response.status, reasons(response.status, answer));
	}
	if (answer === null) {
		throw new Refusal(response.status, [t('noJson')]);
	}
	return answer;
}

function reasons(status, answer) {
	if (answer?.problems) {
		return answer.problems.flatMap((problem) => [problem.message, problem.fix]);
	}
	if (answer?.message) {
		return [answer.message];
	}
	return [[401, 403, 404, 405].includes(status) ? t(`status${status}`) : t('statusOther', { status })];
}
