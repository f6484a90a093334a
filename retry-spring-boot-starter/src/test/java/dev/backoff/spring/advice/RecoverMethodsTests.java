package dev.backoff.spring.advice;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class RecoverMethodsTests {

	private static AnnotatedMethod operation(Class<?> type, String name) {
		Method method = Arrays.stream(type.getMethods())
			.filter((candidate) -> candidate.getName().equals(name) && !candidate.isBridge())
			.findFirst()
			.orElseThrow();
		AnnotatedMethod annotated = AnnotatedMethod.of(method, type);
		assertThat(annotated).isNotNull();
		return annotated;
	}

	private static RecoverMethods find(Class<?> type, String name, String recover) {
		List<Problem> problems = new ArrayList<>();
		RecoverMethods methods = RecoverMethods.find(operation(type, name), new BlockingAdapter(), recover, problems);
		assertThat(problems).isEmpty();
		assertThat(methods).isNotNull();
		return methods;
	}

	private static @Nullable String chosen(RecoverMethods methods, RetriesStoppedException stopped) {
		RecoverMethods.Candidate candidate = methods.choose(stopped);
		return (candidate == null) ? null
				: Arrays.stream(candidate.method().getParameterTypes()).map(Class::getSimpleName).toList().toString();
	}

	private static RetriesStoppedException stoppedBy(Throwable failure) {
		Operation<String, Throwable> operation = () -> {
			throw failure;
		};
		Throwable thrown = catchThrowable(
				() -> Retry.builder(RetryPolicy.builder("p").maxAttempts(1).build()).build().call(operation));
		return (RetriesStoppedException) thrown.getSuppressed()[0];
	}

	private static RetriesStoppedException stoppedByResult() {
		List<RetriesStoppedException> seen = new ArrayList<>();
		RetryPolicy policy = RetryPolicy.builder("p").maxAttempts(1).retryWhen((result, context) -> true).build();
		Operation<String, RuntimeException> operation = () -> "bad";
		Retry.builder(policy).build().call(operation, (context, stopped) -> {
			seen.add(stopped);
			return "";
		});
		return seen.get(0);
	}

	@Nested
	class Choice {

		private final RecoverMethods methods = find(ByFailure.class, "send", "park");

		@Test
		void fallsOnTheNearestFailure() {
			assertThat(chosen(this.methods, stoppedBy(new FileNotFoundException()))).isEqualTo("[String, IOException]");
			assertThat(chosen(this.methods, stoppedBy(new IOException()))).isEqualTo("[String, IOException]");
			assertThat(chosen(this.methods, stoppedBy(new NumberFormatException())))
				.isEqualTo("[String, RuntimeException]");
		}

		@Test
		void fallsOnTheStoryBeforeNothing() {
			assertThat(chosen(this.methods, stoppedBy(new Exception()))).isEqualTo("[String, RetriesStoppedException]");
			assertThat(chosen(find(ByNothing.class, "send", "park"), stoppedBy(new Exception()))).isEqualTo("[String]");
		}

		@Test
		void doesNotLookAtCauses() {
			assertThat(chosen(this.methods, stoppedBy(new IllegalStateException(new IOException()))))
				.isEqualTo("[String, RuntimeException]");
		}

		@Test
		void isNoneIfNoParameterAccepts() {
			assertThat(chosen(find(OnlyFiles.class, "send", "park"), stoppedBy(new IOException()))).isNull();
			assertThat(chosen(find(OnlyFiles.class, "send", "park"), stoppedByResult())).isNull();
		}

		@Test
		void fallsOnTheNearestParametersOfTheOperation() {
			for (String recover : List.of("park", "kept")) {
				assertThat(chosen(find(ByParameters.class, "send", recover), stoppedBy(new IOException())))
					.isEqualTo("[String, Throwable]");
			}
		}

		@Test
		void givesAResultsStoryToAThrowable() {
			RecoverMethods throwable = find(ByParameters.class, "send", "kept");
			RetriesStoppedException stopped = stoppedByResult();
			RecoverMethods.Candidate candidate = throwable.choose(stopped);
			assertThat(candidate).isNotNull();
			assertThat(candidate.arguments(new Object[] { "o-1" }, stopped)).containsExactly("o-1", stopped);
		}

	}

	@Nested
	class Fit {

		@ParameterizedTest
		@ValueSource(strings = { "generic", "bridged", "ofSuperclass", "ofInterface", "hidden", "shared", "several",
				"boxed", "unboxed", "nothing", "wider", "array" })
		void isJudgedByResolvedTypes(String name) {
			assertThat(find(Fitting.class, name, name + "Recovery").candidates()).hasSize(1);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				nothing   | []
				retries   | [failure]
				spring    | [failure, o-1]
				first     | [o-1]
				middle    | [o-1, failure]
				all       | [failure, o-1, 2, null]
				stopping  | [report, o-1, 2]
				""")
		void takesTheFirstParametersWithTheFailureBeforeOrAfter(String recover, String expected) {
			IOException failure = new IOException();
			RetriesStoppedException stopped = stoppedBy(failure);
			RecoverMethods.Candidate chosen = find(Partial.class, "send", recover).choose(stopped);
			assertThat(chosen).isNotNull();
			assertThat(Arrays.stream(chosen.arguments(new Object[] { "o-1", 2, null }, stopped))
				.map((argument) -> (argument == failure) ? "failure" : (argument == stopped) ? "report" : argument)
				.toList()).hasToString(expected);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				either     | which fits Partial.report(Exception) in two ways. Let it take the failure as a Retries
				both       | which fits Partial.report(Exception) in two ways. Let it take the failure as a Retries
				""")
		void isRefusedWhereItIsAmbiguous(String recover, String reported) {
			List<Problem> problems = new ArrayList<>();
			assertThat(
					RecoverMethods.find(operation(Partial.class, "report"), new BlockingAdapter(), recover, problems))
				.isNull();
			assertThat(problems).singleElement().asString().contains(reported);
		}

		@ParameterizedTest
		@ValueSource(strings = { "between", "more", "otherOrder", "otherReturn", "noFailure" })
		void isRefused(String recover) {
			List<Problem> problems = new ArrayList<>();
			assertThat(RecoverMethods.find(operation(Unfit.class, "send"), new BlockingAdapter(), recover, problems))
				.isNull();
			assertThat(problems).singleElement()
				.satisfies((problem) -> assertThat(problem.message())
					.startsWith("@Backoff on Unfit.send(String, int): invalid recover (" + recover
							+ "): does not fit Unfit.send(String, int), because it is ")
					.endsWith(" " + signature(recover) + "."))
				.satisfies((problem) -> assertThat(problem.fix()).isEqualTo("Write String " + recover
						+ "(String, int), or with its first parameters only. A Throwable or a RetriesStoppedException may "
						+ "stand before or after them."));
		}

		@ParameterizedTest
		@ValueSource(strings = { "raw", "any", "same", "narrower", "part", "own", "bound", "taking" })
		void isJudgedByTypeArgumentsToo(String recover) {
			assertThat(find(Generic.class, "send", recover).candidates()).hasSize(1);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				otherResult    | List<Integer> otherResult(List<String>)
				otherParameter | List<CharSequence> otherParameter(List<Integer>)
				otherNested    | Numbers otherNested(List<String>)
				taker          | List<CharSequence> taker(List<? super Integer>)
				""")
		void isRefusedForOtherTypeArguments(String recover, String signature) {
			List<Problem> problems = new ArrayList<>();
			assertThat(RecoverMethods.find(operation(Generic.class, "send"), new BlockingAdapter(), recover, problems))
				.isNull();
			assertThat(problems).extracting(Problem::toString)
				.singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("@Backoff on Generic.send(List): invalid recover (" + recover
						+ "): does not fit Generic.send(List), because it is " + signature
						+ ". Write List<CharSequence> " + recover + "(List<String>), or with");
		}

		@ParameterizedTest
		@ValueSource(strings = { "compared", "fluent", "wild", "other", "listed" })
		void isOpenForAVariableOfTheClassThatNothingResolves(String name) {
			assertThat(find(Open.class, name, name + "Recovery").candidates()).hasSize(1);
		}

		@Test
		void isJudgedByAVariableOfTheClassThatASubclassResolves() {
			List<Problem> problems = new ArrayList<>();
			assertThat(RecoverMethods.find(operation(Closed.class, "listed"), new BlockingAdapter(), "listedRecovery",
					problems))
				.isNull();
			assertThat(find(Closed.class, "compared", "comparedRecovery").candidates()).hasSize(1);
		}

		@Test
		void isRefusedForTwoMethodsOfWhichNeitherIsNearer() {
			List<Problem> problems = new ArrayList<>();
			assertThat(RecoverMethods.find(operation(Tied.class, "send"), new BlockingAdapter(), "park", problems))
				.isNull();
			assertThat(problems).extracting(Problem::toString)
				.containsExactly("@Backoff on Tied.send(String, Integer): invalid recover (park): names "
						+ "String park(Object, Integer, Throwable) and String park(String, Number, Throwable), which fit "
						+ "Tied.send(String, Integer) equally well. Give one of them the parameters of "
						+ "Tied.send(String, Integer), or rename all but one.");
		}

		@Test
		void ofTwoMethodsIsDecidedByTheOneThatIsNearer() {
			assertThat(chosen(find(Tied.class, "send", "kept"), stoppedBy(new IOException())))
				.isEqualTo("[String, Integer, Throwable]");
		}

		@Test
		void mayBeInheritedFromAClassThatIsNotPublic() {
			assertThat(chosen(find(ByNothing.class, "send", "kept"), stoppedBy(new IOException())))
				.isEqualTo("[Object]");
		}

		@Test
		void isRefusedForTheMethodItselfAndForNone() {
			List<Problem> problems = new ArrayList<>();
			assertThat(RecoverMethods.find(operation(Unfit.class, "send"), new BlockingAdapter(), "send", problems))
				.isNull();
			assertThat(RecoverMethods.find(operation(Unfit.class, "send"), new BlockingAdapter(), "moore", problems))
				.isNull();
			assertThat(problems).extracting(Problem::toString)
				.containsExactly(
						"@Backoff on Unfit.send(String, int): invalid recover (send): names the method itself. Write the name "
								+ "of another method of Unfit.",
						"@Backoff on Unfit.send(String, int): invalid recover (moore): names no method of Unfit. Write more.");
		}

		private static String signature(String recover) {
			return switch (recover) {
				case "between" -> "String between(String, Throwable, int)";
				case "more" -> "String more(String, int, Throwable, String)";
				case "otherOrder" -> "String otherOrder(int, String)";
				case "otherReturn" -> "Object otherReturn(String, int)";
				default -> "String noFailure(String, int, String)";
			};
		}

	}

	public abstract static class ByFailure {

		@Backoff(recover = "park")
		public abstract String send(String order) throws IOException;

		abstract String park(String order, RetriesStoppedException stopped);

		abstract String park(String order, RuntimeException failure);

		abstract String park(String order, IOException failure);

	}

	abstract static class Hidden<T> {

		public String kept(T order) {
			return "kept " + order;
		}

	}

	public abstract static class ByNothing extends Hidden<String> {

		@Backoff(recover = "park")
		public abstract String send(String order);

		abstract String park(String order);

		abstract String park(String order, Error failure);

	}

	public abstract static class OnlyFiles {

		@Backoff(recover = "park")
		public abstract String send(String order);

		abstract String park(String order, FileNotFoundException failure);

	}

	public abstract static class ByParameters {

		@Backoff
		public abstract String send(String order);

		abstract String park(Object order, Throwable failure);

		abstract String park(CharSequence order, Throwable failure);

		abstract String park(String order, Throwable failure);

		abstract String kept(String order, Throwable failure);

	}

	public interface Contract {

		@Backoff
		String ofInterface(String order);

		default String ofInterfaceRecovery(String order, Throwable failure) {
			return order;
		}

	}

	public abstract static class Sender<T> {

		@Backoff
		public abstract T generic(T order);

		public abstract T genericRecovery(T order, RetriesStoppedException stopped);

		@Backoff
		public abstract T bridged(T order);

		abstract T bridgedRecovery(T order, Exception failure);

		@SuppressWarnings("UnusedVariable") // it is there to be found
		private T ofSuperclassRecovery(T order, Exception failure) {
			return order;
		}

		T use(T order) {
			return ofSuperclassRecovery(order, new Exception());
		}

	}

	public abstract static class Fitting extends Sender<String> implements Contract {

		@Override
		public String bridged(String order) {
			return order;
		}

		@Override
		String bridgedRecovery(String order, Exception failure) {
			return order;
		}

		@Backoff
		public abstract String ofSuperclass(String order);

		@Override
		public abstract String ofInterface(String order);

		@Backoff
		public String hidden(String order) {
			return hiddenRecovery(order);
		}

		private String hiddenRecovery(String order) {
			return order;
		}

		@Backoff
		public abstract String shared(String order);

		static String sharedRecovery(String order) {
			return order;
		}

		@Backoff
		public abstract String several(String... orders);

		abstract String severalRecovery(String[] orders, Throwable failure);

		@Backoff
		public abstract int boxed(int count);

		abstract Integer boxedRecovery(Integer count);

		@Backoff
		public abstract Integer unboxed(Integer count);

		abstract int unboxedRecovery(int count);

		@Backoff
		public abstract void nothing();

		abstract String nothingRecovery(Throwable failure);

		@Backoff
		public abstract Object wider(String order);

		abstract String widerRecovery(Object order);

		@Backoff
		public abstract int[] array(List<String> orders, int[] counts);

		abstract int[] arrayRecovery(List<? extends CharSequence> orders, int[] counts);

	}

	public abstract static class Generic {

		@Backoff
		public abstract List<CharSequence> send(List<String> orders);

		@SuppressWarnings("rawtypes") // it is the case
		abstract List raw(List orders);

		abstract List<?> any(List<?> orders);

		abstract List<CharSequence> same(List<String> orders);

		abstract List<String> narrower(List<? extends CharSequence> orders);

		abstract Texts part(Iterable<String> orders);

		abstract <T> List<T> own(List<T> orders);

		abstract <T extends Comparable<T>> List<T> bound(List<T> orders, Throwable failure);

		abstract List<Integer> otherResult(List<String> orders);

		abstract List<CharSequence> otherParameter(List<Integer> orders);

		abstract Numbers otherNested(List<String> orders);

		abstract List<CharSequence> taker(List<? super Integer> orders);

		abstract List<CharSequence> taking(List<? super String> orders);

	}

	public static class Texts extends ArrayList<String> {

		private static final long serialVersionUID = 1L;

	}

	public static class Numbers extends ArrayList<Integer> {

		private static final long serialVersionUID = 1L;

	}

	public abstract static class Tied {

		@Backoff
		public abstract String send(String order, Integer count);

		abstract String park(String order, Number count, Throwable failure);

		abstract String park(Object order, Integer count, Throwable failure);

		abstract String park(String order, Integer count);

		abstract String kept(String order, Integer count, Throwable failure);

		abstract String kept(String order, Number count, Throwable failure);

		abstract String kept(Object order, Integer count, Throwable failure);

	}

	public interface Partial {

		@Backoff
		String send(String order, int count, boolean fast);

		String nothing();

		String retries(Throwable failure);

		String spring(Exception failure, String order);

		String first(CharSequence order);

		String middle(String order, IOException failure);

		String all(Exception failure, String order, int count, boolean fast);

		String stopping(RetriesStoppedException report, String order, int count);

		@Backoff
		String report(Exception problem);

		String either(Exception problem);

		String both(Exception problem, Exception failure);

	}

	public abstract static class Unfit {

		@Backoff
		public abstract String send(String order, int count);

		abstract String between(String order, Throwable failure, int count);

		abstract String more(String order, int count, Throwable failure, String other);

		abstract String otherOrder(int count, String order);

		abstract Object otherReturn(String order, int count);

		abstract String noFailure(String order, int count, String failure);

	}

	@Backoff
	public abstract static class Open<T extends Comparable<T>, S extends Open<T, S, W>, W extends Comparable<? extends W>> {

		public abstract T compared(T item);

		abstract T comparedRecovery(T item);

		public abstract S fluent(S item);

		abstract S fluentRecovery(S item);

		public abstract W wild(W item);

		abstract W wildRecovery(W item);

		public abstract String other(T item);

		abstract String otherRecovery(W item);

		public abstract String listed(List<T> items);

		abstract String listedRecovery(List<String> items);

	}

	public abstract static class Closed extends Open<Integer, Closed, Integer> {

	}

}
