package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class BackoffAdviceTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.parked.base=1ms");

	@Test
	void retriesUntilSuccess() {
		this.runner.withBean(Orders.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Orders.class).place("o-1", 3)).isEqualTo("o-1 placed at attempt 3");
		});
	}

	@Test
	void recoversAfterTheLastAttempt() {
		this.runner.withBean(Orders.class)
			.run((context) -> assertThat(context.getBean(Orders.class).notifyMerchant("o-1"))
				.isEqualTo("parked o-1 after 4 attempts: ATTEMPTS_EXHAUSTED"));
	}

	@Test
	void throwsTheOriginalExceptionWithItsStory() {
		this.runner.withBean(Orders.class)
			.run((context) -> assertThatIOException().isThrownBy(() -> context.getBean(Orders.class).place("o-1", 9))
				.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
					.isInstanceOf(RetriesStoppedException.class)));
	}

	public static class Orders {

		private final AtomicInteger calls = new AtomicInteger();

		@Backoff(base = "1ms")
		public String place(String order, int succeedAt) throws IOException {
			if (this.calls.incrementAndGet() < succeedAt) {
				throw new IOException("call " + this.calls);
			}
			return order + " placed at attempt " + Attempt.current().number();
		}

		@Backoff(value = "parked", recover = "park")
		public String notifyMerchant(String order) throws IOException {
			throw new IOException("merchant is down");
		}

		String park(String order, RetriesStoppedException stopped) {
			return "parked " + order + " after " + stopped.attempts() + " attempts: " + stopped.reason();
		}

	}

}
