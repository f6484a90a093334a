package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.spring.configuration.Problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;

class ResultExpressionTests {

	private static ResultExpression parse(String text, Class<?> type) {
		return parse(text, ResolvableType.forClass(type));
	}

	private static ResultExpression parse(String text, ResolvableType type) {
		List<Problem> problems = new ArrayList<>();
		ResultExpression expression = ResultExpression.parse("until", text, type, problems);
		assertThat(problems).isEmpty();
		assertThat(expression).isNotNull();
		return expression;
	}

	private static List<String> problems(String text, Class<?> type) {
		List<Problem> problems = new ArrayList<>();
		assertThat(ResultExpression.parse("until", text, ResolvableType.forClass(type), problems)).isNull();
		return problems.stream().map(Problem::toString).toList();
	}

	@Nested
	class Answers {

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				#result.status.name != 'PENDING'       | true
				#result.status.name() == 'DONE'        | true
				#result.status().name == 'DONE'        | true
				#result.status.name matches 'D.*'      | true
				#result.amount > 4                     | true
				#result.amount() == 4                  | false
				#result.parts.size() == 2              | true
				#result.parts[0] == 'a'                | true
				#result.parts.?[#this == 'b'].size() > 0 | true
				#result.parts.![length()].contains(1)  | true
				#result?.note == null                  | true
				#result.note?.length() > 3 ? false : true | true
				#result.final                          | true
				not #result.final or #result.amount < 0 | false
				{'DONE','FAILED'}.contains(#result.status.name) | true
				""")
		void ofRecords(String text, boolean answer) {
			Payment payment = new Payment(Status.DONE, 5, List.of("a", "b"), null);
			assertThat(parse(text, Payment.class).test(payment, null)).isEqualTo(answer);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				#result == false       | false | true
				#result == null        |       | true
				!#result               | false | true
				#result                | true  | true
				""")
		void ofBooleans(String text, @Nullable Boolean result, boolean answer) {
			assertThat(parse(text, Boolean.class).test(result, null)).isEqualTo(answer);
		}

		@Test
		void ofArguments() {
			MethodInvocation invocation = Mockito.mock();
			given(invocation.getArguments()).willReturn(new Object[] { "o-1", null });
			for (String text : List.of("#root.args[0] == #result", "args[0] == #result", "#root.args[1] == null")) {
				assertThat(parse(text, String.class).test("o-1", invocation)).isTrue();
			}
		}

		@Test
		void ofGenericResults() {
			ResolvableType type = ResolvableType.forClassWithGenerics(Envelope.class, Payment.class);
			Envelope<Payment> result = new Envelope<>(new Payment(Status.DONE, 1, List.of(), null));
			assertThat(parse("#result.content.status.name == 'DONE'", type).test(result, null)).isTrue();
			List<Problem> problems = new ArrayList<>();
			ResultExpression.parse("until", "#result.content.status == 'DONE'", type, problems);
			assertThat(problems).singleElement()
				.hasToString(
						"until (#result.content.status == 'DONE'): compares the enum Status with text, which is never "
								+ "equal. Write #result.content.status.name instead of #result.content.status.");
		}

		@Test
		void thatAreNoneFail() {
			assertThatIllegalStateException().isThrownBy(() -> parse("#result", Object.class).test("DONE", null))
				.withMessage("The expression #result gave a java.lang.String instead of true or false");
			assertThatIllegalStateException().isThrownBy(() -> parse("#result", Boolean.class).test(null, null))
				.withMessage("The expression #result gave null instead of true or false");
		}

	}

	@Nested
	class EnumsBehindOtherTypes {

		@Test
		void failTheFirstTimeTheyMeetText() {
			for (Class<?> type : List.of(Object.class, Comparable.class, Enum.class)) {
				ResultExpression expression = parse("#result == 'DONE'", type);
				assertThat(expression.test("DONE", null)).isTrue();
				assertThat(expression.test(null, null)).isFalse();
				assertThatIllegalStateException().isThrownBy(() -> expression.test(Status.DONE, null))
					.withMessage("The expression compares the enum Status with text, which is never equal; "
							+ "write #result.name");
			}
		}

		@Test
		void failInMapsAndInterfacesAndArguments() {
			assertThatIllegalStateException()
				.isThrownBy(
						() -> parse("#result['status'] != 'DONE'", Map.class).test(Map.of("status", Status.DONE), null))
				.withMessageEndingWith("write #result['status'].name");
			assertThatIllegalStateException()
				.isThrownBy(() -> parse("'DONE' == #result.state", HasState.class).test(new Answer(Status.DONE), null))
				.withMessageEndingWith("write #result.state.name");
		}

		@Test
		void doNotHinderAnExpressionThatGuardsItself() {
			ResultExpression expression = parse("#result != null && #result.state == 'DONE'", HasState.class);
			assertThat(expression.test(null, null)).isFalse();
			assertThat(expression.test(new Answer("DONE"), null)).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "#result.get('it''s') == 'X'", "(#result ?: 'a') == 'X'", "#result?.name == 'X'",
				"(#result ? 'a' : 'b') == 'X'", "#result.![name][0] == 'X'", "#result.?[#this != null] == 'X'",
				"#result['a.b'] == 'X'", "#result[0]?.name == 'X'", "-#result == 'X'", "{1,2}[0] == 'X'",
				"{a: 'b'}['a'] == 'X'", "(1 between {1, 2}) == 'X'", "#result.^[true] == 'X'", "\"a\"\"b\" == 'X'",
				"1.5f == 'X'", "0x1F == 'X'", "1L == 'X'", "1e3 == 'X'", "null == 'X'", "#root.args[0] == 'X'",
				"#this == 'X'", "#result.name.toString().substring(0, 1) == 'X'", "'a' + \"it's\" == 'X'",
				"#result instanceof 'X' == 'X'", "#result matches 'a.*' == 'X'", "{} == 'X'", "{:} == 'X'" })
		void areLookedForInAnyExpression(String text) {
			for (Class<?> type : List.of(Object.class, List.class)) {
				List<Problem> problems = new ArrayList<>();
				ResultExpression expression = ResultExpression.parse("until", text, ResolvableType.forClass(type),
						problems);
				assertThat(expression == null).isEqualTo(!problems.isEmpty());
			}
		}

	}

	@Nested
	class Refusals {

		@ParameterizedTest
		@ValueSource(
				strings = { "T(java.lang.Runtime).getRuntime().exec('x') == null", "new java.io.File('x').delete()",
						"@bean.check(#result)", "#result.amount++ > 1", "--#result.amount > 1",
						"(#result = null) == null", "#function(#result)", "#result.parts.?[T(String) != null].empty" })
		void ofWhatIsNotAllowed(String text) {
			assertThat(problems(text, Payment.class)).singleElement()
				.asString()
				.contains("which is not allowed here. Use #result and #root.args only");
		}

		@Test
		void ofNamesThatMeanNothing() {
			assertThat(problems("isDone(#result)", Payment.class)).singleElement()
				.asString()
				.contains("uses isDone(#result), which nothing here is called");
			assertThat(problems("#result.parts[args[0].size()] == order", Payment.class)).singleElement()
				.asString()
				.contains("uses order, which nothing here is called");
		}

		@Test
		void ofPropertiesThatAFinalTypeDoesNotHave() {
			assertThat(problems("#result.status.nam == 'DONE'", Payment.class)).singleElement()
				.asString()
				.contains("uses nam, which Status does not have");
			assertThat(parse("#result.anything == 1", HasState.class)).isNotNull();
			assertThat(parse("#result.length == 1", int[].class)).isNotNull();
			assertThat(parse("#result.present", Optional.class)).isNotNull();
		}

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "#result ==", "#result == 'a", "(#result", "#", "1 +" })
		void ofWhatIsNoExpression(String text) {
			assertThat(problems(text, Payment.class)).singleElement().asString().contains(": is no expression: ");
		}

	}

	@Nested
	class Arguments {

		@ParameterizedTest
		@ValueSource(strings = { "#root.args.set(0, 'x') == null", "args.remove(0) == null",
				"#root.args.subList(0, 1).clear() == null",
				"#root.args.listIterator().next() != null " + "and #root.args.replaceAll(null) == null" })
		void cannotBeReplaced(String text) {
			Object[] arguments = { "a" };
			ResultExpression expression = parse(text, Object.class);
			MethodInvocation call = call(arguments);
			assertThatThrownBy(() -> expression.test("result", call)).isInstanceOf(RuntimeException.class);
			assertThat(arguments).containsExactly("a");
		}

		@Test
		void areSeenAsTheyAre() {
			Object[] arguments = { null, new String[] { "a", "b" }, new ArrayList<>(List.of("c")) };
			MethodInvocation call = call(arguments);
			assertThat(parse("args[0] == null and args[1][1] == 'b' and args[2][0] == 'c' and args.size() == 3",
					Object.class)
				.test("result", call)).isTrue();
			arguments[0] = "later";
			assertThat(parse("args[0] == 'later'", Object.class).test("result", call)).isTrue();
		}

	}

	@Nested
	class Reach {

		@ParameterizedTest
		@ValueSource(strings = { "&factory != null", "{T(java.lang.Runtime)}.size() == 1", "#root.args[0] = null",
				"#root.class != null", "#systemProperties != null", "systemProperties['user.home'] != null" })
		void includesNoTypesConstructorsBeansOrAssignments(String text) {
			List<Problem> problems = new ArrayList<>();
			ResultExpression.parse("until", text, ResolvableType.forClass(Object.class), problems);
			assertThat(problems).isNotEmpty();
		}

		@ParameterizedTest
		@ValueSource(strings = { "#result.class.name != null", "#result.getClass().name != null",
				"#root.args[0].class.classLoader != null",
				"#root.args[0].getClass().forName('java.lang.Runtime') != null",
				"#root.args[1].forName('java.lang.Runtime') != null", "#root.args[1].classLoader != null",
				"#root.args[1].newInstance() != null", "#root.args[1].protectionDomain != null",
				"#root.args[2].loadClass('java.lang.Runtime') != null", "#root.getClass() != null" })
		void includesNoClassesThroughObjects(String text) {
			List<Problem> problems = new ArrayList<>();
			ResultExpression expression = ResultExpression.parse("until", text, ResolvableType.forClass(Object.class),
					problems);
			if (problems.isEmpty()) {
				assertThat(expression).isNotNull();
				MethodInvocation call = call("text", String.class, getClass().getClassLoader());
				assertThatThrownBy(() -> expression.test("result", call)).isInstanceOf(RuntimeException.class);
			}
		}

		@Test
		void includesAnnotatedMethodsOfBeans() {
			AdviceContexts.runner().withBean(Nest.class).run((context) -> {
				Nest bean = context.getBean(Nest.class);
				assertThat(bean.outer(bean)).isEqualTo("outer");
				assertThat(context.getBean(RecordingListener.class).hookFailures()).isEmpty();
			});
		}

	}

	@Nested
	class Length {

		@ParameterizedTest
		@CsvSource({ "x, 20000, too long", "(, 4000, it is nested too deeply" })
		void isLimited(String part, int count, String reason) {
			List<Problem> problems = new ArrayList<>();
			String text = part.repeat(count);
			assertThat(ResultExpression.parse("until", text, ResolvableType.forClass(Object.class), problems)).isNull();
			assertThat(problems).singleElement()
				.extracting(Problem::toString, InstanceOfAssertFactories.STRING)
				.startsWith("until (" + part.repeat(200) + "...): ")
				.hasSizeLessThan(400)
				// how long it may be Spring writes as the locale does
				.contains("is no expression", reason);
		}

		@ParameterizedTest
		@ValueSource(ints = { 1, 50, 99 })
		void mayBeOfManyParts(int parts) {
			for (String text : List.of("(".repeat(parts) + "true" + ")".repeat(parts),
					"true" + " and true".repeat(parts), "#result" + "?.toString()".repeat(parts * 5) + " == 'x'")) {
				List<Problem> problems = new ArrayList<>();
				ResultExpression expression = ResultExpression.parse("until", text,
						ResolvableType.forClass(String.class), problems);
				assertThat(problems).isEmpty();
				assertThat(expression).isNotNull();
				assertThat(expression.test("x", null)).isTrue();
			}
		}

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

	public enum Status {

		PENDING, DONE

	}

	public record Payment(Status status, int amount, List<String> parts, @Nullable String note) {

		public boolean isFinal() {
			return this.status == Status.DONE;
		}

	}

	public record Envelope<T>(T content) {
	}

	public interface HasState {

		Object getState();

	}

	public record Answer(Object state) implements HasState {

		@Override
		public Object getState() {
			return this.state;
		}

	}

}
