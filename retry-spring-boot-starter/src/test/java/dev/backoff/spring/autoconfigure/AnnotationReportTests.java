package dev.backoff.spring.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/** Every kind of bad annotation, with the report that stops the start. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnnotationReportTests {

	private static final String MAY_TAKE = ", or with its first parameters only. "
			+ "A Throwable or a RetriesStoppedException may stand before or after them.";

	private static final String FILE = """
			backoff.policies:
			  payment-callback:
			    base: 1s
			    cap: 20s
			""";

	private List<Problem> problems = List.of();

	@BeforeAll
	void startWithAllMistakes() {
		Throwable failure = SmallApplication.of(MistakesFactory.class).yaml(FILE).failure();
		this.problems = ((InvalidBackoffException) failure).problems();
		assertThat(this.problems).allMatch((problem) -> problem.message().startsWith("@Backoff on Mistakes."));
	}

	static Stream<Method> reportsMistakes() {
		return Stream.of(Mistakes.class.getDeclaredMethods()).sorted(Comparator.comparing(Method::getName));
	}

	@ParameterizedTest
	@MethodSource
	void reportsMistakes(Method method) {
		String place = "@Backoff on Mistakes." + method.getName() + "(String): ";
		assertThat(this.problems).filteredOn((problem) -> problem.message().startsWith(place))
			.flatExtracting((problem) -> List.of(problem.message().substring(place.length()), problem.fix()))
			.containsExactly(method.getAnnotation(Mistakes.Reported.class).value());
	}

	@ParameterizedTest
	@MethodSource
	void reportsMethodsAndClasses(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsMethodsAndClasses() {
		return Stream.of(
				annotated(LadderUnderABaseOfTheFile.class,
						"Invalid backoff.policies.payment-callback.base (1s) at application.yml:3: has no effect, "
								+ "because the shape is ladder (annotation on LadderUnderABaseOfTheFile.place).",
						"Remove it, or set the shape to fixed, linear or exponential."),
				annotated(MissingRecover.class,
						"@Backoff on MissingRecover.place(String): invalid recover (park): names no method of "
								+ "MissingRecover.",
						"Write String park(String)" + MAY_TAKE),
				annotated(Twice.class,
						"@Backoff on Twice.inherited(String): is there more than once: @Backoff, @Patient.",
						"Keep one of them.", "@Backoff on Twice: is there more than once: @Patient, @Eager.",
						"Keep one of them."),
				annotated(Unadvised.class,
						"@Backoff on Unadvised.fixed(): is on a final method, which no proxy can advise.",
						"Make the method non-final, or move the annotation to a method that calls it.",
						"@Backoff on Unadvised.hidden(): is on a private method, which no proxy can advise.",
						"Make the method non-private, or move the annotation to a method that calls it.",
						"@Backoff on Unadvised.shared(): is on a static method, which no proxy can advise.",
						"Make the method non-static, or move the annotation to a method that calls it."),
				annotated(LifeCycle.class,
						calledByContainer("LifeCycle", "afterPropertiesSet", "destroy", "last", "open")),
				annotated(InitMethods.class, calledByContainer("Opened", "open", "shut")),
				annotated(FinalClass.class,
						"@Backoff on FinalClass: the class is final, so no proxy can be made of it.",
						"Make it non-final."),
				annotated(FinalClassWithContract.class,
						"@Backoff on FinalClassWithContract: the class is final, so no proxy can be made of it.",
						"Make it non-final, or let it be proxied by its interfaces with @Proxyable(INTERFACES)."),
				annotated(SealedClass.class,
						"@Backoff on SealedClass: the class is sealed, so no proxy can be made of it.",
						"Remove sealed and permits."),
				annotated(SeveralResults.class,
						"@Backoff on SeveralResults.place(String): invalid retryWhen (#result == null): judges the "
								+ "one result of a call, and SeveralResults.place(String) may give several.",
						"Remove it, or let the method collect them and return the collection as one.",
						"@Backoff on SeveralResults.place(String): invalid recover (park): does not fit "
								+ "SeveralResults.place(String), because it is Mono<String> park(String).",
						"Write Flux<String> park(String)" + MAY_TAKE),
				annotated(SeveralMethods.class,
						"@Backoff on SeveralMethods.a(): invalid base (later): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.a(): invalid cap (never): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.b(): invalid base (soon): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.c(): invalid base (-1s): must not be negative.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.c(): invalid recover (b): does not fit SeveralMethods.c(), "
								+ "because it is void b().",
						"Write int b()" + MAY_TAKE),
				annotated(TypeWithManyMethods.class,
						"@Backoff on TypeWithManyMethods: invalid cap (0s): must be above zero.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on TypeWithManyMethods: invalid retryWhen (#result == 1): judges a result, and "
								+ "TypeWithManyMethods.forget(String) returns none.",
						"Remove it, or let the method return something.",
						"@Backoff on TypeWithManyMethods: invalid recover (park): does not fit "
								+ "TypeWithManyMethods.later(String), because it is int park(String, Throwable).",
						"Write CompletableFuture<String> park(String)" + MAY_TAKE,
						"@Backoff on TypeWithManyMethods: invalid retryWhen (#result == 1): judges the one result "
								+ "of a call, and TypeWithManyMethods.muchLater(String) may give several.",
						"Remove it, or let the method collect them and return the collection as one.",
						"@Backoff on TypeWithManyMethods: invalid recover (park): does not fit "
								+ "TypeWithManyMethods.muchLater(String), because it is int park(String, "
								+ "Throwable).",
						"Write Flux<String> park(String)" + MAY_TAKE));
	}

	private static String[] calledByContainer(String type, String... methods) {
		return Stream.of(methods)
			.flatMap((method) -> Stream.of(
					"@Backoff on " + type + "." + method
							+ "(): is on a method that the container calls by itself, without a proxy that retries it.",
					"Move it to SmartLifecycle.start or an ApplicationRunner, or to a method of another bean that this "
							+ "one calls."))
			.toArray(String[]::new);
	}

	private static ReportRow annotated(Class<?> bean, String... problems) {
		return ReportRow.of(bean.getSimpleName(), SmallApplication.of(bean).yaml(FILE), problems);
	}

	public static class MistakesFactory implements FactoryBean<Mistakes> {

		@Override
		public Mistakes getObject() {
			return mock(Mistakes.class);
		}

		@Override
		public Class<?> getObjectType() {
			return Mistakes.class;
		}

	}

	public static class LadderUnderABaseOfTheFile {

		@Backoff(value = "payment-callback", ladder = { "1s", "5s" })
		public String place(String order) {
			return order;
		}

	}

	public static class MissingRecover {

		@Backoff(recover = "park")
		public String place(String order) {
			return order;
		}

	}

	@Backoff
	@Retention(RetentionPolicy.RUNTIME)
	@interface Patient {

	}

	@Backoff
	@Retention(RetentionPolicy.RUNTIME)
	@interface Eager {

	}

	public interface InheritedTwice {

		@Backoff
		@Patient
		void inherited(String order);

		@Backoff
		@Patient
		void overridden(String order);

	}

	@Patient
	@Eager
	public static class Twice implements InheritedTwice {

		@Override
		public void inherited(String order) {
		}

		@Eager
		@Override
		public void overridden(String order) {
		}

	}

	public static class Unadvised {

		@Backoff
		public final void fixed() {
		}

		@Backoff
		private void hidden() {
		}

		public void callsIt() {
			hidden();
		}

		@Backoff
		static void shared() {
		}

	}

	public static class LifeCycle implements InitializingBean, DisposableBean {

		@Backoff
		@PostConstruct
		public void open() {
		}

		@Backoff
		@Override
		public void afterPropertiesSet() {
		}

		@Backoff
		@PreDestroy
		public void last() {
		}

		@Backoff
		@Override
		public void destroy() {
		}

		@Backoff
		public void destroy(String order) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class InitMethods {

		@Bean(initMethod = "open", destroyMethod = "shut")
		Opened opened() {
			return new Opened();
		}

		public static class Opened {

			@Backoff
			public void open() {
			}

			@Backoff
			public void shut() {
			}

		}

	}

	public static final class FinalClass {

		@Backoff
		public void place(String order) {
		}

	}

	public static final class FinalClassWithContract implements Runnable {

		@Override
		@Backoff
		public void run() {
		}

	}

	public static sealed class SealedClass {

		@Backoff
		public void place(String order) {
		}

		static final class Permitted extends SealedClass {

		}

	}

	public static class SeveralResults {

		@Backoff(retryWhen = "#result == null", recover = "park")
		public Flux<String> place(String order) {
			return Flux.just(order);
		}

		Mono<String> park(String order) {
			return Mono.just(order);
		}

	}

	public static class SeveralMethods {

		@Backoff(base = "soon")
		public void b() {
		}

		@Backoff(base = "later", cap = "never")
		public void a() {
		}

		@Backoff(recover = "b", base = "-1s")
		public int c() {
			return 1;
		}

	}

	@Backoff(recover = "park", retryWhen = "#result == 1", cap = "0s")
	public static class TypeWithManyMethods {

		public int place(String order) {
			return 1;
		}

		public void forget(String order) {
		}

		public CompletableFuture<String> later(String order) {
			return CompletableFuture.completedFuture(order);
		}

		public Flux<String> muchLater(String order) {
			return Flux.just(order);
		}

		public int park(String order, Throwable failure) {
			return 0;
		}

	}

}
