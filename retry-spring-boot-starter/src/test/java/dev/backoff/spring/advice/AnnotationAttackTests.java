package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Annotations that nobody writes, except by accident or in anger. */
class AnnotationAttackTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner();

	@Nested
	class Expressions {

		@ParameterizedTest
		@ValueSource(strings = { "T(java.lang.Runtime).getRuntime().exec('x') != null",
				"new java.lang.ProcessBuilder('x').start() != null", "@environment != null", "#root.args[0] = null",
				"#result++ == 1", "#func() == 1", "&factory != null",
				"#root.args[0].?[T(java.lang.Runtime) != null].size() == 0", "{T(java.lang.Runtime)}.size() == 1",
				"#root.class != null", "#systemProperties != null", "systemProperties['user.home'] != null" })
		void reachNoTypesConstructorsBeansOrAssignments(String text) {
			List<Problem> problems = new ArrayList<>();
			ResultExpression.parse("attack", text, ResolvableType.forClass(Object.class), problems);
			assertThat(problems).isNotEmpty();
		}

		@ParameterizedTest
		@ValueSource(strings = { "#result.class.name != null", "#result.getClass().name != null",
				"#root.args[0].class.classLoader != null",
				"#root.args[0].getClass().forName('java.lang.Runtime') != null",
				"#root.args[1].forName('java.lang.Runtime') != null", "#root.args[1].classLoader != null",
				"#root.args[1].newInstance() != null", "#root.args[1].protectionDomain != null",
				"#root.args[2].loadClass('java.lang.Runtime') != null", "#root.getClass() != null" })
		void reachNoClassesThroughObjects(String text) {
			List<Problem> problems = new ArrayList<>();
			ResultExpression expression = ResultExpression.parse("attack", text, ResolvableType.forClass(Object.class),
					problems);
			if (problems.isEmpty()) {
				assertThat(expression).isNotNull();
				MethodInvocation call = call("text", String.class, getClass().getClassLoader());
				assertThatThrownBy(() -> expression.test("result", call)).isInstanceOf(RuntimeException.class);
			}
		}

		static Stream<String> endless() {
			return Stream.of("true" + " and true".repeat(100), "true" + " and true".repeat(1_000),
					"!".repeat(100) + "true", "!".repeat(9_000) + "true",
					"(".repeat(4_900) + "true" + ")".repeat(4_900), "{".repeat(4_900) + "}".repeat(4_900) + " == null");
		}

		@ParameterizedTest
		@MethodSource("endless")
		void thatNestWithoutEndAreReported(String text) {
			List<Problem> problems = new ArrayList<>();
			assertThat(ResultExpression.parse("attack", text, ResolvableType.forClass(Object.class), problems))
				.isNull();
			assertThat(problems).singleElement()
				.hasToString("attack (" + text + "): nests or joins more than 100 levels."
						+ " Put the condition into a method of the result, and call that.");
		}

		@Test
		void thatAreTooLongAreReported() {
			List<Problem> problems = new ArrayList<>();
			String text = "#result == '" + "x".repeat(20_000) + "'";
			assertThat(ResultExpression.parse("attack", text, ResolvableType.forClass(Object.class), problems))
				.isNull();
			assertThat(problems).singleElement()
				.extracting(Problem::toString, InstanceOfAssertFactories.STRING)
				// how long it may be Spring writes as the locale does
				.contains("is no expression", "too long");
		}

		@ParameterizedTest
		@ValueSource(ints = { 1, 50, 99 })
		void ofManyPartsWork(int parts) {
			for (String text : List.of("(".repeat(parts) + "true" + ")".repeat(parts),
					"true" + " and true".repeat(parts), "#result" + "?.toString()".repeat(parts * 5) + " == 'x'")) {
				List<Problem> problems = new ArrayList<>();
				ResultExpression expression = ResultExpression.parse("attack", text,
						ResolvableType.forClass(String.class), problems);
				assertThat(problems).isEmpty();
				assertThat(expression).isNotNull();
				assertThat(expression.test("x", null)).isTrue();
			}
		}

		@ParameterizedTest
		@ValueSource(strings = { "#result.get('it''s') == 'X'", "(#result ?: 'a') == 'X'", "#result?.name == 'X'",
				"(#result ? 'a' : 'b') == 'X'", "#result.![name][0] == 'X'", "#result.?[#this != null] == 'X'",
				"#result['a.b'] == 'X'", "#result[0]?.name == 'X'", "-#result == 'X'", "{1,2}[0] == 'X'",
				"{a: 'b'}['a'] == 'X'", "(1 between {1, 2}) == 'X'", "#result.^[true] == 'X'", "\"a\"\"b\" == 'X'",
				"1.5f == 'X'", "0x1F == 'X'", "1L == 'X'", "1e3 == 'X'", "null == 'X'", "#root.args[0] == 'X'",
				"#this == 'X'", "#result.name.toString().substring(0, 1) == 'X'", "'a' + \"it's\" == 'X'",
				"#result instanceof 'X' == 'X'", "#result matches 'a.*' == 'X'", "{} == 'X'", "{:} == 'X'" })
		void comparedWithTextAreCheckedWithoutAccident(String text) {
			for (Class<?> type : List.of(Object.class, List.class)) {
				List<Problem> problems = new ArrayList<>();
				ResultExpression expression = ResultExpression.parse("attack", text, ResolvableType.forClass(type),
						problems);
				assertThat(expression == null).isEqualTo(!problems.isEmpty());
			}
		}

		@Test
		void mayCallWhatIsAnnotated() {
			AnnotationAttackTests.this.runner.withBean(Nest.class).run((context) -> {
				Nest bean = context.getBean(Nest.class);
				assertThat(bean.outer(bean)).isEqualTo("outer");
				assertThat(context.getBean(RecordingListener.class).hookFailures()).isEmpty();
			});
		}

	}

	@Nested
	class Recoveries {

		@Test
		void byTheMethodItselfAreReported() {
			assertReported(ByItself.class);
		}

		@Test
		void ofOddShapesWork() {
			AnnotationAttackTests.this.runner.withBean(Odd.class).run((context) -> {
				assertThat(context).hasNotFailed();
				Odd bean = context.getBean(Odd.class);
				assertThat(bean.byStatic("a")).isEqualTo("static a");
				assertThat(bean.byGeneric("a")).isEqualTo("generic a down");
				assertThat(bean.byVarargs("a", "b")).isEqualTo("varargs 2");
				assertThat(bean.byWider("a")).isEqualTo("wider a");
			});
		}

		@Test
		void thatGiveNothingForSomethingAreReported() {
			assertReported(Nothing.class);
		}

		@Test
		void thatCallTheirMethodForEverEndInAnError() {
			AnnotationAttackTests.this.runner.withBean(Endless.class).run((context) -> {
				Endless bean = context.getBean(Endless.class);
				assertThatExceptionOfType(StackOverflowError.class).isThrownBy(bean::send);
				assertThat(Attempt.isRunning()).isFalse();
			});
		}

	}

	@Nested
	class Shapes {

		@Test
		void ofClassesAreAllAdvised() {
			AnnotationAttackTests.this.runner.withBean(PackagePrivate.class)
				.withBean(Conflicting.class)
				.run((context) -> {
					PackagePrivate bean = context.getBean(PackagePrivate.class);
					assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.send("a", "b"));
					assertThat(bean.calls()).isEqualTo(2);
					assertThatExceptionOfType(Failure.class).isThrownBy(bean::send);
					assertThat(bean.calls()).isEqualTo(5);
					Conflicting conflicting = context.getBean(Conflicting.class);
					assertThatExceptionOfType(Failure.class).isThrownBy(conflicting::send);
					assertThat(conflicting.calls()).isEqualTo(5);
				});
		}

	}

	private void assertReported(Class<?> bean) {
		this.runner.withBean(bean)
			.run((context) -> assertThat(context).getFailure().isInstanceOf(InvalidBackoffException.class));
	}

	/** Return a call that is never made. */
	private static MethodInvocation call(Object... arguments) {
		return new ReflectiveMethodInvocation("proxy", "target", ClassUtils.getMethod(Asking.class, "ask"), arguments,
				Asking.class, List.of()) {
		};
	}

	static class Asking {

		private final AtomicInteger asked = new AtomicInteger();

		@Backoff(until = "#result.get() == 'DONE'")
		public Supplier<Object> ask() {
			return this.asked::incrementAndGet;
		}

		public int asked() {
			return this.asked.get();
		}

	}

	static class Nest {

		@Backoff(until = "#root.args[0].inner() == 'inner'")
		public String outer(Nest self) {
			return "outer";
		}

		@Backoff(retryWhen = "#result == null")
		public String inner() {
			return "inner";
		}

	}

	static class ByItself {

		@Backoff(recover = "send")
		public String send() throws Failure {
			throw new Failure("down");
		}

	}

	static class Odd {

		@Backoff(maxAttempts = "2", recover = "statically")
		public String byStatic(String text) throws Failure {
			throw new Failure("down");
		}

		static String statically(String text) {
			return "static " + text;
		}

		@Backoff(maxAttempts = "2", recover = "generically")
		public String byGeneric(String text) throws Failure {
			throw new Failure("down");
		}

		<T extends Exception> String generically(String text, T failure) {
			return "generic " + text + " " + failure.getMessage();
		}

		@Backoff(maxAttempts = "2", recover = "variably")
		public String byVarargs(String... texts) throws Failure {
			throw new Failure("down");
		}

		public String variably(String... texts) {
			return "varargs " + texts.length;
		}

		@Backoff(maxAttempts = "2", recover = "widely")
		public Object byWider(String text) throws Failure {
			throw new Failure("down");
		}

		public String widely(Object text) {
			return "wider " + text;
		}

	}

	static class Nothing {

		@Backoff(maxAttempts = "2", recover = "park")
		public Object send() throws Failure {
			throw new Failure("down");
		}

		public void park() {
		}

	}

	static class Undeclared {

		@Backoff(maxAttempts = "2", recover = "park")
		public String send() {
			throw new IllegalStateException("down");
		}

		public String park() throws IOException {
			throw new IOException("no place to park");
		}

	}

	static class Endless {

		private final ObjectProvider<Endless> self;

		Endless(ObjectProvider<Endless> self) {
			this.self = self;
		}

		@Backoff(maxAttempts = "1", recover = "again")
		public String send() throws Failure {
			throw new Failure("down");
		}

		public String again() throws Failure {
			return this.self.getObject().send();
		}

	}

	@Backoff(maxAttempts = "3")
	static class PackagePrivate {

		private int calls;

		@Backoff(maxAttempts = "2")
		void send(String... texts) throws Failure {
			this.calls++;
			throw new Failure("down");
		}

		public void send() throws Failure {
			this.calls++;
			throw new Failure("down");
		}

		int calls() {
			return this.calls;
		}

	}

	@Backoff(maxAttempts = "2")
	interface Contract {

		@Backoff(maxAttempts = "3")
		void send() throws Failure;

	}

	@Backoff(maxAttempts = "6")
	static class Base {

	}

	@Backoff(maxAttempts = "5")
	static class Conflicting extends Base implements Contract {

		private int calls;

		@Override
		@Backoff
		public void send() throws Failure {
			this.calls++;
			throw new Failure("down");
		}

		int calls() {
			return this.calls;
		}

	}

}
