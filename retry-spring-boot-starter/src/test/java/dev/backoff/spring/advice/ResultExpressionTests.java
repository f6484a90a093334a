package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;

import dev.backoff.spring.policy.Problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
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

		@ParameterizedTest
		@ValueSource(strings = { "#result.class.forName('java.lang.Runtime') != null",
				"#result.getClass().getClassLoader() != null" })
		void ofWaysAroundThem(String text) {
			ResultExpression expression = ResultExpression.parse("until", text, ResolvableType.forClass(Object.class),
					new ArrayList<>());
			assertThat(expression).isNotNull();
			assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> expression.test("x", null));
		}

		@Test
		void ofNamesThatMeanNothing() {
			assertThat(problems("#order == 1", Payment.class)).containsExactly(
					"until (#order == 1): uses #order, which is always null. Use #result for the result and #root.args[0] for "
							+ "the first argument.");
			assertThat(problems("status.name == 'DONE'", Payment.class)).singleElement()
				.asString()
				.contains("uses status, which nothing here is called");
			assertThat(problems("isDone(#result)", Payment.class)).singleElement()
				.asString()
				.contains("uses isDone(#result), which nothing here is called");
			assertThat(problems("#result.parts[args[0].size()] == order", Payment.class)).singleElement()
				.asString()
				.contains("uses order, which nothing here is called");
		}

		@Test
		void ofPropertiesThatAFinalTypeDoesNotHave() {
			assertThat(problems("#result.amuont > 1", Payment.class)).containsExactly(
					"until (#result.amuont > 1): uses amuont, which Payment does not have. Write amount instead of amuont.");
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

		@Test
		void ofWhatIsNoCondition() {
			assertThat(problems("#result.amount", Payment.class)).containsExactly(
					"until (#result.amount): gives int instead of true or false. Write a condition over #result, such as "
							+ "#result == false.");
			assertThat(problems("'DONE'", Payment.class)).singleElement().asString().contains("gives a constant");
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
