package dev.backoff.durable;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class DurableTracesTests {

	@TempDir
	Path directory;

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final Tracer tracer = new Tracer();

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withBean(ObservationRegistry.class, () -> this.registry)
			.withPropertyValues("backoff.durable.file=" + this.directory.resolve("calls"))
			.withUserConfiguration(Shop.class);
	}

	@Test
	void eachAttemptReceivesTheTraceOfTheSubmission() {
		this.registry.observationConfig().observationHandler(this.tracer);
		runner().run((context) -> {
			Shop.Journal journal = context.getBean(Shop.Journal.class);
			journal.when("o1", (attempt) -> {
				Observation current = this.registry.getCurrentObservation();
				this.tracer.lines.add("in " + ((current != null) ? current.getContext().getName() : null));
				if (attempt.number() < 2) {
					throw new IllegalStateException("down");
				}
				return "done";
			});
			context.getBean(Shop.Mails.class).send("o1");
			Awaitility.await().until(() -> this.tracer.lines.size() == 7);
			assertThat(this.tracer.lines).containsExactly("sends backoff.durable.submit",
					"receives 00-trace-01 backoff.durable.attempt", "in backoff.durable.attempt", "ends with down",
					"receives 00-trace-01 backoff.durable.attempt", "in backoff.durable.attempt", "ends with null");
		});
	}

	@Test
	void aHandlerThatThrowsFailsNothing() {
		ObservationHandler<?> broken = Mockito.mock(ObservationHandler.class, (call) -> {
			if (call.getMethod().getName().equals("supportsContext")) {
				return true;
			}
			throw new IllegalStateException(call.getMethod().getName());
		});
		this.registry.observationConfig().observationHandler(broken);
		runner().run((context) -> {
			context.getBean(Shop.Mails.class).send("o1");
			Awaitility.await().until(() -> context.getBean(DurableCalls.class).find("mails", "o1").isEmpty());
			assertThat(context.getBean(Shop.Journal.class).lines).containsExactly("o1 1");
		});
	}

	/** Sends and receives as tracers do. */
	static class Tracer implements ObservationHandler<Observation.Context> {

		final List<String> lines = new CopyOnWriteArrayList<>();

		@Override
		@SuppressWarnings("unchecked")
		public void onStart(Observation.Context context) {
			if (context instanceof SenderContext<?>) {
				SenderContext<Object> sender = (SenderContext<Object>) context;
				sender.getSetter().set(sender.getCarrier(), "traceparent", "00-trace-01");
				this.lines.add("sends " + context.getName());
			}
			else if (context instanceof ReceiverContext<?>) {
				ReceiverContext<Object> receiver = (ReceiverContext<Object>) context;
				this.lines.add("receives " + receiver.getGetter().get(receiver.getCarrier(), "traceparent") + " "
						+ context.getName());
			}
		}

		@Override
		public void onStop(Observation.Context context) {
			if (context instanceof ReceiverContext<?>) {
				Throwable failure = context.getError();
				this.lines.add("ends with " + ((failure != null) ? failure.getMessage() : null));
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
