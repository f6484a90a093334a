package dev.backoff.spring.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Annotated methods that call others on threads of the application's executor. */
class NestedCallsOnThreadsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.defaults.base=1ms", "backoff.defaults.max-attempts=3")
		.withBean(Inner.class)
		.withBean(Outer.class);

	/** How the outer method waits for the inner one. */
	enum Way {

		EXECUTOR, FUTURE

	}

	@ParameterizedTest
	@CsvSource({ "EXECUTOR, true, stop, 3", "FUTURE, true, stop, 3", "EXECUTOR, false, stop, 3",
			"FUTURE, false, stop, 3", "EXECUTOR, true, multiply, 9", "FUTURE, false, multiply, 9" })
	void aFailureIsRetriedByTheInnermostOnly(Way way, boolean propagated, String nested, int calls) {
		this.runner
			.withPropertyValues("spring.task.execution.propagate-context=" + propagated,
					"backoff.defaults.nested=" + nested)
			.run((context) -> {
				Throwable thrown = catchThrowable(() -> context.getBean(Outer.class).call(way));
				assertThat(thrown).isNotNull().hasRootCauseMessage("leaf");
				assertThat(context.getBean(Inner.class).calls()).hasValue(calls);
			});
	}

	@ParameterizedTest
	@EnumSource
	void theInnerDeadlineIsTheTighterOfBoth(Way way) {
		assertInnerDeadlineIsTighter(this.runner.withPropertyValues("spring.task.execution.propagate-context=true"),
				way);
	}

	@ParameterizedTest
	@EnumSource
	void theInnerDeadlineIsTheTighterOfBothWithADecorator(Way way) {
		assertInnerDeadlineIsTighter(this.runner.withBean(ContextPropagatingTaskDecorator.class), way);
	}

	private static void assertInnerDeadlineIsTighter(ApplicationContextRunner runner, Way way) {
		runner
			.withPropertyValues("backoff.policies.[Outer.call].deadline=20s",
					"backoff.policies.[Inner.call].deadline=1h")
			.run((context) -> {
				assertThat(catchThrowable(() -> context.getBean(Outer.class).call(way))).isNotNull();
				assertThat(context.getBean(Inner.class).timeLeft()).isLessThanOrEqualTo(Duration.ofSeconds(20));
			});
	}

	public static class Inner {

		private final AtomicInteger calls = new AtomicInteger();

		private volatile Duration timeLeft;

		@Backoff
		public String call() throws IOException {
			this.calls.incrementAndGet();
			this.timeLeft = Attempt.current().timeLeft();
			throw new IOException("leaf");
		}

		public AtomicInteger calls() {
			return this.calls;
		}

		public Duration timeLeft() {
			return this.timeLeft;
		}

	}

	public static class Outer {

		private final Inner inner;

		private final AsyncTaskExecutor executor;

		public Outer(Inner inner, AsyncTaskExecutor executor) {
			this.inner = inner;
			this.executor = executor;
		}

		@Backoff
		public String call(Way way) throws InterruptedException, ExecutionException {
			if (way == Way.EXECUTOR) {
				return this.executor.submit(this.inner::call).get();
			}
			return CompletableFuture.supplyAsync(() -> {
				try {
					return this.inner.call();
				}
				catch (IOException ex) {
					throw new CompletionException(ex);
				}
			}, this.executor).join();
		}

	}

}
