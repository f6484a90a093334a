package dev.backoff.spring.advice;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.CharBuffer;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.fixture.Memory;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.key.KeyTable;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.policy.AnnotatedMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

@ExtendWith(OutputCaptureExtension.class)
class KeyedMethodsTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Partner.class)
		.withPropertyValues("backoff.breakers.partner.minimum-calls=5");

	private static void fail(Partner partner, @Nullable String tenant, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(catchThrowable(() -> partner.ask(tenant, true))).isNotNull();
		}
	}

	private static double meter(MeterRegistry meters, String name, String... tags) {
		return meters.get(name).tags(tags).meter().measure().iterator().next().getValue();
	}

	@Test
	void outageOfOneTenant_rejectsItsCallsOnly(CapturedOutput output) {
		this.runner.run((context) -> {
			Partner partner = context.getBean(Partner.class);
			for (int i = 0; i < 40; i++) {
				fail(partner, "failing-tenant", 1);
				if (i % 4 == 3) {
					assertThat(partner.ask("other " + i, false)).isEqualTo("fine");
				}
			}
			assertThat(catchThrowable(() -> partner.ask("failing-tenant", false)))
				.isInstanceOf(CircuitOpenException.class)
				.hasMessageNotContaining("tenant");
			assertThat(partner.ask(null, false)).isEqualTo("fine");
			CircuitBreakers breakers = context.getBean(CircuitBreakers.class);
			assertThat(breakers.get("partner", "failing-tenant").state()).isEqualTo(BreakerState.OPEN);
			assertThat(breakers.get("partner").state()).isEqualTo(BreakerState.CLOSED);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meter(meters, "backoff.keys", "kind", "breaker", "name", "partner")).isEqualTo(11);
			assertThat(meter(meters, "backoff.breaker.state", "state", "open")).isEqualTo(1);
			assertThat(meter(meters, "backoff.breaker.state", "state", "closed")).as("and the shared one")
				.isEqualTo(11);
			assertThat(meters.getMeters()).noneMatch((meter) -> meter.getId().toString().contains("tenant"));
		});
		assertThat(output).contains("A key of breaker partner went from closed to open")
			.doesNotContain("failing-tenant");
	}

	@Test
	void eachKindOfMethod_hasTheBreakerOfItsKey() {
		this.runner.run((context) -> {
			Partner partner = context.getBean(Partner.class);
			CircuitBreakers breakers = context.getBean(CircuitBreakers.class);
			breakers.get("partner", "down").forceOpen();
			assertThat(catchThrowable(() -> partner.ask("down", false))).isInstanceOf(CircuitOpenException.class);
			assertThat(partner.later("down")).isCompletedExceptionally();
			assertThat(partner.later("up")).isCompletedWithValue("fine");
			assertThat(catchThrowable(() -> partner.reactive(new Question("down", 1)).block()))
				.isInstanceOf(CircuitOpenException.class);
			assertThat(partner.reactive(new Question("up", 1)).block()).isEqualTo("fine");
			assertThat(partner.withoutKey()).isEqualTo("fine");
		});
	}

	@Test
	void noRoom_sharedCountedAndToldOnce(CapturedOutput output) {
		this.runner.withPropertyValues("backoff.breakers.partner.window=1h").run((context) -> {
			Partner partner = context.getBean(Partner.class);
			for (int tenant = 0; tenant < KeyTable.MOST; tenant++) {
				fail(partner, "tenant " + tenant, 1);
			}
			for (int tenant = 0; tenant < 7; tenant++) {
				assertThat(partner.ask("another " + tenant, false)).isEqualTo("fine");
			}
			context.getBean(VirtualTime.class).advance(Duration.ofMinutes(1));
			assertThat(partner.ask("another", false)).isEqualTo("fine");
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meter(meters, "backoff.keys.overflow")).isEqualTo(8);
			assertThat(meter(meters, "backoff.keys.evicted", "reason", "capacity")).isZero();
			assertThat(meter(meters, "backoff.keys.evicted", "reason", "idle")).isZero();
			assertThat(context.getBean(CircuitBreakers.class).get("partner").counts().total()).isEqualTo(8);
		});
		assertThat(output.getOut().split("Policy partner has 1000 keys", -1)).hasSize(2);
	}

	@Test
	void keyThatCannotBeRead_isSharedAndReportedOnce() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Partner.class).reactive(null).block()).isEqualTo("fine");
			assertThat(context.getBean(RecordingListener.class).hookFailures()).singleElement()
				.matches((event) -> event.hook().equals("key"));
		});
	}

	@Test
	void twoTypesOfKeyInOnePolicy_reported() {
		this.runner.withBean(TwoTypes.class).withPropertyValues("backoff.policies.two.base=1s").run((context) -> {
			Throwable failure = context.getStartupFailure();
			assertThat(failure).isInstanceOf(InvalidBackoffException.class);
			assertThat(((InvalidBackoffException) failure).problems()).singleElement()
				.hasToString(new Problem(
						"@Backoff on TwoTypes.b(Long): invalid per (#tenant): gives a Long, and that of TwoTypes.a, of "
								+ "the same policy two, a String.",
						"Give keys of one type, or give one of the methods a policy of its own.")
					.toString());
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			text       | java.lang.String    | acme
			chars      | java.lang.String    | acme
			number     | java.lang.Integer   | 7
			word       | java.time.DayOfWeek | MONDAY
			id         | java.util.UUID      | 00000000-0000-0007-0000-000000000007
			property   | java.lang.String    | acme
			argument   |                     | acme
			unknown    |                     | acme
			""")
	void readsKeys(String method, @Nullable String type, String key) {
		KeyExpression expression = expression(method);
		assertThat((expression.type() != null) ? expression.type().getName() : null).isEqualTo(type);
		Object read = expression.apply(call(argument(method)));
		assertThat(read).hasToString(key);
		assertThat(read).isEqualTo(expression.apply(call(argument(method))));
		assertThat(method.equals("property") ? null : expression.apply(call((Object) null))).isNull();
	}

	private static Object argument(String method) {
		return Map
			.<String, Object>of("chars", CharBuffer.wrap("acme"), "number", 7, "word", DayOfWeek.MONDAY, "id",
					new UUID(7, 7), "property", new Question("acme", 1))
			.getOrDefault(method, "acme");
	}

	@Test
	void anotherType_refusedWithoutTellingTheValue() {
		assertThatIllegalStateException().isThrownBy(() -> expression("unknown").apply(call(List.of("secret"))))
			.withMessageMatching(
					"The expression #key gave a java.util\\S+ instead of a text, a number, an enum or a UUID");
	}

	@Test
	void parameterAlone_isReadWithoutAnAllocation() {
		KeyExpression expression = expression("text");
		MethodInvocation call = call("acme");
		List<Object> read = new ArrayList<>(List.of(""));
		assertThat(Memory.allocatedBy(() -> read.set(0, Objects.requireNonNull(expression.apply(call))))).isZero();
		assertThat(read).containsExactly("acme");
	}

	private static Method method(String name) {
		return Arrays.stream(Keys.class.getDeclaredMethods())
			.filter((one) -> one.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static KeyExpression expression(String name) {
		List<Problem> problems = new ArrayList<>();
		KeyExpression expression = KeyExpression.of(AnnotatedMethod.of(method(name), Keys.class), problems);
		assertThat(problems).isEmpty();
		return Objects.requireNonNull(expression);
	}

	private static MethodInvocation call(@Nullable Object argument) {
		return new ReflectiveMethodInvocation("proxy", null, method("unknown"), new Object[] { argument }, null,
				List.of()) {
		};
	}

	static class Partner {

		@Backoff(value = "partner", breaker = "partner", maxAttempts = "1", per = "#tenant")
		public String ask(@Nullable String tenant, boolean failing) throws IOException {
			if (failing) {
				throw new IOException("down");
			}
			return "fine";
		}

		@Backoff(value = "partner", breaker = "partner", per = "#tenant")
		public CompletableFuture<String> later(String tenant) {
			return CompletableFuture.completedFuture("fine");
		}

		@Backoff(value = "partner", breaker = "partner", per = "#question.tenant")
		public Mono<String> reactive(@Nullable Question question) {
			return Mono.just("fine");
		}

		@Backoff(value = "partner", breaker = "partner")
		public String withoutKey() {
			return "fine";
		}

	}

	record Question(String tenant, int number) {
	}

	static class TwoTypes {

		@Backoff(value = "two", per = "#tenant")
		public void a(String tenant) {
		}

		@Backoff(value = "two", per = "#tenant")
		public void b(Long tenant) {
		}

	}

	interface Keys {

		@Backoff(per = "#key")
		void text(String key);

		@Backoff(per = "#key")
		void chars(CharSequence key);

		@Backoff(per = "#key")
		void number(int key);

		@Backoff(per = "#key")
		void word(DayOfWeek key);

		@Backoff(per = "#key")
		void id(UUID key);

		@Backoff(per = "#key.tenant")
		void property(Question key);

		@Backoff(per = "#root.args[0]")
		void argument(String key);

		@Backoff(per = "#key")
		void unknown(Object key);

	}

}
