package dev.backoff;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.window.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

/** A call that succeeds at once leaves nothing to collect. */
class AllocationTests {

	private static final int CALLS = 50_000;

	private static final int ROUNDS = 20;

	private static final Operation.OnContext<String, Integer, RuntimeException> LENGTH = (context, number) -> context
		.length();

	private static final Operation<String, RuntimeException> CONSTANT = () -> "constant";

	private static final CircuitBreaker.Work<Integer, RuntimeException> CALL = () -> 1;

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final Retry retry = Retry.of(RetryPolicy.defaults("orders"));

	private int sum = 1;

	/* Where an object escapes to, so that the compiler cannot leave it out. */
	byte[] kept = {};

	@Test
	void callOnAllocatesNothing() {
		assertThat(allocated(() -> this.sum += this.retry.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void callAllocatesNothing() {
		assertThat(allocated(() -> this.sum += this.retry.call(CONSTANT).length())).isZero();
	}

	@Test
	void callWithAConditionAllocatesNothing() {
		Retry conditional = Retry.of(RetryPolicy.builder("orders")
			.retryWhen((result, context) -> result == null)
			.until((result, context) -> result != null)
			.build());
		assertThat(allocated(() -> this.sum += conditional.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void callWithAllSafeguardsAllocatesNothing() {
		DegradedSettings degraded = new DegradedSettings(0.3, Duration.ofDays(1), 20, null, Duration.ofMinutes(1));
		BreakerSettings settings = BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build();
		Retry guarded = Retry.builder(RetryPolicy.builder("orders").degraded(degraded).build())
			.budget(RetryBudget.of("orders", BudgetSettings.DEFAULTS))
			.breaker(CircuitBreaker.builder("orders").settings(settings).build())
			.degraded(new DegradedMode(degraded))
			.build();
		assertThat(allocated(() -> this.sum += guarded.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void depositIntoABudgetAllocatesNothing() {
		RetryBudget budget = RetryBudget.of("orders", new BudgetSettings(1_000_000, 0, 0, 1, 1, false));
		assertThat(budget.tryWithdraw(RetryBudget.Cost.TRANSIENT)).isTrue();
		assertThat(allocated(() -> {
			this.sum++;
			budget.deposit();
		})).isZero();
	}

	@Test
	void aClosedBreakerAllocatesNothing() {
		CircuitBreaker breaker = CircuitBreaker.builder("orders").time(new VirtualTime()).build();
		assertThat(allocated(() -> {
			CallPermits.Permit permit = breaker.tryAcquire(1);
			permit.succeeded(1, 2);
		})).isZero();
		assertThat(allocated(() -> this.sum += breaker.call(CALL))).isZero();
	}

	@Test
	void changedSettingsAllocateNothing() {
		RetryBudget budget = RetryBudget.of("orders", BudgetSettings.DEFAULTS);
		budget.change(new BudgetSettings(10, 1, 1, 1, 1, false));
		CircuitBreaker breaker = CircuitBreaker.builder("orders").time(new VirtualTime()).build();
		breaker.change(BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build());
		Retry guarded = Retry.builder(RetryPolicy.defaults("orders")).budget(budget).breaker(breaker).build();
		assertThat(allocated(() -> this.sum += guarded.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void oneObjectWouldBeSeen() {
		assertThat(allocated(() -> this.kept = new byte[16])).isGreaterThanOrEqualTo(16L);
	}

	/**
	 * Return the bytes a call allocates, rounded up: of many rounds the least, since the
	 * compiler and the profiler may allocate on this thread and the call cannot allocate
	 * less than it does.
	 */
	private long allocated(Runnable call) {
		long thread = Thread.currentThread().getId();
		long overhead = Long.MAX_VALUE;
		long least = Long.MAX_VALUE;
		for (int round = 0; round < ROUNDS; round++) {
			long start = this.threads.getThreadAllocatedBytes(thread);
			long between = this.threads.getThreadAllocatedBytes(thread);
			for (int i = 0; i < CALLS; i++) {
				call.run();
			}
			long end = this.threads.getThreadAllocatedBytes(thread);
			overhead = Math.min(overhead, between - start);
			least = Math.min(least, end - between);
		}
		assertThat(this.sum).isNotZero();
		return Math.floorDiv(least - overhead + CALLS - 1, CALLS);
	}

}
