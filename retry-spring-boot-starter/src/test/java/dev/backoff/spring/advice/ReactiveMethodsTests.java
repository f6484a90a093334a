package dev.backoff.spring.advice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.publisher.TestPublisher;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import dev.backoff.Attempt;
import dev.backoff.CallRegistry;
import dev.backoff.RetryContext;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Publishers and subscribers that break the rules of reactive streams, or use all. */
@SuppressWarnings({ "FutureReturnValueIgnored", "ModifiedButNotUsed" }) // calls are
																		// counted
																		// elsewhere
class ReactiveMethodsTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = AdviceContexts.start((context) -> {
		TestPropertyValues
			.of("backoff.policies.limited.attempt-timeout=1s", "backoff.policies.limited.jitter=none",
					"backoff.shutdown.wait=1s")
			.applyTo(context);
		context.registerBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);
		context.registerBean(Feed.class);
		context.registerBean(Outer.class);
	});

	private final Feed feed = this.context.getBean(Feed.class);

	private final VirtualTime time = this.context.getBean(VirtualTime.class);

	private final CallRegistry registry = this.context.getBean(CallRegistry.class);

	private final IOException failure = new IOException("down");

	private static String running() {
		return Attempt.isRunning() ? "in an attempt" : "in none";
	}

	/* Asks for one element after the other. */
	private static void askOneByOne(Flux<?> flux) {
		AtomicReference<Subscription> asked = new AtomicReference<>();
		List<Object> seen = new ArrayList<>();
		List<Throwable> thrown = new ArrayList<>();
		AtomicInteger ended = new AtomicInteger();
		flux.subscribe(new BaseSubscriber<Object>() {

			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				asked.set(subscription);
			}

			@Override
			protected void hookOnNext(Object element) {
				seen.add(element);
			}

			@Override
			protected void hookOnError(Throwable failure) {
				thrown.add(failure);
			}

			@Override
			protected void hookOnComplete() {
				ended.incrementAndGet();
			}

		});
		for (int i = 0; i < 20 && ended.get() == 0 && thrown.isEmpty(); i++) {
			asked.get().request(1);
		}
		assertThat(ended.get() + thrown.size()).isEqualTo(1);
	}

	@Nested
	class WhatFollowsTheEnd {

		@Test
		void isNoPartOfTheAttemptThatEndsWhenItIsAsked() {
			List<String> seen = new ArrayList<>();
			askOneByOne(feed.read(() -> Flux.range(1, 2)).doOnComplete(() -> seen.add(running())));
			assertThat(seen).containsExactly("in none");
		}

		@Test
		void isNoPartOfTheAttemptThatFailsWhenItIsAsked() {
			List<String> seen = new ArrayList<>();
			askOneByOne(feed.read(() -> Flux.range(1, 2).concatWith(Flux.error(failure))).onErrorResume((failure) -> {
				seen.add(running());
				return Flux.empty();
			}));
			assertThat(seen).containsExactly("in none");
		}

		@Test
		void hasItsOwnTime() {
			List<Duration> left = new ArrayList<>();
			askOneByOne(Flux.concat(feed.limited(() -> Flux.range(1, 2)), feed.read(() -> {
				left.add(Attempt.current().timeLeft());
				return Flux.range(1, 2);
			})));
			assertThat(left).hasSize(1).containsOnlyNulls();
		}

		@Test
		void isNoPartOfAnAttemptThatWasCarriedToItsStage() {
			List<String> seen = new ArrayList<>();
			List<Runnable> later = new ArrayList<>();
			CompletableFuture<String> first = feed.stage((stage) -> {
				RetryContext attempt = RetryContext.capture();
				later.add(attempt.wrap(() -> {
					seen.add(running());
					stage.complete("done");
				}));
			});
			CompletableFuture<String> second = first.thenCompose((done) -> {
				seen.add(running());
				return feed.stage((stage) -> {
					seen.add("time left " + Attempt.current().timeLeft());
					stage.complete("too");
				});
			});
			later.get(0).run();
			assertThat(second).isCompletedWithValue("too");
			assertThat(seen).containsExactly("in an attempt", "in none", "time left null");
		}

		@Test
		void isNoPartOfTheAttemptWithAutomaticContextPropagation() {
			Hooks.enableAutomaticContextPropagation();
			try {
				List<String> seen = new CopyOnWriteArrayList<>();
				feed.read(() -> Flux.range(1, 2)
					.publishOn(Schedulers.parallel())
					.doOnNext((n) -> seen.add("inside " + running())))
					.doOnNext((element) -> seen.add(running()))
					.doOnComplete(() -> seen.add(running()))
					.blockLast();
				assertThat(seen).containsExactly("inside in an attempt", "in none", "inside in an attempt", "in none",
						"in none");
				seen.clear();
				feed.one(() -> Mono.just("x")
					.publishOn(Schedulers.parallel())
					.doOnNext((n) -> seen.add("inside " + running())))
					.doOnNext((element) -> seen.add(running()))
					.doOnTerminate(() -> seen.add(running()))
					.block();
				assertThat(seen).containsExactly("inside in an attempt", "in none", "in none");
			}
			finally {
				Hooks.disableAutomaticContextPropagation();
			}
		}

	}

	@Nested
	class AnElementThatComesTooLate {

		@Test
		void isDiscardedAfterCancelling() {
			List<Object> discarded = new ArrayList<>();
			TestPublisher<String> publisher = TestPublisher
				.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
			Disposable call = feed.one(publisher::mono).doOnDiscard(Object.class, discarded::add).subscribe();
			call.dispose();
			publisher.next("late");
			assertThat(discarded).containsExactly("late");
		}

		@Test
		void isDiscardedAfterTheTimeout() {
			List<Object> discarded = new ArrayList<>();
			AtomicReference<DeafPublisher> first = new AtomicReference<>();
			CompletableFuture<String> result = feed.limitedOne(() -> {
				DeafPublisher source = new DeafPublisher();
				if (first.compareAndSet(null, source)) {
					return Mono.fromDirect(source);
				}
				return Mono.just("second");
			}).doOnDiscard(Object.class, discarded::add).toFuture();
			time.runAll();
			assertThat(result).isCompletedWithValue("second");
			first.get().emit("late");
			assertThat(discarded).containsExactly("late");
		}

	}

	/** A publisher that does not hear when it is cancelled. */
	static final class DeafPublisher implements Publisher<String> {

		private final AtomicReference<Subscriber<? super String>> subscriber = new AtomicReference<>();

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			this.subscriber.set(subscriber);
			subscriber.onSubscribe(new Subscription() {

				@Override
				public void request(long count) {
				}

				@Override
				public void cancel() {
				}

			});
		}

		void emit(String element) {
			this.subscriber.get().onNext(element);
			this.subscriber.get().onComplete();
		}

	}

	@Nested
	class ARudePublisher {

		@ParameterizedTest
		@ValueSource(booleans = { false, true })
		void thatThrowsOrGivesNoSubscriptionIsGivenUp(boolean throwing) {
			AtomicInteger calls = new AtomicInteger();
			Publisher<Integer> rude = (subscriber) -> {
				if (throwing) {
					throw new UncheckedIOException(failure);
				}
			};
			CompletableFuture<List<Integer>> result = feed
				.limited(() -> (calls.incrementAndGet() < 3) ? Flux.from(rude) : Flux.just(1))
				.collectList()
				.toFuture();
			time.runAll();
			assertThat(result).isCompletedWithValue(List.of(1));
			assertThat(registry.running()).isZero();
		}

		@Test
		void thatEndsTwiceEndsOnce() {
			List<String> seen = new ArrayList<>();
			Publisher<Integer> rude = (subscriber) -> {
				subscriber.onSubscribe(new Subscription() {

					@Override
					public void request(long count) {
					}

					@Override
					public void cancel() {
					}
				});
				subscriber.onNext(1);
				subscriber.onComplete();
				subscriber.onNext(2);
				subscriber.onError(new IllegalStateException());
				subscriber.onComplete();
			};
			Flux.from(feed.publisher(() -> rude))
				.materialize()
				.subscribe((signal) -> seen.add(signal.getType().name()));
			assertThat(seen).containsExactly("ON_NEXT", "ON_COMPLETE");
		}

	}

	@Test
	void callsInsideEachOtherDoNotMultiply() {
		Outer outer = this.context.getBean(Outer.class);
		List<String> counts = new ArrayList<>();
		AtomicInteger calls = new AtomicInteger();
		Supplier<Mono<String>> failing = () -> Mono.defer(() -> {
			calls.incrementAndGet();
			return Mono.<String>error(new IOException("down"));
		});
		Supplier<Mono<String>> failingElsewhere = () -> Mono.<String>error(new IOException("down"))
			.publishOn(Schedulers.immediate())
			.doFirst(calls::incrementAndGet);
		for (Supplier<Mono<String>> inner : List.of(failing, failingElsewhere)) {
			outer.reactive(() -> this.feed.one(inner)).subscribe((x) -> {
			}, (x) -> {
			});
			this.time.runAll();
			counts.add("reactive in reactive " + calls.getAndSet(0));
			outer.reactive(() -> Mono.just("x").flatMap((x) -> this.feed.one(inner))).subscribe((x) -> {
			}, (x) -> {
			});
			this.time.runAll();
			counts.add("flatMap in reactive " + calls.getAndSet(0));
			outer.stage(() -> this.feed.one(inner).toFuture());
			this.time.runAll();
			counts.add("reactive in stage " + calls.getAndSet(0));
			outer.flux(() -> this.feed.one(inner).flux()).subscribe((x) -> {
			}, (x) -> {
			});
			this.time.runAll();
			counts.add("reactive in flux " + calls.getAndSet(0));
		}
		outer.reactive(() -> Mono.fromCallable(() -> this.feed.blocking(calls::incrementAndGet))).subscribe((x) -> {
		}, (x) -> {
		});
		this.time.runAll();
		counts.add("blocking in reactive " + calls.getAndSet(0));
		outer.stage(() -> {
			try {
				return CompletableFuture.completedFuture(this.feed.blocking(calls::incrementAndGet));
			}
			catch (IOException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		});
		this.time.runAll();
		counts.add("blocking in stage " + calls.getAndSet(0));
		assertThat(counts).allMatch((count) -> count.endsWith(" 4"));
	}

	@Test
	void countsNoCallsWhenAllHaveEnded() {
		feed.read(() -> Flux.range(1, 10)).take(1).blockLast();
		feed.read(() -> Flux.range(1, 10)).next().block();
		feed.read(() -> Flux.range(1, 10)).limitRate(2).blockLast();
		feed.read(() -> Flux.range(1, 10)).flatMap((n) -> feed.read(() -> Flux.just(n)), 2).blockLast();
		Flux.zip(feed.read(() -> Flux.range(1, 10)), feed.read(() -> Flux.range(1, 3))).blockLast();
		assertThat(feed.read(() -> Flux.range(1, 100)).publishOn(Schedulers.parallel(), 3).count().block())
			.isEqualTo(100);
		assertThat(feed.read(() -> Flux.range(1, 100)).share().count().block()).isEqualTo(100);
		Mono<String> cached = feed.one(() -> Mono.just("x")).cache();
		cached.block();
		cached.block();
		assertThat(registry.running()).isZero();
		assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(2);
	}

	public static class Outer {

		@Backoff
		public Mono<String> reactive(Supplier<Mono<String>> inner) {
			return inner.get();
		}

		@Backoff
		public Flux<String> flux(Supplier<Flux<String>> inner) {
			return inner.get();
		}

		@Backoff
		public CompletableFuture<String> stage(Supplier<CompletableFuture<String>> inner) {
			return inner.get();
		}

	}

	public static class Feed {

		@Backoff(jitter = "none")
		public Flux<Integer> read(Supplier<Flux<Integer>> attempt) {
			return attempt.get();
		}

		@Backoff(jitter = "none")
		public Publisher<Integer> publisher(Supplier<Publisher<Integer>> attempt) {
			return attempt.get();
		}

		@Backoff("limited")
		public Flux<Integer> limited(Supplier<Flux<Integer>> attempt) {
			return attempt.get();
		}

		@Backoff
		public Mono<String> one(Supplier<Mono<String>> attempt) {
			return attempt.get();
		}

		@Backoff
		public CompletableFuture<String> stage(Consumer<CompletableFuture<String>> attempt) {
			CompletableFuture<String> stage = new CompletableFuture<>();
			attempt.accept(stage);
			return stage;
		}

		@Backoff("limited")
		public Mono<String> limitedOne(Supplier<Mono<String>> attempt) {
			return attempt.get();
		}

		@Backoff
		public String blocking(Runnable attempt) throws IOException {
			attempt.run();
			throw new IOException("down");
		}

	}

}
