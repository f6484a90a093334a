package dev.backoff.spring.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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

	private static final Map<String, List<String>> REPORTS = ReportRow.reports("annotation-reports.txt");

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
			.containsExactlyElementsOf(REPORTS.get(method.getName()));
	}

	@ParameterizedTest
	@MethodSource
	void reportsMethodsAndClasses(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsMethodsAndClasses() {
		return Stream
			.of(LadderUnderABaseOfTheFile.class, MissingRecover.class, Twice.class, Unadvised.class, LifeCycle.class,
					InitMethods.class, FinalClass.class, FinalClassWithContract.class, SealedClass.class,
					SeveralResults.class, SeveralMethods.class, TypeWithManyMethods.class)
			.map((bean) -> new ReportRow(bean.getSimpleName(), SmallApplication.of(bean).yaml(FILE),
					REPORTS.get(bean.getSimpleName())));
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
