package dev.backoff.spring.advice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@link AopContext} tells attempts that run after the proxy's call. */
class ExposedProxyTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void isTheOneOfThePlainCallAtEachAttempt(boolean exposing) {
		try (AnnotationConfigApplicationContext context = AdviceContexts.start((starting) -> {
			starting.registerBean("applicationTaskExecutor", Executor.class, () -> Runnable::run);
			starting.registerBean(Office.class);
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(starting);
			if (exposing) {
				AopConfigUtils.forceAutoProxyCreatorToExposeProxy(starting);
			}
		})) {
			Office office = context.getBean(Office.class);
			Stream
				.<Function<List<Boolean>, CompletableFuture<String>>>of(
						(seen) -> CompletableFuture.completedFuture(office.plain(seen)), office::later,
						(seen) -> office.reactive(seen).toFuture())
				.forEach((call) -> {
					List<Boolean> seen = new ArrayList<>();
					CompletableFuture<String> result = call.apply(seen);
					context.getBean(VirtualTime.class).runAll();
					assertThat(result).isCompletedWithValue("recovered");
					assertThat(seen).containsExactly(exposing, exposing, exposing, exposing);
					assertThat(isExposed()).isFalse();
				});
		}
	}

	private static boolean isExposed() {
		try {
			return AopContext.currentProxy() instanceof Office;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	public static class Office {

		@Backoff(maxAttempts = "3", recover = "recovered")
		public String plain(List<Boolean> seen) {
			return failing(seen);
		}

		@Backoff(maxAttempts = "3", recover = "recoveredLater")
		public CompletableFuture<String> later(List<Boolean> seen) {
			return CompletableFuture.completedFuture(failing(seen));
		}

		@Backoff(maxAttempts = "3", recover = "recoveredReactively")
		public Mono<String> reactive(List<Boolean> seen) {
			return Mono.just(failing(seen));
		}

		private static String failing(List<Boolean> seen) {
			seen.add(isExposed());
			throw new UncheckedIOException(new IOException("down"));
		}

		final String recovered(List<Boolean> seen) {
			seen.add(isExposed());
			return "recovered";
		}

		final CompletableFuture<String> recoveredLater(List<Boolean> seen) {
			return CompletableFuture.completedFuture(recovered(seen));
		}

		final Mono<String> recoveredReactively(List<Boolean> seen) {
			return Mono.just(recovered(seen));
		}

	}

}
