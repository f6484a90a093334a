package dev.backoff.kit;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.BackoffTestConfiguration;
import dev.backoff.test.CallAssert;
import dev.backoff.test.FaultScript;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** The other snippets of the page on testing. */
@SpringBootTest
class PageTests {

	private final Payment payment = new Payment("t-1");

	@Autowired
	private PaymentCallbacks callbacks;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@Autowired
	private VirtualTime time;

	@Test
	void hints() {
		this.faults.of("payment-callback").answers(429, Duration.ofSeconds(30)).times(1);
		this.callbacks.send(this.payment);
		assertThat(this.calls.of("payment-callback")).outcome(1, AttemptOutcome.THROTTLED)
			.waitSource(1, DelaySource.HINT)
			.waitedBetween("30s", "60s");
	}

	@Test
	void story() throws IOException {
		this.faults.of("payment-callback").resets().times(1).fails(1);
		this.callbacks.send(this.payment);
		Throwable failure = catchThrowable(() -> assertThat(this.calls.of("payment-callback")).attempts(2));
		assertThat(Path.of("..", "..", "docs", "testing.md")).content().contains(failure.getMessage());
	}

	@ParameterizedTest
	@ValueSource(classes = { CallAssert.class, FaultScript.class })
	void tables(Class<?> type) {
		assertThat(type.getDeclaredMethods())
			.filteredOn((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
			.isNotEmpty()
			.allSatisfy((method) -> assertThat(Path.of("..", "..", "docs", "testing.md")).content()
				.contains(method.getName() + "("));
	}

	@Test
	void kinds() {
		assertThat(this.callbacks.sendLater(this.payment).join()).isEqualTo("noticed");
		StepVerifier.create(this.callbacks.sendReactively(this.payment)).expectNext("noticed").verifyComplete();
		assertThat(this.calls.of("PaymentCallbacks.sendLater")).succeededOnFirstAttempt();
		this.faults.of("mails").fails(2);
		this.callbacks.mail(this.payment);
		await().untilAsserted(() -> assertThat(this.calls.of("mails")).succeeded());
		assertThat(this.calls.of("mails")).attempts(3);
	}

	@Test
	void atOnce() throws Exception {
		this.faults.of("payment-callback").takes(Duration.ofSeconds(2)).times(20).fails(5);
		List<CompletableFuture<String>> sent;
		ExecutorService threads = Executors.newCachedThreadPool();
		try (VirtualTime.Hold hold = this.time.hold()) {
			sent = IntStream.range(0, 20)
				.mapToObj((n) -> CompletableFuture.supplyAsync(() -> this.callbacks.send(this.payment), threads))
				.toList();
			hold.untilBegun(20);
		}
		sent.forEach(CompletableFuture::join);
		assertThat(this.calls.of("payment-callback")).calls(20).allSucceeded();
		threads.shutdown();
	}

	@Test
	void share() {
		this.faults.of("payment-callback").percent(20, new FaultScript(this.time).resets());
		this.callbacks.send(this.payment);
		assertThat(this.calls.of("payment-callback")).allSucceeded();
	}

	@Test
	void runner() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withUserConfiguration(BackoffTestConfiguration.class)
			.withBean(Merchant.class)
			.withBean(PaymentCallbacks.class)
			.run((context) -> {
				context.getBean(BackoffFaults.class).of("payment-callback").fails();
				context.getBean(PaymentCallbacks.class).send(this.payment);
				assertThat(context.getBean(BackoffCalls.class).of("payment-callback"))
					.stopped(StopReason.ATTEMPTS_EXHAUSTED);
			});
	}

}
