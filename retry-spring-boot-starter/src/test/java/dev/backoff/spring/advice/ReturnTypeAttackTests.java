package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Return types that are not what they look like. */
@Timeout(60)
@SuppressWarnings("unchecked") // what is declared as an object is known to be more
class ReturnTypeAttackTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);

	@Test
	void aTypeVariableIsWhatTheBeanMakesOfIt() {
		this.runner.withBean(Monos.class).withBean(Stages.class).run((context) -> {
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
	void aContractMayKnowLessThanTheClass() {
		for (boolean classes : new boolean[] { true, false }) {
			this.runner.withPropertyValues("spring.aop.proxy-target-class=" + classes)
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
