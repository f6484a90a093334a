package dev.backoff.spring.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import dev.backoff.RetriesStoppedException;
import dev.backoff.StopReason;
import dev.backoff.WaitingCalls;
import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What closing an application does to calls that wait, in real time: the waits would last
 * an hour.
 */
@Timeout(60)
class ShutdownTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(Patient.class);

	@Test
	void wakesTheCallsThatWait() {
		this.runner.run((context) -> {
			CompletableFuture<Void> call = waiting(context.getBean(Patient.class), context.getBean(WaitingCalls.class));
			context.getSourceApplicationContext().close();
			ExecutionException failure = catchThrowableOfType(ExecutionException.class,
					() -> call.get(30, TimeUnit.SECONDS));
			assertThat(failure.getCause()).isInstanceOf(IllegalStateException.class).hasMessage("attempt");
			RetriesStoppedException story = RetriesStoppedException.of(failure.getCause());
			assertThat(story).isNotNull();
			assertThat(story.reason()).isEqualTo(StopReason.SHUTDOWN);
		});
	}

	@Test
	void ofAChildLeavesTheParentAlone() {
		this.runner.run((context) -> {
			AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
			child.setParent(context);
			child.refresh();
			child.close();
			assertThat(context.getBean(WaitingCalls.class).isShutDown()).isFalse();
		});
	}

	@Test
	void makesRoomForAnother() {
		this.runner.run((context) -> context.getSourceApplicationContext().close());
		this.runner.run((context) -> {
			CompletableFuture<Void> call = waiting(context.getBean(Patient.class), context.getBean(WaitingCalls.class));
			assertThat(call).isNotDone();
			context.getBean(WaitingCalls.class).shutDown();
			assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("attempt");
		});
	}

	private static CompletableFuture<Void> waiting(Patient bean, WaitingCalls waiting) {
		CompletableFuture<Void> call = CompletableFuture.runAsync(bean::call);
		while (waiting.count() == 0) {
			Thread.onSpinWait();
		}
		return call;
	}

	static class Patient {

		@Backoff(base = "1h", cap = "1h", jitter = "equal")
		void call() {
			throw new IllegalStateException("attempt");
		}

	}

}
