package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Advice behind ours that differs between proxies, or changes. */
class InnerAdviceTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withBean("applicationTaskExecutor", Executor.class, () -> Runnable::run)
		.withBean("plain", Post.class)
		.withBean("marked", Post.class);

	private static MethodInterceptor appending(String mark) {
		return (invocation) -> {
			if (invocation.getArguments().length > 0 && invocation.getArguments()[0] instanceof String text) {
				invocation.getArguments()[0] = text + mark;
			}
			return invocation.proceed();
		};
	}

	@Test
	void changesTheArgumentsOfEachAttemptAnew() {
		this.runner.run((context) -> {
			Post plain = context.getBean("plain", Post.class);
			Post marked = context.getBean("marked", Post.class);
			((Advised) marked).addAdvice(appending("!"));
			assertThatIOException().isThrownBy(() -> plain.send("a"));
			assertThatIOException().isThrownBy(() -> marked.send("b"));
			assertThatIOException().isThrownBy(() -> plain.send("c"));
			assertThat(plain.sent()).containsExactly("a", "a", "a", "a", "c", "c", "c", "c");
			assertThat(marked.sent()).containsExactly("b!", "b!", "b!", "b!");
		});
	}

	@Test
	void changesTheArgumentsOfLaterAttemptsAnewToo() {
		this.runner.run((context) -> {
			VirtualTime time = context.getBean(VirtualTime.class);
			Post plain = context.getBean("plain", Post.class);
			Post marked = context.getBean("marked", Post.class);
			((Advised) marked).addAdvice(appending("!"));
			for (Post post : List.of(plain, marked, plain, marked)) {
				assertThat(post.sendLater("a")).isNotDone();
				time.runAll();
				post.sendWhenAsked("b").subscribe((sent) -> {
				}, (failure) -> {
				});
				time.runAll();
			}
			assertThat(plain.sent()).containsExactly("a", "a", "a", "a", "b", "b", "b", "b", "a", "a", "a", "a", "b",
					"b", "b", "b");
			assertThat(marked.sent()).containsExactly("a!", "a!", "a!", "a!", "b!", "b!", "b!", "b!", "a!", "a!", "a!",
					"a!", "b!", "b!", "b!", "b!");
		});
	}

	@Test
	void mayBeReplacedByOther() {
		this.runner.run((context) -> {
			Post marked = context.getBean("marked", Post.class);
			Advised proxy = (Advised) marked;
			DefaultPointcutAdvisor first = new DefaultPointcutAdvisor(appending("!"));
			proxy.addAdvisor(first);
			assertThatIOException().isThrownBy(() -> marked.send("a"));
			proxy.replaceAdvisor(first, new DefaultPointcutAdvisor(appending("?")));
			assertThatIOException().isThrownBy(() -> marked.send("b"));
			assertThat(marked.sent()).containsExactly("a!", "a!", "a!", "a!", "b?", "b?", "b?", "b?");
		});
	}

	@Test
	void mayBeAddedBetweenCallsAndRunsAtTheFirstAttemptToo() {
		this.runner.run((context) -> {
			Post marked = context.getBean("marked", Post.class);
			assertThatIOException().isThrownBy(() -> marked.send("a"));
			((Advised) marked).addAdvice(appending("!"));
			assertThatIOException().isThrownBy(() -> marked.send("b"));
			assertThat(marked.sent()).startsWith("a", "a", "a", "a", "b!").hasSize(8);
			assertThatIOException().isThrownBy(() -> marked.send("c"));
			assertThat(marked.sent()).endsWith("c!", "c!", "c!", "c!").hasSize(12);
		});
	}

	@Test
	void runsAtNoAttemptOfTheCallThatIsUnderWay() {
		this.runner.run((context) -> {
			Post marked = context.getBean("marked", Post.class);
			Advised proxy = (Advised) marked;
			DefaultPointcutAdvisor added = new DefaultPointcutAdvisor(appending("!"));
			marked.whenSent(() -> {
				if (proxy.indexOf(added) < 0) {
					proxy.addAdvisor(added);
				}
			});
			assertThatIOException().isThrownBy(() -> marked.send("a"));
			assertThatIOException().isThrownBy(() -> marked.send("b"));
			marked.whenSent(() -> proxy.removeAdvisor(added));
			assertThatIOException().isThrownBy(() -> marked.send("c"));
			assertThatIOException().isThrownBy(() -> marked.send("d"));
			assertThat(marked.sent()).containsExactly("a", "a", "a", "a", "b!", "b!", "b!", "b!", "c!", "c!", "c!",
					"c!", "d", "d", "d", "d");
		});
	}

	@Test
	void ofTwoProxiesOnTwoThreadsIsNotMixedUp() {
		this.runner.run((context) -> {
			Post plain = context.getBean("plain", Post.class);
			Post marked = context.getBean("marked", Post.class);
			((Advised) marked).addAdvice(appending("!"));
			List<CompletableFuture<Void>> ends = new ArrayList<>();
			for (Post post : List.of(plain, marked)) {
				ends.add(CompletableFuture.runAsync(() -> {
					for (int i = 0; i < 500; i++) {
						assertThatIOException().isThrownBy(() -> post.send("a"));
					}
				}));
			}
			ends.forEach(CompletableFuture::join);
			assertThat(plain.sent()).hasSize(2_000).containsOnly("a");
			assertThat(marked.sent()).hasSize(2_000).containsOnly("a!");
		});
	}

	public static class Post {

		private final List<String> sent = new CopyOnWriteArrayList<>();

		private Runnable whenSent = () -> {
		};

		public void whenSent(Runnable action) {
			this.whenSent = action;
		}

		public List<String> sent() {
			return this.sent;
		}

		@Backoff(budget = "none")
		public void send(String letter) throws IOException {
			this.sent.add(letter);
			this.whenSent.run();
			throw new IOException("down");
		}

		@Backoff(budget = "none")
		public CompletableFuture<Void> sendLater(String letter) {
			this.sent.add(letter);
			return CompletableFuture.failedFuture(new IOException("down"));
		}

		@Backoff(budget = "none")
		public Mono<Void> sendWhenAsked(String letter) {
			this.sent.add(letter);
			return Mono.error(new IOException("down"));
		}

	}

}
