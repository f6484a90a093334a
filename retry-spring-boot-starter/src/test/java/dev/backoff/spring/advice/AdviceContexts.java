package dev.backoff.spring.advice;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Applications in virtual time. */
public final class AdviceContexts {

	/** Start from what a plain application has. */
	static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(VirtualTime.class)
			.withBean(RecordingListener.class);
	}

	/** Start an application with these beans, for a test that closes it. */
	static AnnotationConfigApplicationContext start(Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(VirtualTime.class);
		context.registerBean(RecordingListener.class);
		beans.accept(context);
		context.register(AopAutoConfiguration.class, BackoffAutoConfiguration.class);
		context.refresh();
		return context;
	}

	/** Return how long a call that fails to the end has waited between its attempts. */
	static List<Duration> waits(BeanFactory context, ThrowingCallable call) {
		return context.getBean(VirtualTime.class)
			.delaysOf(() -> assertThatExceptionOfType(Failure.class).isThrownBy(call));
	}

	/** A checked failure. */
	public static final class Failure extends Exception {

		private static final long serialVersionUID = 1L;

		Failure(String message) {
			super(message);
		}

	}

}
