package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Methods that Spring makes asynchronous. */
class AsyncAnnotationTests {

	private final IOException failure = new IOException("down");

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
		.withUserConfiguration(Asynchronous.class)
		.withBean(Mails.class);

	@Test
	void isRetriedInside() {
		this.runner.run((context) -> {
			CountDownLatch begin = new CountDownLatch(1);
			CompletableFuture<String> sent = context.getBean(Mails.class).send(begin, 3, this.failure);
			assertThat(sent).isNotDone();
			begin.countDown();
			letTimePass(context.getBean(VirtualTime.class), sent);
			assertThat(sent.join()).startsWith("attempt 3 on ");
		});
	}

	@Test
	void endsWithTheExceptionItself() {
		this.runner.run((context) -> {
			CompletableFuture<String> sent = context.getBean(Mails.class).send(new CountDownLatch(0), 9, this.failure);
			letTimePass(context.getBean(VirtualTime.class), sent);
			// Spring wraps it, whatever the method is annotated with besides
			assertThat(sent.handle((value, thrown) -> thrown).join()).hasCause(this.failure);
			assertThat(RetriesStoppedException.of(this.failure).attempts()).isEqualTo(4);
		});
	}

	private static void letTimePass(VirtualTime time, CompletableFuture<?> sent) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).pollDelay(0, TimeUnit.MILLISECONDS).until(() -> {
			time.runAll();
			return sent.isDone();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

	}

	public static class Mails {

		@Async
		@Backoff
		public CompletableFuture<String> send(CountDownLatch begin, int succeedAt, IOException failure)
				throws Exception {
			begin.await();
			int attempt = Attempt.current().number();
			return (attempt < succeedAt) ? CompletableFuture.failedFuture(failure) : CompletableFuture
				.completedFuture("attempt " + attempt + " on " + Thread.currentThread().getName());
		}

	}

}
