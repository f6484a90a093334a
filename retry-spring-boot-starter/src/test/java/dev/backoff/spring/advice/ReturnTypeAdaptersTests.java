package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** The types that methods may return. */
class ReturnTypeAdaptersTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);

	@Nested
	class TypesOfOtherLibraries {

		@Test
		void areRetriedAsWhatTheyAre() {
			runner.withBean(Others.class).run((context) -> {
				Others bean = context.getBean(Others.class);
				TestObserver<String> single = bean.single().test();
				TestObserver<String> maybe = bean.maybe().test();
				TestObserver<String> several = bean.observable().test();
				TestObserver<Void> ended = bean.completable().test();
				AtomicReference<String> published = new AtomicReference<>();
				Mono.from(bean.publisher()).subscribe(published::set);
				context.getBean(VirtualTime.class).runAll();
				single.assertResult("attempt 3");
				maybe.assertResult("attempt 3");
				several.assertResult("attempt 3", "the end");
				ended.assertResult();
				assertThat(published).hasValue("attempt 3");
			});
		}

		@Test
		void areRecoveredByTheirOwn() {
			runner.withBean(Others.class).run((context) -> {
				TestObserver<String> recovered = context.getBean(Others.class).recovered().test();
				context.getBean(VirtualTime.class).runAll();
				recovered.assertResult("parked");
			});
		}

	}

	@Nested
	class WithoutReactor {

		@ParameterizedTest
		@ValueSource(classes = { MonoOnly.class, FlowOnly.class, SingleOnly.class })
		void whatNeedsItIsRefused(Class<?> type) {
			runner.withClassLoader(new FilteredClassLoader("reactor.core.publisher"))
				.withBean(type)
				.run((context) -> assertThat(context).getFailure()
					.hasMessageStartingWith(
							"@Backoff on " + type.getSimpleName() + ".place(): is on a method that returns a ")
					.hasMessageEndingWith(", and io.projectreactor:reactor-core is not on the class path. "
							+ "Add the dependency io.projectreactor:reactor-core."));
		}

		@Test
		void aTypeThatReachesItIsRefused() {
			runner.withClassLoader(new FilteredClassLoader("reactor.core.publisher"))
				.withBean(AnnotatedType.class)
				.run((context) -> assertThat(context).getFailure()
					.hasMessageStartingWith(
							"@Backoff on AnnotatedType: reaches AnnotatedType.place(), which returns a Mono, and "));
		}

		@Test
		void everythingElseWorks() {
			runner.withClassLoader(new FilteredClassLoader("reactor.core.publisher", "kotlin"))
				.withBean(Futures.class)
				.run((context) -> {
					CompletableFuture<String> sent = context.getBean(Futures.class).send();
					context.getBean(VirtualTime.class).runAll();
					assertThat(sent).isCompletedWithValue("attempt 2");
				});
		}

	}

	@Nested
	class WhatFailsLater {

		@Test
		void isRetriedAtTheCallOnly() {
			runner.withBean(Lazy.class).run((context) -> {
				assertThat(context.getBean(Lazy.class).stream()).containsExactly("attempt 2");
				assertThat(context.getBean(RecordingListener.class).succeeded()).hasSize(1);
			});
		}

		@Test
		void andCouldNotBeGivenBackIsRefused() {
			runner.withBean(Tasks.class)
				.run((context) -> assertThat(context).getFailure()
					.hasMessage(
							"@Backoff on Tasks.place(): is on a method that returns a ForkJoinTask, which its caller "
									+ "could not be given. Declare a CompletableFuture or a CompletionStage."));
		}

	}

	private static String attempt(int succeedAt) throws IOException {
		int attempt = Attempt.current().number();
		if (attempt < succeedAt) {
			throw new IOException("attempt " + attempt);
		}
		return "attempt " + attempt;
	}

	@Nested
	@SuppressWarnings("unchecked") // what is declared as an object is known to be more
	class DeclaredTypes {

		@Test
		void withAVariableAreThoseOfTheBean() {
			runner.withBean(Monos.class).withBean(Stages.class).run((context) -> {
				VirtualTime time = context.getBean(VirtualTime.class);
				Monos monos = context.getBean(Monos.class);
				CompletableFuture<String> found = monos.find("a").toFuture();
				time.runAll();
				assertThat(found).isCompletedWithValue("found at 3");
				CompletableFuture<String> stage = context.getBean(Stages.class).find("a");
				time.runAll();
				assertThat(stage).isCompletedWithValue("found at 3");
			});
		}

		@Test
		void ofAContractMayBeWiderThanThoseOfTheClass() {
			for (boolean classes : new boolean[] { true, false }) {
				runner.withPropertyValues("spring.aop.proxy-target-class=" + classes)
					.withBean(Narrow.class)
					.run((context) -> {
						VirtualTime time = context.getBean(VirtualTime.class);
						Wide wide = context.getBean(Wide.class);
						CompletableFuture<String> published = Mono.from(wide.published()).toFuture();
						time.runAll();
						assertThat(published).isCompletedWithValue("3");
						CompletionStage<String> staged = wide.staged();
						time.runAll();
						assertThat(staged.toCompletableFuture()).isCompletedWithValue("3");
						Future<String> future = wide.future();
						time.runAll();
						assertThat(future.get()).isEqualTo("3");
						CompletableFuture<Object> any = ((Mono<Object>) wide.any()).toFuture();
						time.runAll();
						assertThat(any).isCompletedWithValue("3");
						CompletableFuture<String> byDefault = Flux.from(wide.byDefault()).next().toFuture();
						time.runAll();
						assertThat(byDefault).isCompletedWithValue("3");
					});
			}
		}

	}

	public static class Others {

		@Backoff
		public Single<String> single() {
			return Single.fromCallable(() -> attempt(3));
		}

		@Backoff
		public Maybe<String> maybe() {
			return Maybe.fromCallable(() -> attempt(3));
		}

		@Backoff
		public Observable<String> observable() {
			return Observable.fromCallable(() -> attempt(3)).concatWith(Observable.just("the end"));
		}

		@Backoff
		public Completable completable() {
			return Completable.fromAction(() -> attempt(3));
		}

		@Backoff
		public Publisher<String> publisher() {
			return Flux.defer(() -> Mono.fromCallable(() -> attempt(3)));
		}

		@Backoff(recover = "park")
		public Single<String> recovered() {
			return Single.error(new IOException("down"));
		}

		Single<String> park() {
			return Single.just("parked");
		}

	}

	public static class MonoOnly {

		@Backoff
		public Mono<String> place() {
			return Mono.empty();
		}

	}

	public static class FlowOnly {

		@Backoff
		public Flow.Publisher<String> place() {
			throw new UnsupportedOperationException();
		}

	}

	public static class SingleOnly {

		@Backoff
		public Single<String> place() {
			return Single.never();
		}

	}

	@Backoff
	public static class AnnotatedType {

		public Mono<String> place() {
			return Mono.empty();
		}

	}

	public static class Futures {

		@Backoff
		public CompletableFuture<String> send() throws IOException {
			return CompletableFuture.completedFuture(attempt(2));
		}

	}

	public static class Lazy {

		@Backoff
		public Stream<String> stream() throws IOException {
			return Stream.of(attempt(2));
		}

	}

	public static class Tasks {

		@Backoff
		public ForkJoinTask<String> place() {
			throw new UnsupportedOperationException();
		}

	}

	abstract static class Finder<K, R> {

		final AtomicInteger calls = new AtomicInteger();

		@Backoff
		public R find(K key) {
			return found(key);
		}

		abstract R found(K key);

	}

	static class Monos extends Finder<String, Mono<String>> {

		@Override
		Mono<String> found(String key) {
			int call = this.calls.incrementAndGet();
			return (call < 3) ? Mono.error(new IOException("down")) : Mono.just("found at " + call);
		}

	}

	static class Stages extends Finder<String, CompletableFuture<String>> {

		@Override
		CompletableFuture<String> found(String key) {
			int call = this.calls.incrementAndGet();
			return (call < 3) ? CompletableFuture.failedFuture(new IOException("down"))
					: CompletableFuture.completedFuture("found at " + call);
		}

	}

	interface Wide {

		Publisher<String> published();

		CompletionStage<String> staged();

		Future<String> future();

		Object any();

		@Backoff
		default Publisher<String> byDefault() {
			return Mono.fromCallable(this::count);
		}

		String count() throws IOException;

	}

	@Backoff
	static class Narrow implements Wide {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public Mono<String> published() {
			return Mono.fromCallable(this::count);
		}

		@Override
		public CompletableFuture<String> staged() {
			try {
				return CompletableFuture.completedFuture(count());
			}
			catch (IOException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public CompletableFuture<String> future() {
			return staged();
		}

		@Override
		public Mono<String> any() {
			return published();
		}

		@Override
		@Backoff(maxAttempts = "1")
		public String count() throws IOException {
			int call = this.calls.incrementAndGet();
			if (call < 3) {
				throw new IOException("down");
			}
			this.calls.set(0);
			return String.valueOf(call);
		}

	}

}
