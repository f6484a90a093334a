package dev.backoff.test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.Retry;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests for {@link FaultScript}. */
class FaultScriptTests {

	private final VirtualTime time = new VirtualTime();

	private final FaultScript script = new FaultScript(this.time);

	private final AtomicInteger worked = new AtomicInteger();

	private Throwable attempt() {
		return catchThrowable(() -> {
			int unused = this.script.around(this.worked::incrementAndGet).run();
		});
	}

	private List<Boolean> failures(int attempts) {
		return IntStream.range(0, attempts).mapToObj((n) -> attempt() != null).toList();
	}

	@Test
	void doesTheWorkWithoutAStep() {
		assertThat(failures(2)).containsOnly(false);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "-, 1", "YES, 4", "BY_KEY, 4" })
	void countsAsTheRequestThatTheReplacedWorkWouldSend(Idempotency idempotency, int attempts) {
		RetryPolicyBuilder policy = RetryPolicy.builder("orders");
		if (idempotency != null) {
			policy.idempotency(idempotency);
		}
		Throwable failure = catchThrowable(() -> Retry.builder(policy.build())
			.time(this.time)
			.build()
			.call(this.script.sends("POST").answers(502).around(this.worked::incrementAndGet)));
		assertThat(RetriesStoppedException.of(failure).attempts()).isEqualTo(attempts);
		assertThat(this.worked).hasValue(0);
	}

	@Test
	void consumesItsStepsInOrderAndThenDoesTheWork() {
		this.script.fails(2).passes(1).resets().times(1);
		assertThat(failures(6)).containsExactly(true, true, false, true, false, false);
		assertThat(this.worked).hasValue(3);
	}

	@Test
	void repeatsAStepWithoutANumber() {
		this.script.passes(1).fails();
		assertThat(failures(9)).containsExactly(false, true, true, true, true, true, true, true, true);
	}

	@Test
	void failsWithAnIoExceptionUnlessTold() {
		this.script.fails(1).fails(1, TimeoutException::new);
		assertThat(attempt()).isExactlyInstanceOf(IOException.class).hasMessage("fault: fails()");
		assertThat(attempt()).isExactlyInstanceOf(TimeoutException.class);
		assertThat(this.worked).hasValue(0);
	}

	@Test
	void answersAsRestClientThrows() {
		this.script.answers(503, Duration.ofMillis(2_001)).times(1).answers(404).times(1).answers(599);
		assertThat(attempt()).isInstanceOfSatisfying(HttpServerErrorException.ServiceUnavailable.class, (ex) -> {
			assertThat(ex.getResponseHeaders().getFirst("Retry-After")).isEqualTo("3");
			assertThat(ex).hasMessage("503 Service Unavailable");
		});
		assertThat(attempt()).isInstanceOf(HttpClientErrorException.NotFound.class);
		assertThat(attempt()).isInstanceOf(HttpServerErrorException.class);
	}

	@Test
	void breaksConnectionsAsRestClientThrows() {
		this.script.refusesConnections().times(1).resets();
		assertThat(attempt()).isInstanceOf(ResourceAccessException.class).hasCauseInstanceOf(ConnectException.class);
		assertThat(attempt()).isInstanceOf(ResourceAccessException.class).hasCauseInstanceOf(SocketException.class);
	}

	@Test
	void hangsInVirtualTimeAndFails() {
		this.script.hangs(Duration.ofMinutes(1));
		assertThat(attempt()).isInstanceOf(SocketTimeoutException.class).hasMessage("fault: hangs(1m)");
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofMinutes(1));
		assertThat(this.worked).hasValue(0);
	}

	@Test
	void hangsUntilItIsInterrupted() {
		this.script.hangs(Duration.ofMinutes(1));
		Thread.currentThread().interrupt();
		assertThat(attempt()).isInstanceOf(InterruptedException.class);
	}

	@Test
	void takesVirtualTimeAndDoesTheWork() {
		this.script.takes(Duration.ofSeconds(2)).times(1);
		assertThat(failures(2)).containsOnly(false);
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void losesTheAnswerAfterTheWork() {
		this.script.losesTheAnswer(1);
		assertThat(attempt()).isExactlyInstanceOf(IOException.class).hasMessage("fault: losesTheAnswer(1)");
		assertThat(this.worked).hasValue(1);
	}

	@Test
	void losesTheAnswerOfAFutureWhenItIsThere() throws Exception {
		CompletableFuture<String> answer = new CompletableFuture<>();
		CompletableFuture<String> lost = this.script.losesTheAnswer(1).around(() -> answer).run();
		assertThat(lost).isNotDone();
		answer.complete("there");
		assertThat(lost).isCompletedExceptionally();
	}

	@Test
	void losesTheAnswerOfAPublisherWhenItIsThere() throws Exception {
		this.script.losesTheAnswer(2);
		StepVerifier.create(this.script.around(() -> Mono.fromSupplier(this.worked::incrementAndGet)).run())
			.verifyError(IOException.class);
		StepVerifier
			.create(this.script.around(() -> Flux.range(0, 3).doOnNext((n) -> this.worked.incrementAndGet())).run())
			.verifyError(IOException.class);
		assertThat(this.worked).hasValue(4);
	}

	@Test
	void letsAnotherScriptDecideOnASeededShare() {
		this.script.percent(20, new FaultScript(this.time).fails());
		List<Boolean> failures = failures(1_000);
		assertThat(failures.stream().filter((failed) -> failed).count()).isBetween(160L, 240L);
		FaultScript again = new FaultScript(this.time).percent(20, new FaultScript(this.time).fails());
		assertThat(IntStream.range(0, 1_000)
			.mapToObj((n) -> catchThrowable(() -> again.around(() -> "done").run()) != null)).isEqualTo(failures);
	}

	@Test
	void refusesAStepAfterOneThatRepeatsForEver() {
		this.script.answers(503);
		assertThatIllegalStateException().isThrownBy(this.script::passes)
			.withMessage("The step before repeats for ever; write times(n) between the two.");
	}

	@Test
	void refusesANumberWithoutItsStep() {
		assertThatIllegalStateException().isThrownBy(() -> this.script.times(2))
			.withMessage("Invalid times (2): must be 1 or more, and follow a step without a number.");
		this.script.fails(1);
		assertThatIllegalStateException().isThrownBy(() -> this.script.times(2));
	}

	@Test
	void refusesNumbersThatAreNone() {
		assertThatIllegalStateException().isThrownBy(() -> this.script.fails(0))
			.withMessageStartingWith("Invalid times (0): must be 1 or more");
		assertThatIllegalArgumentException().isThrownBy(() -> this.script.answers(200))
			.withMessage("Invalid status (200): must be from 400 to 599.");
		assertThatIllegalArgumentException().isThrownBy(() -> this.script.percent(20, this.script))
			.withMessage("Invalid script (this one): must be another one, or it has no end.");
		assertThatNullPointerException().isThrownBy(() -> this.script.fails(1, null)).withMessage("failure");
		assertThatNullPointerException().isThrownBy(() -> this.script.percent(20, null)).withMessage("script");
		assertThatIllegalArgumentException().isThrownBy(() -> this.script.hangs(Duration.ofMillis(-1)));
	}

	@Test
	void throwsWhatTheWorkThrows() {
		assertThatIOException().isThrownBy(() -> this.script.passes().around(() -> {
			throw new IOException("its own");
		}).run()).withMessage("its own");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.script.around(() -> {
			throw new AssertionError("its own");
		}).run());
	}

}
