package dev.backoff.spring.advice;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Methods that return a Flux, through their proxies. */
class FluxMethodsTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = AdviceContexts.start((context) -> {
		TestPropertyValues.of("backoff.policies.replayed.replay=true").applyTo(context);
		context.registerBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);
		context.registerBean(Feed.class);
		context.registerBean(Around.class);
	});

	private final Feed feed = this.context.getBean(Feed.class);

	private final Around around = this.context.getBean(Around.class);

	private final VirtualTime time = this.context.getBean(VirtualTime.class);

	private final RecordingListener listener = this.context.getBean(RecordingListener.class);

	private final IOException failure = new IOException("down");

	/* Elements, then the failure, until the given attempt. */
	private Flux<Integer> failingUntil(int attempt, int elements) {
		Flux<Integer> numbers = Flux.range(1, elements);
		return (Attempt.current().number() < attempt) ? numbers.concatWith(Flux.error(this.failure)) : numbers;
	}

	@Nested
	class Elements {

		@Test
		void arePassedOnAsTheyCome() {
			TestPublisher<Integer> publisher = TestPublisher.create();
			List<Integer> seen = new ArrayList<>();
			feed.read((number) -> publisher.flux()).subscribe(seen::add);
			publisher.next(1, 2);
			assertThat(seen).containsExactly(1, 2);
			publisher.complete();
			assertThat(listener.events()).isEmpty();
		}

		@Test
		void keepACallFromBeingRetried() {
			List<Integer> seen = new ArrayList<>();
			AtomicReference<Throwable> thrown = new AtomicReference<>();
			feed.read((number) -> failingUntil(9, 2)).subscribe(seen::add, thrown::set);
			time.runAll();
			assertThat(seen).containsExactly(1, 2);
			assertThat(thrown).hasValue(failure);
			RetriesStoppedException report = RetriesStoppedException.of(thrown.get());
			assertThat(report).hasMessageContaining(
					"NOT_RETRYABLE, elements have been passed on already; " + "with replay: true they come again");
			assertThat(report.attempts()).isEqualTo(1);
		}

		@Test
		void areFollowedByThoseOfTheRecovery() {
			StepVerifier.create(feed.recovered((number) -> failingUntil(9, 2)))
				.expectNext(1, 2, 100, 101)
				.verifyComplete();
		}

		@Test
		void seeNoAttemptOfTheirSourceFurtherDown() {
			List<String> seen = new ArrayList<>();
			feed.read((number) -> Flux.range(1, 2).doOnNext((element) -> seen.add("inside " + running())))
				.doOnNext((element) -> seen.add("outside " + running()))
				.blockLast();
			assertThat(seen).containsExactly("inside true", "outside false", "inside true", "outside false");
		}

		@Test
		void seeTheAttemptAroundFurtherDown() {
			List<Integer> maxima = new ArrayList<>();
			around.call(() -> feed.read((number) -> Flux.range(1, 2))
				.doOnNext((element) -> maxima.add(Attempt.current().maximum().orElse(0)))
				.blockLast());
			assertThat(maxima).containsExactly(7, 7);
		}

		private static boolean running() {
			return Attempt.isRunning();
		}

	}

	@Nested
	class Demand {

		@Test
		void isPassedOnAndNoMore() {
			List<Long> requests = new ArrayList<>();
			StepVerifier.create(feed.read((number) -> Flux.range(1, 100).hide().doOnRequest(requests::add)), 0)
				.thenRequest(2)
				.expectNext(1, 2)
				.thenRequest(3)
				.expectNext(3, 4, 5)
				.thenCancel()
				.verify();
			assertThat(requests).containsExactly(2L, 3L);
		}

		@Test
		void isCarriedOverAttempts() {
			List<Long> requests = new ArrayList<>();
			StepVerifier.create(feed.replay((number) -> failingUntil(3, 3).hide().doOnRequest(requests::add)), 0)
				.thenRequest(5)
				.expectNext(1, 2, 3)
				.then(time::runAll)
				.expectNext(1, 2)
				.thenRequest(1)
				.expectNext(3)
				.then(() -> assertThat(requests).containsExactly(5L, 2L, 1L))
				.then(time::runAll)
				.thenRequest(Long.MAX_VALUE)
				.expectNext(1, 2, 3)
				.verifyComplete();
			assertThat(requests).containsExactly(5L, 2L, 1L, Long.MAX_VALUE);
		}

		@Test
		void whileNoAttemptRunsIsKeptForTheNext() {
			List<Long> requests = new ArrayList<>();
			StepVerifier
				.create(feed.read((number) -> (number == 1) ? Flux.error(failure)
						: Flux.range(1, 100).hide().doOnRequest(requests::add)), 0)
				.thenRequest(2)
				.thenRequest(1)
				.then(time::runAll)
				.expectNext(1, 2, 3)
				.thenCancel()
				.verify();
			assertThat(requests).containsExactly(3L);
		}

		@Test
		void holdsWhileManyThreadsAskAndAttemptsFail() throws InterruptedException {
			int wanted = 20_000;
			Bounded subscriber = new Bounded(wanted);
			feed.stubborn((number) -> Flux.range(1, 7)
				.hide()
				.concatWith(Flux.error(failure))
				.subscribeOn(Schedulers.parallel())).subscribe(subscriber);
			for (int i = 0; i < 4; i++) {
				Schedulers.boundedElastic().schedule(() -> {
					for (int k = 0; k < wanted / 4; k++) {
						subscriber.ask();
					}
				});
			}
			assertThat(subscriber.all.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(subscriber.problem).hasValue(null);
			subscriber.cancel();
		}

	}

	@Nested
	class Cancelling {

		@Test
		void cancelsTheRunningAttemptOnceAndPassesNothingOn() {
			TestPublisher<Integer> publisher = TestPublisher
				.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
			AtomicInteger cancellations = new AtomicInteger();
			List<Integer> seen = new ArrayList<>();
			Disposable call = feed.read((number) -> publisher.flux().doOnCancel(cancellations::incrementAndGet))
				.subscribe(seen::add);
			publisher.next(1);
			call.dispose();
			call.dispose();
			publisher.next(2);
			assertThat(cancellations).hasValue(1);
			assertThat(seen).containsExactly(1);
			assertThat(listener.report().reason()).isEqualTo(StopReason.CANCELLED);
		}

		@Test
		void beforeAnythingHappensMakesNoAttempt() {
			List<Integer> attempts = new ArrayList<>();
			feed.read((number) -> {
				attempts.add(number);
				return Flux.just(1);
			}).subscribe(new BaseSubscriber<>() {

				@Override
				protected void hookOnSubscribe(Subscription subscription) {
					subscription.cancel();
				}

			});
			assertThat(attempts).isEmpty();
		}

	}

	@Nested
	class ACall {

		@Test
		void isRetriedThoughErrorsAreToBeSkippedFurtherDown() {
			List<Integer> seen = new ArrayList<>();
			List<Throwable> skipped = new ArrayList<>();
			feed.read((number) -> Flux.just(10).map((element) -> {
				if (number < 3) {
					throw Exceptions.propagate(failure);
				}
				return element;
			})).onErrorContinue((thrown, element) -> skipped.add(thrown)).subscribe(seen::add);
			time.runAll();
			assertThat(seen).containsExactly(10);
			assertThat(skipped).isEmpty();
		}

		@Test
		void endsWhenItsSourceAnswersOnOtherThreads() {
			StepVerifier
				.create(feed.stubborn(
						(number) -> (number < 50) ? Flux.<Integer>error(failure).subscribeOn(Schedulers.parallel())
								: Flux.just(number).publishOn(Schedulers.parallel())))
				.expectNext(50)
				.expectComplete()
				.verify(Duration.ofSeconds(30));
		}

	}

	/** Asks for elements one by one, and counts elements that were not asked for. */
	private static final class Bounded extends BaseSubscriber<Integer> {

		private final AtomicInteger balance = new AtomicInteger();

		private final AtomicReference<Object> problem = new AtomicReference<>();

		private final AtomicInteger inside = new AtomicInteger();

		private final CountDownLatch all;

		Bounded(int wanted) {
			this.all = new CountDownLatch(wanted);
		}

		void ask() {
			this.balance.incrementAndGet();
			request(1);
		}

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			// nothing is asked for yet
		}

		@Override
		protected void hookOnNext(Integer element) {
			if (this.inside.incrementAndGet() != 1) {
				this.problem.set("two elements at a time");
			}
			if (this.balance.decrementAndGet() < 0) {
				this.problem.set("an element that nobody asked for");
			}
			this.all.countDown();
			this.inside.decrementAndGet();
		}

		@Override
		protected void hookOnError(Throwable failure) {
			this.problem.set(failure);
		}

	}

	public static class Feed {

		@Backoff(jitter = "none")
		public Flux<Integer> read(Function<Integer, Flux<Integer>> attempt) {
			return attempt.apply(Attempt.current().number());
		}

		@Backoff("replayed")
		public Flux<Integer> replay(Function<Integer, Flux<Integer>> attempt) {
			return attempt.apply(Attempt.current().number());
		}

		@Backoff(value = "replayed", base = "0s", cap = "1s", maxAttempts = "unlimited", budget = "none")
		public Flux<Integer> stubborn(Function<Integer, Flux<Integer>> attempt) {
			return attempt.apply(Attempt.current().number());
		}

		@Backoff(recover = "stored")
		public Flux<Integer> recovered(Function<Integer, Flux<Integer>> attempt) {
			return attempt.apply(Attempt.current().number());
		}

		Flux<Integer> stored(Function<Integer, Flux<Integer>> attempt) {
			return Flux.range(100, 2);
		}

	}

	public static class Around {

		@Backoff(maxAttempts = "7")
		public void call(Runnable work) {
			work.run();
		}

	}

}
