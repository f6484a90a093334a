package dev.backoff.spring.advice;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.ScopeNotActiveException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** What later attempts see of the caller's thread: what has an accessor, nothing else. */
class CarriedContextTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				BackoffAutoConfiguration.class))
		.withPropertyValues("spring.task.execution.pool.core-size=1")
		.withUserConfiguration(Scoped.class)
		.withBean(VirtualTime.class)
		.withBean(Work.class);

	private @Nullable ThreadLocalAccessor<?> registered;

	private void register(ThreadLocalAccessor<?> accessor) {
		ContextRegistry.getInstance().registerThreadLocalAccessor(accessor);
		this.registered = accessor;
	}

	@AfterEach
	void forget() {
		MDC.clear();
		RequestContextHolder.resetRequestAttributes();
		if (this.registered != null) {
			ContextRegistry.getInstance().removeThreadLocalAccessor(String.valueOf(this.registered.key()));
		}
	}

	@Test
	void isTheMdcIfItHasAnAccessor() {
		register(new Slf4jThreadLocalAccessor());
		this.runner.run((context) -> {
			MDC.put("user", "anna");
			CompletableFuture<String> result = context.getBean(Work.class).run(3);
			MDC.put("user", "somebody else");
			finish(result, context);
			assertThat(context.getBean(Work.class).users()).containsExactly("anna", "anna", "anna");
			assertThat(userOnTheExecutor(context)).isNull();
		});
	}

	@Test
	void isNotTheMdcOtherwise() {
		this.runner.run((context) -> {
			MDC.put("user", "anna");
			finish(context.getBean(Work.class).run(3), context);
			assertThat(context.getBean(Work.class).users()).containsExactly("anna", "null", "null");
		});
	}

	@Test
	void isTheRequestIfItHasAnAccessor() {
		register(new RequestAttributesThreadLocalAccessor());
		this.runner.run((context) -> {
			RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
			context.getBean(Basket.class).add("tea");
			CompletableFuture<String> result = context.getBean(Work.class).order(3);
			finish(result, context);
			assertThat(result).isCompletedWithValue("[tea] at attempt 3");
		});
	}

	@Test
	void isNotTheRequestOtherwiseAndSaysSo() {
		this.runner.run((context) -> {
			RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
			context.getBean(Basket.class).add("tea");
			CompletableFuture<String> result = context.getBean(Work.class).order(3);
			finish(result, context);
			assertThat(result.handle((value, failure) -> failure).join()).isInstanceOf(ScopeNotActiveException.class)
				.hasMessageContaining("Scope 'request' is not active for the current thread");
		});
	}

	@ParameterizedTest
	@EnumSource(Moment.class)
	void costsNoCallItsEndWhenAnAccessorThrows(Moment moment) {
		register(new Slf4jThreadLocalAccessor());
		Failing failing = new Failing(moment);
		ContextRegistry.getInstance().registerThreadLocalAccessor(failing);
		try {
			this.runner.run((context) -> {
				MDC.put("user", "anna");
				CompletableFuture<String> result = context.getBean(Work.class).run(3);
				finish(result, context);
				assertThat(result).isCompleted();
				if (moment != Moment.TAKEN) {
					assertThat(context.getBean(Work.class).users()).containsExactly("anna", "anna", "anna");
				}
				assertThat(failing.thrown()).isPositive();
				assertThat(userOnTheExecutor(context)).isNull();
			});
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("failing");
		}
	}

	private static void finish(CompletableFuture<String> result, BeanFactory context) {
		VirtualTime time = context.getBean(VirtualTime.class);
		while (!result.isDone()) {
			time.runNext();
		}
	}

	private static @Nullable String userOnTheExecutor(BeanFactory context) throws Exception {
		return CompletableFuture
			.supplyAsync(() -> MDC.get("user"), context.getBean("applicationTaskExecutor", Executor.class))
			.get(30, TimeUnit.SECONDS);
	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@RequestScope
		Basket basket() {
			return new Basket();
		}

	}

	/** One for each request. */
	static class Basket {

		private final List<String> items = new CopyOnWriteArrayList<>();

		void add(String item) {
			this.items.add(item);
		}

		List<String> items() {
			return this.items;
		}

	}

	static class Work {

		private final List<String> users = new CopyOnWriteArrayList<>();

		private final Basket basket;

		Work(Basket basket) {
			this.basket = basket;
		}

		@Backoff
		CompletableFuture<String> run(int succeedAt) {
			this.users.add(String.valueOf(MDC.get("user")));
			int attempt = Attempt.current().number();
			return (attempt < succeedAt)
					? CompletableFuture.failedFuture(new IllegalStateException("attempt " + attempt))
					: CompletableFuture.completedFuture("done");
		}

		@Backoff
		CompletableFuture<String> order(int succeedAt) {
			int attempt = Attempt.current().number();
			String items = this.basket.items().toString();
			return (attempt < succeedAt)
					? CompletableFuture.failedFuture(new IllegalStateException("attempt " + attempt))
					: CompletableFuture.completedFuture(items + " at attempt " + attempt);
		}

		List<String> users() {
			return this.users;
		}

	}

	/** When an accessor throws: on the thread of the caller, and else on another one. */
	private enum Moment {

		TAKEN, SEEN, BOUND, RESTORED

	}

	/** Carry a value, but for one moment. */
	private static final class Failing implements ThreadLocalAccessor<String> {

		private final Thread caller = Thread.currentThread();

		private final AtomicInteger thrown = new AtomicInteger();

		private final Moment moment;

		Failing(Moment moment) {
			this.moment = moment;
		}

		@Override
		public Object key() {
			return "failing";
		}

		@Override
		public @Nullable String getValue() {
			boolean called = Thread.currentThread() == this.caller;
			failAt(called ? Moment.TAKEN : Moment.SEEN);
			return called ? "value" : null;
		}

		@Override
		public void setValue(String value) {
			failAt(Moment.BOUND);
		}

		@Override
		public void setValue() {
			failAt(Moment.RESTORED);
		}

		private void failAt(Moment moment) {
			if (moment == this.moment) {
				this.thrown.incrementAndGet();
				throw new IllegalStateException(moment.name());
			}
		}

		int thrown() {
			return this.thrown.get();
		}

	}

}
