package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Observable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;

/** A subscriber that cancels has not failed, wherever the cancellation falls. */
class CancelledSubscriptionsTests {

	private static final String CANCELLED = "call ends cancelled after 1 none CancellationException";

	private static final Flux<Integer> ENDLESS = Flux.<Integer>never().startWith(1);

	@AutoClose
	private final AnnotationConfigApplicationContext context = AdviceContexts.start((context) -> {
		TestPropertyValues.of("backoff.breakers.feed.failure-rate=60%", "backoff.policies.feed.replay=true")
			.applyTo(context);
		context.registerBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);
		context.registerBean(RecordingObserver.class);
		context.registerBean(Feed.class);
	});

	private final Feed feed = this.context.getBean(Feed.class);

	private final VirtualTime time = this.context.getBean(VirtualTime.class);

	private final RecordingObserver observer = this.context.getBean(RecordingObserver.class);

	private List<String> lines(String prefix) {
		return this.observer.lines().stream().filter((line) -> line.startsWith(prefix)).toList();
	}

	static Stream<Function<Feed, Publisher<?>>> partsRead() {
		Function<Integer, Flux<Integer>> three = (number) -> Flux.range(1, 3);
		return Stream.of((feed) -> feed.flux(three).next(), (feed) -> feed.flux(three).hasElements(),
				(feed) -> feed.flux(three).take(1), (feed) -> Mono.fromCallable(feed.flux(three)::blockFirst),
				(feed) -> Flux.firstWithValue(feed.flux(three), Flux.never()).take(1),
				(feed) -> feed.flux(three).map((element) -> 1 / (element - 1)),
				(feed) -> feed.flux((number) -> ENDLESS).timeout(Mono.never(), (element) -> Mono.empty()),
				(feed) -> Flux.just(1, 0)
					.switchMap((outer) -> (outer == 1) ? feed.flux((number) -> ENDLESS) : Mono.empty()),
				(feed) -> feed.observable(three).firstElement().toFlowable(),
				(feed) -> JdkFlowAdapter.flowPublisherToFlux(feed.flowPublisher(three)).next());
	}

	@ParameterizedTest
	@MethodSource("partsRead")
	void afterAnElementIsASuccessOfItsAttempt(Function<Feed, Publisher<?>> read) {
		Flux.from(read.apply(this.feed)).onErrorComplete().blockLast();
		assertThat(this.observer.lines()).containsExactly("call begins", "attempt 1 begins", "attempt 1 ends success",
				CANCELLED);
		assertThat(this.observer.mistakes()).isEmpty();
	}

	@Test
	void countsOnlyForTheAttemptThatPassedAnElementOn() {
		this.feed
			.flux((number) -> (number > 1) ? Flux.never() : Flux.concat(Flux.just(1), Flux.error(new IOException())))
			.doOnNext((element) -> assertThat(element).isOne())
			.takeUntilOther(Flux.from((ended) -> this.time.schedule(ended::onComplete, 60_000_000_000L)))
			.subscribe();
		this.time.runAll();
		assertThat(lines("attempt 2")).containsExactly("attempt 2 begins",
				"attempt 2 ends cancelled CancellationException");
	}

	@Test
	void fillsTheBudgetAndKeepsTheBreakerClosed() {
		AtomicInteger attempts = new AtomicInteger();
		for (int i = 0; i < 120; i++) {
			this.feed.flux((number) -> (attempts.incrementAndGet() % 2 == 1) ? Flux.error(new IOException())
					: Flux.range(1, 3))
				.take(1)
				.subscribe();
			this.time.runAll();
		}
		assertThat(this.context.getBean(RecordingListener.class).stopped()).hasSize(120)
			.allSatisfy((stop) -> assertThat(stop.report().reason()).isEqualTo(StopReason.CANCELLED));
		assertThat(attempts).hasValue(240);
		assertThat(this.context.getBean(RetryBudgets.class).all()).isNotEmpty()
			.allSatisfy((budget) -> assertThat(budget.balance()).isEqualTo(budget.settings().tokens()));
	}

	static Stream<Arguments> cancellationsFromOutside() {
		return Stream
			.<BiFunction<Mono<String>, Mono<String>, Publisher<?>>>of(Mono::timeout, Mono::takeUntilOther,
					Mono::firstWithValue,
					(call, trigger) -> Flux.concat(Mono.just("call"), trigger)
						.switchMap((outer) -> outer.equals("call") ? call : Mono.empty()))
			.flatMap((cancelling) -> Stream.of(Arguments.of(cancelling, false), Arguments.of(cancelling, true)));
	}

	/* While the first attempt blocks a thread, in the method or in what it returns. */
	@ParameterizedTest
	@MethodSource("cancellationsFromOutside")
	void whileTheCallIsStartingIsNoFailure(BiFunction<Mono<String>, Mono<String>, Publisher<?>> cancelling,
			boolean inMethod) throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		Supplier<String> blocking = () -> {
			started.countDown();
			try {
				new CountDownLatch(1).await();
				return "never";
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("interrupted", ex);
			}
		};
		ExecutorService worker = Executors.newSingleThreadExecutor();
		try {
			Sinks.One<String> trigger = Sinks.one();
			Mono<String> call = this.feed.mono(() -> inMethod ? Mono.just(blocking.get()) : Mono.fromSupplier(blocking))
				.subscribeOn(Schedulers.fromExecutorService(worker));
			Flux.from(cancelling.apply(call, trigger.asMono())).onErrorComplete().subscribe();
			assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
			trigger.tryEmitValue("now").orThrow();
			worker.submit(() -> {
			}).get(30, TimeUnit.SECONDS);
		}
		finally {
			worker.shutdownNow();
		}
		assertThat(this.observer.lines()).containsExactly("call begins", "attempt 1 begins",
				"attempt 1 ends cancelled CancellationException", CANCELLED);
	}

	@Test
	void whileTheMethodReturnsIsNoFailureWhereverItFalls() throws Exception {
		for (int i = 0; i < 500; i++) {
			CountDownLatch called = new CountDownLatch(1);
			AtomicReference<Subscription> subscription = new AtomicReference<>();
			Thread subscriber = new Thread(() -> this.feed.mono(() -> {
				called.countDown();
				return Mono.never();
			}).doOnSubscribe(subscription::set).subscribe());
			subscriber.start();
			assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
			subscription.get().cancel();
			subscriber.join();
		}
		assertThat(lines("call ends")).hasSize(500).containsOnly(CANCELLED);
	}

	@ParameterizedTest
	@CsvSource({ "false, none CancellationException", "true, done" })
	void ofARecoveryIsNoFailureOfIt(boolean passedOn, String outcome) {
		this.feed.recovered(passedOn ? ENDLESS : Flux.never()).subscribe().dispose();
		assertThat(lines("call ends")).containsExactly("call ends not_retryable after 1 " + outcome);
	}

	public static class Feed {

		@Backoff("feed")
		public Flux<Integer> flux(Function<Integer, Flux<Integer>> attempt) {
			return attempt.apply(Attempt.current().number());
		}

		@Backoff("feed")
		public Observable<Integer> observable(Function<Integer, Flux<Integer>> attempt) {
			return Observable.fromPublisher(attempt.apply(1));
		}

		@Backoff("feed")
		public Flow.Publisher<Integer> flowPublisher(Function<Integer, Flux<Integer>> attempt) {
			return JdkFlowAdapter.publisherToFlowPublisher(attempt.apply(1));
		}

		@Backoff(value = "feed", recover = "recover")
		public Flux<Integer> recovered(Flux<Integer> recovery) {
			return Flux.error(new IllegalArgumentException());
		}

		Flux<Integer> recover(Flux<Integer> recovery) {
			return recovery;
		}

		@Backoff(value = "feed", idempotent = "false", recover = "recoverMono")
		public Mono<String> mono(Supplier<Mono<String>> attempt) {
			return attempt.get();
		}

		Mono<String> recoverMono() {
			return Mono.just("recovered");
		}

	}

}
