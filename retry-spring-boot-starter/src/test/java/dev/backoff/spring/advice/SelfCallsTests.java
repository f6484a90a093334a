package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.SmallApplication;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;

class SelfCallsTests {

	/** Return the places of calls of the method {@code place}, without their lines. */
	private static List<String> places(Class<?> type) {
		SelfCalls calls = new SelfCalls();
		List<String> places = new ArrayList<>();
		for (AnnotatedMethod method : AnnotatedBeans.methods(type)) {
			Collection<String> found = calls.of(method);
			assertThat(found).allMatch((place) -> place.matches(".* \\(line \\d+\\)"));
			found.forEach((place) -> places.add(place.replaceAll(" \\(line.*", "")));
		}
		return places;
	}

	@Nested
	class Report {

		@Test
		void isOneWarningWithThePlaceAndThreeWaysOut() {
			String advice = "calls by the bean itself pass no proxy and are not retried: Orders.run (line "
					+ lineOfOrders()
					+ "); call an injected ObjectProvider<Orders> there, or a retry of BackoffMethods, "
					+ "or set backoff.mode to aspectj";
			assertThat(SmallApplication.of(Orders.class).yaml("").startupLog())
				.containsExactly("WARN @Backoff on Orders.place(), policy Orders.place: " + advice);
			SmallApplication.of(Orders.class)
				.run((context) -> assertThat(context.getBean(BackoffMethods.class).uses()).singleElement()
					.extracting(PolicyUse::advice)
					.isEqualTo(List.of(advice)));
		}

		/* The line of the call, by a stack trace of it. */
		private static int lineOfOrders() {
			List<StackTraceElement> trace = new ArrayList<>();
			new Orders() {

				@Override
				public void place() {
					trace.addAll(List.of(new Throwable().getStackTrace()));
				}

			}.run();
			return trace.get(1).getLineNumber();
		}

	}

	@Nested
	class Calls {

		@Test
		void areFoundInAllKindsOfMethods() {
			assertThat(places(Kinds.class)).containsExactly("Kinds.helper", "Kinds.inLambda", "Kinds.reference",
					"new Kinds");
		}

		@Test
		void areFoundInSuperclasses() {
			assertThat(places(Implementing.class)).containsExactly("Template.run");
		}

		@Test
		void areFoundIfTheMethodIsInherited() {
			assertThat(places(Inheriting.class)).containsExactly("Inheriting.run");
		}

		@Test
		void byAnnotatedMethodsAreNoReport() {
			assertThat(places(Annotated.class)).containsExactly("Annotated.helper");
			assertThat(places(Bridged.class)).isEmpty();
		}

	}

	@ParameterizedTest
	@ValueSource(classes = { ByField.class, ByParameter.class, ByProvider.class, ByReferenceOfProvider.class,
			ByContext.class, ByAopContext.class, ByResult.class, ByMethods.class, New.class })
	void anotherReferenceIsNoReport(Class<?> type) {
		assertThat(places(type)).isEmpty();
	}

	static class Orders {

		@Backoff
		public void place() {
		}

		public void run() {
			place();
		}

	}

	public static class Kinds {

		Kinds() {
			place();
		}

		@Backoff
		public String place() {
			return "";
		}

		public String run() {
			return helper();
		}

		private String helper() {
			return place();
		}

		public Supplier<String> inLambda() {
			return () -> place() + place();
		}

		public Supplier<String> reference() {
			return this::place;
		}

	}

	abstract static class Template {

		public void run() {
			place();
		}

		@Backoff
		public abstract void place();

	}

	static class Implementing extends Template {

		@Override
		public void place() {
		}

	}

	static class Inheriting extends Orders {

		@Override
		public void run() {
			place();
		}

	}

	@Backoff
	public static class Annotated {

		public void place() {
			place("x");
		}

		public void place(String order) {
			if (!order.isEmpty()) {
				place("");
				helper(() -> place("y"));
			}
		}

		private void helper(Runnable run) {
			run.run();
			place();
		}

	}

	public interface Contract<T> {

		void place(T order);

	}

	static class Bridged implements Contract<String> {

		@Override
		@Backoff
		public void place(String order) {
		}

	}

	abstract static class Placing {

		@Backoff
		public void place() {
		}

	}

	static class ByField extends Placing {

		private ByField self;

		public void run() {
			place();
			this.self.place();
		}

	}

	static class ByParameter extends Placing {

		public void run(ByParameter self) {
			self.place();
		}

	}

	static class ByProvider extends Placing {

		private ObjectProvider<ByProvider> self;

		public void run() {
			this.self.getObject().place();
		}

	}

	static class ByReferenceOfProvider {

		private ObjectProvider<ByReferenceOfProvider> self;

		@Backoff
		public void place() {
		}

		public void run() {
			this.self.ifAvailable(ByReferenceOfProvider::place);
		}

	}

	static class ByContext extends Placing {

		private ApplicationContext context;

		public void run() {
			this.context.getBean(ByContext.class).place();
		}

	}

	static class ByAopContext extends Placing {

		public void run() {
			if (AopContext.currentProxy() == null) {
				place();
			}
		}

	}

	abstract static class ByResult extends Placing {

		abstract ByResult self();

		public void run() {
			self().place();
		}

	}

	static class ByMethods {

		private BackoffMethods methods;

		@Backoff
		public String place() {
			return "";
		}

		public String run() {
			return this.methods.retry("orders").call(this::place);
		}

	}

	static class New extends Placing {

		static void main() {
			new New().place();
		}

	}

}
