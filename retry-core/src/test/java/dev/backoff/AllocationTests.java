package dev.backoff;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.Memory;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

/** A call that succeeds at once leaves nothing to collect. */
class AllocationTests {

	private static final Operation.OnContext<String, Integer, RuntimeException> LENGTH = (context, number) -> context
		.length();

	private static final Operation<String, RuntimeException> CONSTANT = () -> "constant";

	private static final CircuitBreaker.Work<Integer, RuntimeException> CALL = () -> 1;

	private final Retry retry = Retry.builder(RetryPolicy.builder("orders").build()).build();

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
		Retry conditional = Retry
			.builder(RetryPolicy.builder("orders")
				.retryWhen((result, context) -> result == null)
				.until((result, context) -> result != null)
				.build())
			.build();
		assertThat(allocated(() -> this.sum += conditional.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void callWithAllSafeguardsAllocatesNothing() {
		BreakerSettings settings = BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build();
		Retry guarded = Retry.builder(RetryPolicy.builder("orders").build())
			.budget(RetryBudget.of("orders", BudgetSettings.DEFAULTS))
			.breaker(CircuitBreaker.builder("orders").settings(settings).build())
			.build();
		assertThat(allocated(() -> this.sum += guarded.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void callOfAKnownKeyAllocatesNothing() {
		Retry keyed = Retry.builder(RetryPolicy.builder("orders").build())
			.breaker(CircuitBreaker.builder("orders")
				.settings(BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build())
				.build())
			.per((context) -> context, () -> {
			})
			.build();
		assertThat(allocated(() -> this.sum += keyed.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void callThatTakesAPermitAllocatesNothing() {
		RetryPolicy policy = RetryPolicy.builder("orders").concurrency(2).build();
		Retry throttled = Retry.builder(policy).build();
		Retry guarded = Retry.builder(policy)
			.breaker(CircuitBreaker.builder("orders")
				.settings(BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build())
				.build())
			.build();
		assertThat(allocated(() -> this.sum += throttled.callOn("context", LENGTH, null))).isZero();
		assertThat(allocated(() -> this.sum += guarded.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void depositIntoABudgetAllocatesNothing() {
		RetryBudget budget = RetryBudget.of("orders", new BudgetSettings(1_000_000, 0, 0));
		assertThat(budget.tryWithdraw()).isTrue();
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
		budget.change(new BudgetSettings(10, 1, 1));
		CircuitBreaker breaker = CircuitBreaker.builder("orders").time(new VirtualTime()).build();
		breaker.change(BreakerSettings.builder().window(WindowLength.of(Duration.ofDays(1))).build());
		Retry guarded = Retry.builder(RetryPolicy.builder("orders").build()).budget(budget).breaker(breaker).build();
		assertThat(allocated(() -> this.sum += guarded.callOn("context", LENGTH, null))).isZero();
	}

	@Test
	void oneObjectWouldBeSeen() {
		assertThat(allocated(() -> this.kept = new byte[16])).isGreaterThanOrEqualTo(16L);
	}

	/* The sum keeps the compiler from leaving out what adds to it. */
	private long allocated(Runnable call) {
		long bytes = Memory.allocatedBy(call);
		assertThat(this.sum).isNotZero();
		return bytes;
	}

}
