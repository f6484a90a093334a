package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What is processed ahead of time behaves as what is not: read where it runs, checked
 * where it runs, and switched off there.
 */
@CompileWithForkedClassLoader
@ExtendWith(OutputCaptureExtension.class)
class AheadOfTimeTests {

	@Test
	void isConfiguredAndSwitchedOffWhereItRuns() {
		AotApplication.of(Orders.class).builtWith("backoff.policies.orders.max-attempts", "2").compile((starter) -> {
			starter.run(Map.of(), (context) -> {
				assertThat(context.getBean(Orders.class).place(2)).isEqualTo("placed at attempt 3");
				assertThat(context.getBean(Orders.class).place(9)).isEqualTo("recovered from attempt 4");
			});
			starter.run(Map.of("backoff.policies.orders.max-attempts", "6"),
					(context) -> assertThat(context.getBean(Orders.class).place(5)).isEqualTo("placed at attempt 6"));
			starter.run(Map.of("backoff.enabled", "false"),
					(context) -> assertThatThrownBy(() -> context.getBean(Orders.class).place(1))
						.hasMessage("attempt 1")
						.hasNoSuppressedExceptions());
			starter.run(Map.of("backoff.retries-enabled", "false"),
					(context) -> assertThat(context.getBean(Orders.class).place(1))
						.isEqualTo("recovered from attempt 1"));
		});
	}

	@Test
	void isSwitchedOnWhereItRuns() {
		AotApplication.of(Orders.class)
			.builtWith("backoff.enabled", "false")
			.compile((starter) -> starter.run(Map.of(),
					(context) -> assertThat(context.getBean(Orders.class).place(1)).isEqualTo("placed at attempt 2")));
	}

	@Test
	void isCheckedWhereItRuns(CapturedOutput output) {
		AotApplication.of(Callbacks.class).compile((starter) -> {
			assertThat(output).contains("Stops the start-up if it is configured so: @Backoff on Callbacks.send(): "
					+ "invalid value (callbacks): names a policy that is not defined.");
			assertThat(refusal(starter, Map.of())).contains("names a policy that is not defined");
			Map<String, String> configuration = Map.of("backoff.policies.callbacks.base", "1ms");
			starter.run(configuration,
					(context) -> assertThat(context.getBean(Callbacks.class).send()).isEqualTo("sent"));
			assertThat(refusal(starter, Map.of("backoff.policies.callbacks.cap", "-1s")))
				.contains("Invalid backoff.policies.callbacks.cap (-1s)");
			assertThat(refusal(starter, Map.of("backoff.policies.callbacks.base", "1ms", "backoff.mode", "aspectj")))
				.contains("Invalid backoff.mode (aspectj): needs the module dev.backoff:retry-aspectj");
		});
	}

	/* Spring forgets it, and would make a subclass. */
	@Test
	void cannotBeProxyable() {
		AotApplication.of(Sealed.class)
			.compile((starter) -> assertThat(refusal(starter, Map.of()))
				.contains("set spring.aop.proxy-target-class to false: processing ahead of time loses @Proxyable."));
	}

	@Test
	void advisesByInterfacesWhereAllBeansAreProxiedSo() {
		Map<String, String> byInterfaces = Map.of("spring.aop.proxy-target-class", "false");
		AotApplication.of(Sealed.class)
			.builtWith("spring.aop.proxy-target-class", "false")
			.compile((starter) -> starter.run(byInterfaces,
					(context) -> assertThat(context.getBean(Contract.class).call()).isEqualTo("called")));
	}

	private static String refusal(AotApplication.Starter starter, Map<String, String> configuration) {
		Throwable failure = catchThrowable(() -> starter.run(configuration, (context) -> {
		}));
		assertThat(failure).isInstanceOf(InvalidBackoffException.class);
		return ((InvalidBackoffException) failure).problems().toString();
	}

	public static class Orders {

		private final AtomicInteger attempts = new AtomicInteger();

		@Backoff(value = "orders", base = "1ms", recover = "recover")
		public String place(int failures) {
			int attempt = this.attempts.incrementAndGet();
			if (attempt <= failures) {
				throw new UncheckedIOException("attempt " + attempt, new IOException());
			}
			this.attempts.set(0);
			return "placed at attempt " + attempt;
		}

		String recover(int failures, UncheckedIOException failure) {
			this.attempts.set(0);
			return "recovered from " + failure.getMessage();
		}

	}

	public static class Callbacks {

		private final AtomicInteger attempts = new AtomicInteger();

		@Backoff("callbacks")
		public String send() {
			if (this.attempts.incrementAndGet() < 2) {
				throw new UncheckedIOException(new IOException());
			}
			return "sent";
		}

	}

	public interface Contract {

		String call();

	}

	@Proxyable(ProxyType.INTERFACES)
	public static final class Sealed implements Contract {

		private final AtomicInteger attempts = new AtomicInteger();

		@Override
		@Backoff(base = "1ms", retryOn = IllegalArgumentException.class)
		public String call() {
			if (this.attempts.incrementAndGet() < 2) {
				throw new IllegalArgumentException();
			}
			return "called";
		}

	}

}
