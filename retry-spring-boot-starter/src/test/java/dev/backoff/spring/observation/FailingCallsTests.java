package dev.backoff.spring.observation;

import java.io.FileNotFoundException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.backoff.OutboundRequest;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.event.CallRecorder;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class FailingCallsTests {

	private static final FailureClassifier PERMANENT = (failure) -> FailureClassification.permanent(RetryCause.OTHER);

	private final VirtualTime time = VirtualTime.wrappingAfter(Duration.ofSeconds(3));

	private final BoundedRecorders counts = new BoundedRecorders();

	private final StopLogger listener = new StopLogger(this.time, Runnable::run, () -> this.counts);

	private final LogCapture log = new LogCapture(StopLogger.class);

	@AfterEach
	void closeLog() {
		this.log.close();
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		CallRecorder recorder = this.counts.recorder("orders", "Orders.place");
		return Retry.builder(policy.build())
			.method("Orders.place")
			.time(this.time)
			.recorder(recorder)
			.listener(this.listener);
	}

	private static RetryPolicyBuilder orders() {
		return RetryPolicy.builder("orders").classifiers(List.of(PERMANENT));
	}

	/* One call a second, of which some succeed. */
	private void calls(Retry retry, int calls, int failing) {
		for (int call = 0; call < calls; call++) {
			boolean fails = call % 10 < failing;
			this.time.advance(Duration.ofSeconds(1));
			try {
				retry.call(() -> {
					OutboundRequest.begin("GET", URI.create("http://pay.example:8443/charge"));
					if (fails) {
						throw new FileNotFoundException("card 4111");
					}
					return "";
				});
			}
			catch (FileNotFoundException ex) {
				// as it should
			}
		}
	}

	@Test
	void areToldOnceAMinuteWhileMoreThanHalfFail() {
		calls(retry(orders()).build(), 200, 6);
		assertThat(this.log.lines(Level.WARN)).hasSize(3)
			.allSatisfy((line) -> assertThat(line).startsWith(
					"Stopped after 1 of 4 attempts in 0 ms: NOT_RETRYABLE, FileNotFoundException is permanent; name "
							+ "FileNotFoundException in retryOn to retry (policy orders;")
				.endsWith("last request to pay.example:8443); Orders.place failed with java.io.FileNotFoundException; "
						+ "of 60 calls within 60 s, 36 failed for a permanent reason"));
		assertThat(LogCapture.keyValues(this.log.events(Level.WARN).get(0))).contains(entry("backoff.policy", "orders"),
				entry("backoff.failure", "java.io.FileNotFoundException"), entry("backoff.host", "pay.example:8443"));
	}

	@Test
	void areNotToldWhileHalfOfThemSucceed() {
		calls(retry(orders()).build(), 200, 5);
		assertThat(this.log.lines(Level.WARN)).isEmpty();
	}

	@Test
	void areNotToldOfFewCalls() {
		Retry retry = retry(orders()).build();
		calls(retry, 19, 10);
		this.time.advance(Duration.ofHours(1));
		calls(retry, 1, 10);
		assertThat(this.log.lines(Level.WARN)).isEmpty();
	}

	@Test
	void leaveOutWhatAbortOnNamesWhatMayPassAndWhatIsRecovered() throws FileNotFoundException {
		calls(retry(orders().abortOn(FileNotFoundException.class)).build(), 100, 10);
		calls(retry(RetryPolicy.builder("orders").maxAttempts(1)).build(), 100, 10);
		Retry recovering = retry(orders()).build();
		for (int call = 0; call < 100; call++) {
			this.time.advance(Duration.ofSeconds(1));
			String answer = recovering.<String, FileNotFoundException>call(() -> {
				throw new FileNotFoundException("card 4111");
			}, (context, report) -> "later");
			assertThat(answer).isEqualTo("later");
		}
		assertThat(this.log.lines(Level.WARN)).noneMatch((line) -> line.contains(" for a permanent reason"));
	}

}
