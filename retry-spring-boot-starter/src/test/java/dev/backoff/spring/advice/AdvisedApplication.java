package dev.backoff.spring.advice;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** Tests of an application in virtual time, with beans of their own for each. */
public abstract class AdvisedApplication {

	@AutoClose
	protected final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	protected final VirtualTime time = new VirtualTime();

	protected final RecordingListener listener = new RecordingListener();

	protected final void properties(String... pairs) {
		TestPropertyValues.of(pairs).applyTo(this.context);
	}

	protected final void start(Class<?>... beans) {
		start((context) -> Stream.of(beans).forEach(context::registerBean));
	}

	protected final void start(Consumer<GenericApplicationContext> beans) {
		this.context.registerBean(VirtualTime.class, () -> this.time);
		this.context.registerBean(RecordingListener.class, () -> this.listener);
		beans.accept(this.context);
		this.context.register(AopAutoConfiguration.class, BackoffAutoConfiguration.class);
		this.context.refresh();
	}

	/** Return how long a call that fails to the end has waited between its attempts. */
	protected final List<Duration> waits(ThrowingCallable call) {
		return AdviceContexts.waits(this.context, call);
	}

}
