package dev.backoff.spring.observation;

import java.io.IOException;
import java.io.Serial;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Logs of calls, failures and appenders that misbehave. */
class StopLoggerAttackTests {

	@Test
	void aFailureThatHidesItsCauseIsLoggedAllTheSame() {
		try (LogCapture log = new LogCapture(StopLogger.class)) {
			Hostile failure = new Hostile();
			assertThatThrownBy(() -> retry("attack").call(() -> {
				throw failure;
			})).isSameAs(failure);
			assertThat(log.lines(Level.ERROR)).singleElement().asString().contains("classifier");
		}
	}

	@Test
	void aHostileFailureThatARecoverySwallowsIsLoggedAllTheSame() throws Exception {
		try (LogCapture log = new LogCapture(StopLogger.class)) {
			assertThat(retry("attack").<String, Exception>call(() -> {
				throw new Hostile();
			}, (context, stopped) -> "recovered")).isEqualTo("recovered");
			assertThat(log.lines(Level.WARN)).singleElement().asString().contains("recovered");
		}
	}

	@Test
	@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void anAppenderThatMakesRetriedCallsIsNotCaughtInThem() {
		try (LogCapture log = new LogCapture(StopLogger.class)) {
			AtomicInteger appended = new AtomicInteger();
			Retry retry = retry("attack");
			AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

				@Override
				protected void append(ILoggingEvent event) {
					appended.incrementAndGet();
					assertThatThrownBy(() -> retry.call(() -> {
						throw new IOException("the log server is down");
					})).hasMessage("the log server is down");
				}

			};
			appender.start();
			log.logger().addAppender(appender);
			try {
				assertThatThrownBy(() -> retry.call(() -> {
					throw new IOException("down");
				})).hasMessage("down");
			}
			finally {
				log.logger().detachAppender(appender);
			}
			assertThat(appended).hasValue(log.events().size());
		}
	}

	private static Retry retry(String name) {
		RetryPolicy policy = RetryPolicy.builder(name)
			.maxAttempts(3)
			.base(Duration.ofMillis(1))
			.jitter(Jitter.none())
			.build();
		return Retry.builder(policy).time(new VirtualTime()).listener(new StopLogger(new VirtualTime())).build();
	}

	private static final class Hostile extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			throw new IllegalStateException("getCause");
		}

		@Override
		public String getMessage() {
			throw new IllegalStateException("getMessage");
		}

	}

}
