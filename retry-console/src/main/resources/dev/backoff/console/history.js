// The counters of the last 15 minutes, lost with the page.

const MINUTE = 60_000;
const KEPT = 15 * MINUTE;
const BUCKETS = 60;
let samples = [];

export function note(view) {
	const at = Date.parse(view.at);
	const counts = {};
	for (const [name, policy] of Object.entries(view.policies)) {
		const calls = Object.values(policy.calls).reduce((sum, calls) => sum + calls, 0);
		const failed = calls - (policy.calls.succeeded ?? 0);
		counts[name] = { calls, failed, retries: policy.retries, first: policy.attempts - policy.retries };
	}
	const last = samples.at(-1);
	const restarted = last && Object.entries(counts).some(([name, now]) => now.calls < (last.counts[name]?.calls ?? 0));
	samples = restarted ? [] : samples.filter((sample) => sample.at > at - KEPT);
	samples.push({ at, counts });
}

/** What was counted in the last minute, and in how many seconds. */
export function lately(name) {
	const now = samples.at(-1);
	return between(samples.find((sample) => sample.at >= now.at - MINUTE), now, name);
}

/** How many of a kind there were each second. */
export function perSecond(seen, kind) {
	return (seen.seconds > 0) ? seen[kind] / seen.seconds : 0;
}

function between(before, now, name) {
	const zero = { calls: 0, failed: 0, retries: 0, first: 0 };
	const [from, to] = [before.counts[name] ?? zero, now.counts[name] ?? zero];
	const difference = { seconds: (now.at - before.at) / 1000 };
	Object.keys(zero).forEach((key) => difference[key] = to[key] - from[key]);
	return difference;
}

/** Calls and retries a second over all samples or two minutes; null where nothing was seen. */
export function trend(name) {
	const end = samples.at(-1).at;
	const width = Math.max(2 * MINUTE, end - samples[0].at) / BUCKETS;
	const rates = Array(BUCKETS).fill(null);
	let before = samples[0];
	for (const sample of samples) {
		const bucket = BUCKETS - 1 - Math.floor((end - sample.at) / width);
		if (bucket >= 0 && sample.at - before.at >= width * 0.9) {
			const seen = between(before, sample, name);
			rates[bucket] = { calls: seen.calls / seen.seconds, retries: seen.retries / seen.seconds };
			before = sample;
		}
	}
	return rates;
}
