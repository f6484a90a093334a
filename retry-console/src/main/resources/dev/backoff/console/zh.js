// The words in Chinese, with the keys of en.js. Reasons, states and keys stay words of the API.
export default {
	only: '仅限本进程。查看所有进程请用 Prometheus 及其告警。',
	live: '实时 {time}', connecting: '正在连接', paused: '自 {time} 起无应答', readOnly: '只读',
	framed: '本页面不能嵌在其他页面中使用。', openAlone: '单独打开',

	status401: '请先登录该应用，然后重新加载本页面。',
	status403: '没有执行此操作的权限，或缺少 CSRF 令牌。',
	status404: '未找到。端点 backoff 是否已暴露？management.endpoints.web.exposure.include 必须包含它。',
	status405: '端点是只读的。设置 management.endpoint.backoff.access: unrestricted 后才能修改。',
	statusOther: '应用返回了状态码 {status}。',
	noAnswer: '应用没有应答。',
	noJson: '应答不是 JSON。请先登录该应用，然后重新加载本页面。',

	needs: '需要处理', look: '查看',
	allWell: '没有。{policies} 个策略，每秒 {calls} 次调用，每秒 {retries} 次重试。',
	switchedOff: '所有重试均已关闭。',
	disabled: 'backoff.enabled 为 false：任何方法都不会重试。',
	breakerOpen: '熔断器 {name} 已打开，{time} 后进行下一次探测。',
	breakerForced: '熔断器 {name} 处于 {state} 状态，直到运维人员将其关闭。',
	breakerProbing: '熔断器 {name} 处于半开状态：接下来的调用用作探测。',
	budgetDry: '预算 {name} 已耗尽：{tokens} 个令牌只剩 {balance} 个。没有令牌就不重试。',
	barred: '预算 {name} 禁止超时后的重试：它们也会超时。',
	storm: '策略 {name} 使下游承受 {load} 倍负载：一分钟内 {calls} 次调用产生了 {retries} 次重试。',
	waitsLong: '策略 {name}：{count} 个等待中的调用开始于一分钟以前。',
	overridden: '{name}：{values}，由运维人员设置。',
	overriddenUntil: '{name}：{values}，由运维人员设置，{time} 失效。',

	policies: '策略', rates: '速率取自最近一分钟。曲线自页面打开时起，最长 15 分钟：灰色为调用，琥珀色为重试。',
	filter: '按名称筛选', nothingMatches: '没有符合该名称的策略。', noPolicies: '尚无已知策略。',
	policy: '策略', callsRate: '调用/秒', retriesRate: '重试/秒', failed: '失败', shareOf: '{count} 次中 {share}', waitingCount: '等待中', trend: '趋势',
	stops: '启动以来的停止原因', method: '方法',

	close: '关闭', values: '取值', key: '键', value: '值', origin: '来源', builtIn: '{count} 个内置值',
	delays: '延迟', chart: '每次重试前的延迟：{delays}', asNow: '当前生效', asPreviewed: '预览',
	retry: '重试', least: '最短', mean: '平均', greatest: '最长', range: '最短到最长', table: '以表格显示',
	noRetries: '只有一次尝试，没有延迟。', inAll: '等待总计：平均 {mean}，最长 {worst}。',
	tryValues: '试用其他取值', tryHint: '应用之前不会有任何改变。', toWrite: '若要保留，请为所有进程写入：',
	applyFor: '应用 30 分钟', back: '恢复为当前生效的值', reset: '撤销覆盖', advice: '建议',
	wake: '唤醒 {count} 个', raise: '提高 base 与 cap',

	pace: '配额队列', paceNow: '{name}（{state}）：{waiting} 个调用在等待，{next} 后到下一轮次。', release: '结束暂停',

	stormTitle: '重试风暴', stormHint: '模拟每次调用的请求数。服务从第 5 秒起出错。',
	simulate: '模拟', noFindings: '没有危害。',
	configured: '按这些取值', without: '不重试',

	waiting: '等待中的调用', noneWaits: '没有等待中的调用。', oldest: '共 {count} 个，显示最早的 {shown} 个。',
	attempt: '尝试', dueIn: '距下次尝试', since: '已开始',
	stopped: '已停止的调用', noneStopped: '没有未成功而停止的调用。', last: '最近 {shown} 个。粗条为尝试，细条为等待。',
	time: '时间', reason: '停止原因', attempts: '尝试次数', took: '耗时', story: '尝试与等待', failure: '失败', recovered: '恢复',
	breakers: '熔断器', noBreakers: '没有使用中的熔断器。', breaker: '熔断器', state: '状态', failureRate: '失败率',
	rejected: '已拒绝', probeIn: '距探测', closed: '关闭', 'forced-open': '强制打开', actions: '操作',
	budgets: '预算', noBudgets: '没有使用中的预算。', allFull: '全部 {count} 个预算都是满的。', othersFull: '另有 {count} 个预算是满的。',
	budget: '预算', balance: '令牌', refused: '已拒绝', dry: '耗尽', fill: '填满',

	durable: '持久化调用', durableHint: '整个集群中已存储的调用。死信需要运维人员处理。',
	scheduled: '已排期', running: '运行中', dead: '死信', requeue: '重新入队 {count} 个',
	otherRetries: '其他重试', otherRetriesHint: '它们会成倍放大使用它们的方法的尝试次数。', repeats: '自行重试者', place: '位置',
	when: '条件', off: '如何关闭',

	sure: '确定写入？', scope: '仅对本进程有效，重启后失效。', write: '写入', cancel: '取消', written: '完成', refusedTitle: '已拒绝：没有任何改变',
};
