package dev.backoff.spring.advice;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Methods that return a Mono, through their proxies. */
class MonoMethodsTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = AdviceContexts.start((context) -> {
		context.registerBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);
		context.registerBean(Orders.class);
		context.registerBean(Outer.class);
	});

	private final Orders orders = this.context.getBean(Orders.class);

	private final Outer outer = this.context.getBean(Outer.class);

	private final VirtualTime time = this.context.getBean(VirtualTime.class);

	private final RecordingListener listener = this.context.getBean(RecordingListener.class);

	private final IOException failure = new IOException("down");

	private Mono<String> failing() {
		return Mono.error(this.failure);
	}

	@Nested
	class ACall {

		@Test
		void beginsAtTheSubscription() {
			Mono<String> placed = orders.place(Mono.just("placed"));
			assertThat(orders.calls()).isZero();
			assertThat(placed.block()).isEqualTo("placed");
			assertThat(orders.calls()).isEqualTo(1);
		}

		@Test
		void isAnotherOneForEachSubscription() {
			Mono<String> placed = orders.place(failing());
			assertThat(failure(placed)).isSameAs(failure);
			assertThat(orders.calls()).isEqualTo(4);
			assertThat(failure(placed)).isSameAs(failure);
			assertThat(orders.calls()).isEqualTo(8);
			assertThat(listener.stopped()).hasSize(2);
		}

		@Test
		void endsWithWhatReactorHadWrapped() {
			Mono<String> wrapping = Mono.fromSupplier(() -> {
				throw Exceptions.propagate(failure);
			});
			assertThat(failure(orders.place(wrapping))).isSameAs(failure);
		}

		@Test
		void endsWithWhatTheMethodThrows() throws IOException {
			assertThat(failure(orders.broken(failure))).isSameAs(failure);
			assertThat(orders.calls()).isEqualTo(4);
		}

		@Test
		void failsClearlyWithoutAMono() {
			assertThat(failure(orders.place(null))).isInstanceOf(NullPointerException.class)
				.hasMessage("Orders.place returned null instead of a publisher");
		}

		@Test
		void keepsItsElementUntilItIsAskedFor() {
			StepVerifier.create(orders.place(Mono.just("placed")), 0)
				.expectSubscription()
				.thenRequest(1)
				.expectNext("placed")
				.verifyComplete();
		}

		@Test
		void keepsTheStackFlat() {
			assertThat(orders.placeStubbornly(20_000).block()).isEqualTo("attempt 20000");
		}

	}

	@Test
	void theResultIsNullToTheConditionIfThereIsNone() {
		AtomicInteger ended = new AtomicInteger();
		this.orders.find().subscribe(null, null, ended::incrementAndGet);
		this.time.runAll();
		assertThat(ended).hasValue(1);
		assertThat(this.orders.calls()).isEqualTo(2);
	}

	@Nested
	class Cancelling {

		@Test
		void endsTheWait() {
			Disposable call = orders.place(failing()).subscribe();
			assertThat(time.pending()).isEqualTo(1);
			call.dispose();
			assertThat(time.pending()).isZero();
			assertThat(orders.calls()).isEqualTo(1);
			assertThat(listener.report().reason()).isEqualTo(StopReason.CANCELLED);
		}

		@Test
		void endsTheRecovery() {
			AtomicInteger cancellations = new AtomicInteger();
			orders.parkBy(Mono.<String>never().doOnCancel(cancellations::incrementAndGet));
			Disposable call = orders.send("o-1", failing()).subscribe();
			time.runAll();
			call.dispose();
			assertThat(cancellations).hasValue(1);
		}

	}

	@Nested
	class TheContext {

		@Test
		void ofTheSubscriberIsThatOfEachAttempt() {
			List<String> seen = new ArrayList<>();
			Mono<String> reading = Mono.deferContextual((view) -> {
				seen.add(view.get("user"));
				return failing();
			});
			orders.place(reading).onErrorComplete().contextWrite((view) -> view.put("user", "alice")).subscribe();
			time.runAll();
			assertThat(seen).containsExactly("alice", "alice", "alice", "alice");
		}

		@Test
		void letsACallInsideSeeItsAttemptOnAnotherThread() {
			Sinks.One<String> go = Sinks.one();
			Mono<String> inner = go.asMono()
				.publishOn(Schedulers.boundedElastic())
				.then(Mono.defer(() -> orders.placeAtOnce(failing())));
			AtomicReference<Throwable> thrown = new AtomicReference<>();
			outer.call(inner).subscribe(null, thrown::set);
			go.emitEmpty(Sinks.EmitFailureHandler.FAIL_FAST);
			org.awaitility.Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAtomic(thrown, org.hamcrest.Matchers.notNullValue());
			assertThat(thrown).hasValue(failure);
			assertThat(orders.calls()).isEqualTo(4);
			assertThat(listener.stopped()).extracting((stopped) -> stopped.report().reason())
				.containsExactly(StopReason.ATTEMPTS_EXHAUSTED, StopReason.NESTED);
		}

	}

	private Throwable failure(Mono<?> mono) {
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		mono.subscribe(null, thrown::set);
		this.time.runAll();
		return thrown.get();
	}

	public static class Orders {

		private int calls;

		private Mono<String> parking;

		public int calls() {
			return this.calls;
		}

		public void parkBy(Mono<String> parking) {
			this.parking = parking;
		}

		@Backoff
		public Mono<String> place(Mono<String> attempt) {
			this.calls++;
			return attempt;
		}

		@Backoff(base = "0s", cap = "1s")
		public Mono<String> placeAtOnce(Mono<String> attempt) {
			this.calls++;
			return attempt;
		}

		@Backoff
		public Mono<String> broken(IOException failure) throws IOException {
			this.calls++;
			throw failure;
		}

		@Backoff(base = "0s", cap = "1s", maxAttempts = "unlimited", budget = "none")
		public Mono<String> placeStubbornly(int attempts) {
			int attempt = Attempt.current().number();
			return (attempt < attempts) ? Mono.error(new IOException("attempt " + attempt))
					: Mono.just("attempt " + attempt);
		}

		@Backoff(retryWhen = "#result == null", maxAttempts = "2")
		public Mono<String> find() {
			this.calls++;
			return Mono.empty();
		}

		@Backoff(recover = "park")
		public Mono<String> send(String order, Mono<String> attempt) {
			return attempt;
		}

		Mono<String> park(String order, Mono<String> attempt, RetriesStoppedException report) {
			return this.parking;
		}

	}

	public static class Outer {

		@Backoff(base = "0s", cap = "1s")
		public Mono<String> call(Mono<String> inner) {
			return inner;
		}

	}

}
