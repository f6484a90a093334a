package dev.backoff.spring.http;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("try") // a scope is opened for its effect, and has no other use
class RetryContextAccessorTests {

	private final Retry retry = Retry.builder(RetryPolicy.builder("orders").deadline(Duration.ofMinutes(1)).build())
		.build();

	private final ExecutorService executor = Executors.newSingleThreadExecutor();

	@AfterEach
	void shutDown() {
		this.executor.shutdownNow();
		assertThat(Attempt.isRunning()).isFalse();
		assertThat(Attempt.current().timeLeft()).isNull();
	}

	@Test
	void isFoundAsAService() {
		assertThat(ContextRegistry.getInstance().getThreadLocalAccessors()).extracting((found) -> found.key())
			.contains("backoff.context", "backoff.attempt");
	}

	@Test
	void aDecoratedTaskRunsWithinTheAttemptAndLeavesNothing() throws Exception {
		String[] seen = new String[1];
		this.retry.call(() -> {
			Runnable task = new ContextPropagatingTaskDecorator()
				.decorate(() -> seen[0] = Attempt.current() + " " + (Attempt.current().timeLeft() != null));
			return this.executor.submit(task).get();
		});
		assertThat(seen[0]).isEqualTo("attempt 1 of 4 true");
		assertThat(elsewhere(Attempt::isRunning)).isFalse();
		assertThat(elsewhere(() -> Attempt.current().timeLeft())).isNull();
	}

	@Test
	void aDecoratedTaskThatThrowsLeavesNothing() throws Exception {
		this.retry.call(() -> {
			Runnable task = new ContextPropagatingTaskDecorator().decorate(() -> {
				throw new IllegalStateException("task");
			});
			assertThat(this.executor.submit(task)).failsWithin(Duration.ofSeconds(30));
			return null;
		});
		assertThat(elsewhere(Attempt::isRunning)).isFalse();
	}

	@Test
	void aTaskOfNobodyChangesNothing() throws Exception {
		boolean[] seen = new boolean[1];
		Runnable task = new ContextPropagatingTaskDecorator().decorate(() -> seen[0] = Attempt.isRunning());
		this.executor.submit(task).get();
		assertThat(seen[0]).isFalse();
	}

	@Test
	void scopesNest() throws Exception {
		ContextSnapshotFactory factory = ContextSnapshotFactory.builder().build();
		ContextSnapshot outer = deadline(factory, Duration.ofMinutes(9));
		ContextSnapshot inner = deadline(factory, Duration.ofMinutes(3));
		try (ContextSnapshot.Scope one = outer.setThreadLocals()) {
			try (ContextSnapshot.Scope two = inner.setThreadLocals()) {
				assertThat(Attempt.current().timeLeft()).isLessThanOrEqualTo(Duration.ofMinutes(3));
				try (ContextSnapshot.Scope three = outer.setThreadLocals()) {
					assertThat(Attempt.current().timeLeft()).isLessThanOrEqualTo(Duration.ofMinutes(3));
				}
			}
			assertThat(Attempt.current().timeLeft()).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(9));
		}
	}

	@Test
	void whatIsClearedIsHiddenUntilItIsRestored() throws Exception {
		ContextSnapshotFactory factory = ContextSnapshotFactory.builder().clearMissing(true).build();
		ContextSnapshot nothing = factory.captureAll();
		this.retry.call(() -> {
			MDC.put("backoff.attempt", "2");
			try (ContextSnapshot.Scope scope = nothing.setThreadLocals()) {
				assertThat(Attempt.isRunning()).isFalse();
				assertThat(Attempt.current().timeLeft()).isNull();
				assertThat(MDC.get("backoff.attempt")).isNull();
			}
			assertThat(Attempt.isRunning()).isTrue();
			assertThat(MDC.get("backoff.attempt")).isEqualTo("2");
			MDC.remove("backoff.attempt");
			return null;
		});
	}

	@Test
	void restoringWhatWasNeverSetDoesNothing() {
		RetryContextAccessor accessor = new RetryContextAccessor();
		accessor.restore();
		accessor.restore(RetryContext.none());
		assertThat(accessor.getValue()).isNull();
	}

	private static ContextSnapshot deadline(ContextSnapshotFactory factory, Duration left) {
		try (RetryContext.Scope scope = RetryContext.ofDeadline(left).open()) {
			return factory.captureAll();
		}
	}

	private <T> T elsewhere(Callable<T> task) throws Exception {
		return this.executor.submit(task).get();
	}

}
