// Every word of the page. zh.js has the same keys.
export default {
	only: 'This process only. For all of them: Prometheus and its alerts.',
	live: 'live, {time}', connecting: 'connecting', paused: 'no answer since {time}', readOnly: 'read-only',
	framed: 'This page does not work inside another page.', openAlone: 'Open it alone',

	status401: 'Sign in to this application, then load the page again.',
	status403: 'You are not permitted to do this, or the CSRF token is missing.',
	status404: 'Not found. Is the endpoint backoff exposed? management.endpoints.web.exposure.include must name it.',
	status405: 'The endpoint is read-only. management.endpoint.backoff.access: unrestricted permits changes.',
	statusOther: 'The application answered with status {status}.',
	noAnswer: 'The application does not answer.',
	noJson: 'The answer is not JSON. Sign in to this application, then load the page again.',

	needs: 'Needs attention', look: 'Look',
	allWell: 'Nothing. {policies} policies, {calls} calls/s, {retries} retries/s.',
	switchedOff: 'All retries are switched off.',
	disabled: 'backoff.enabled is false: no method is retried.',
	breakerOpen: 'Breaker {name} is open. The next probe is due in {time}.',
	breakerForced: 'Breaker {name} is {state}, until an operator closes it.',
	breakerProbing: 'Breaker {name} is half open: its next calls are probes.',
	budgetDry: 'Budget {name} ran dry: {balance} of {tokens} tokens. Retries need a token.',
	barred: 'Budget {name} bars retries after timeouts: they time out too.',
	storm: 'Policy {name} puts {load} × load on what it calls: {retries} retries for {calls} calls in a minute.',
	waitsLong: 'Policy {name}: {count} waiting calls began over a minute ago.',
	overridden: '{name}: {values}, set by an operator.',
	overriddenUntil: '{name}: {values}, set by an operator until {time}.',

	policies: 'Policies', rates: 'Rates of the last minute. Lines since the page was opened, of 15 minutes at most: calls grey, retries amber.',
	filter: 'Filter by name', nothingMatches: 'No policy has this name.', noPolicies: 'No policy is known yet.',
	policy: 'policy', callsRate: 'calls/s', retriesRate: 'retries/s', failed: 'failed', shareOf: '{share} of {count}', waitingCount: 'waiting', trend: 'trend',
	stops: 'stops since the start', method: 'method',

	close: 'Close', values: 'Values', key: 'key', value: 'value', origin: 'origin', builtIn: '{count} built-in values',
	delays: 'Delays', chart: 'Delay before each retry: {delays}', asNow: 'in effect', asPreviewed: 'previewed',
	retry: 'retry', least: 'least', mean: 'mean', greatest: 'greatest', range: 'least to greatest', table: 'As a table',
	noRetries: 'One attempt: there is no delay.', inAll: 'Waits in all: {mean} on average, {worst} at most.',
	tryValues: 'Try other values', tryHint: 'Nothing changes until you apply it.', toWrite: 'To keep them, write for all processes:',
	applyFor: 'Apply for 30 min', back: 'Back to what is in effect', reset: 'Reset overrides', advice: 'Advice',
	wake: 'Wake {count}', raise: 'Raise base and cap',

	pace: 'Pace', paceNow: '{name} is {state}: {waiting} waiting, next turn in {next}.', release: 'End the hold',

	stormTitle: 'Storm', stormHint: 'Requests per call, simulated. The service fails after 5 s.',
	simulate: 'Simulate', noFindings: 'It does no harm.',
	configured: 'with these values', without: 'no retries',

	waiting: 'Waiting', noneWaits: 'No call waits.', oldest: 'The {shown} oldest of {count}.',
	attempt: 'attempt', dueIn: 'due in', since: 'began before',
	stopped: 'Stopped', noneStopped: 'No call has stopped without success.', last: 'The last {shown}. Bars: attempts thick, waits thin.',
	time: 'time', reason: 'stop', attempts: 'attempts', took: 'took', story: 'attempts and waits', failure: 'failure', recovered: 'recovery',
	breakers: 'Breakers', noBreakers: 'No breaker is in use.', breaker: 'breaker', state: 'state', failureRate: 'failed',
	rejected: 'rejected', probeIn: 'probe in', closed: 'Close', 'forced-open': 'Force open', actions: 'actions',
	budgets: 'Budgets', noBudgets: 'No budget is in use.', allFull: 'All {count} are full.', othersFull: '{count} more are full.',
	budget: 'budget', balance: 'tokens', refused: 'refused', dry: 'dry', fill: 'Fill',

	durable: 'Durable calls', durableHint: 'Stored calls of the whole cluster. Dead letters wait for an operator.',
	scheduled: 'scheduled', running: 'running', dead: 'dead', requeue: 'Requeue {count}',
	otherRetries: 'Other retries', otherRetriesHint: 'They multiply the attempts of methods that use them.', repeats: 'repeats by itself', place: 'place',
	when: 'what', off: 'how to switch it off',

	sure: 'Write this?', scope: 'It holds for this process only, and is gone after a restart.', write: 'Write', cancel: 'Cancel', written: 'Done', refusedTitle: 'Refused: nothing has changed',
};
