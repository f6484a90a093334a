package dev.backoff.spring.advice;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.advice.ProxyTests.Client;
import dev.backoff.spring.advice.ProxyTests.Greeter;
import dev.backoff.spring.advice.ProxyTests.GreeterBean;
import dev.backoff.spring.advice.ProxyTests.OnClass;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Where the annotation is found, and what it means there. */
class AnnotationPlacesTests extends AdvisedApplication {

	private static final Duration NANO = Duration.ofNanos(1);

	private List<String> methods() {
		return this.context.getBean(BackoffMethods.class).uses().stream().map(PolicyUse::method).toList();
	}

	@Test
	void onAClassMeansItsPublicMethods() {
		start(OnClass.class);
		OnClass bean = this.context.getBean(OnClass.class);
		assertThat(waits(bean::place)).containsExactly(NANO);
		assertThat(waits(bean::inherited)).containsExactly(NANO);
		assertThat(waits(bean::packagePrivate)).isEmpty();
		assertThat(methods()).containsExactly("OnClass.inherited", "OnClass.own", "OnClass.place");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onAnInterfaceMethodIsFoundThroughEitherProxy(boolean classes) {
		properties("spring.aop.proxy-target-class=" + classes);
		start(GreeterBean.class);
		Greeter bean = this.context.getBean(Greeter.class);
		assertThat(AopUtils.isJdkDynamicProxy(bean)).isEqualTo(!classes);
		assertThat(waits(bean::greet)).containsExactly(NANO, NANO);
		assertThat(methods()).containsExactly("GreeterBean.greet");
	}

	@Test
	void onAnAnonymousClassHasTheNameOfWhatItImplements() {
		start((beans) -> {
			beans.registerBean(Greeter.class, () -> new Greeter() {

				@Override
				public String greet() {
					return "hello";
				}

			});
		});
		assertThat(methods()).containsExactly("Greeter.greet");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onAnInterfaceIsFoundThroughEitherProxy(boolean classes) {
		properties("spring.aop.proxy-target-class=" + classes);
		start(ClientBean.class);
		Client bean = this.context.getBean(Client.class);
		assertThat(AopUtils.isJdkDynamicProxy(bean)).isEqualTo(!classes);
		assertThat(waits(bean::get)).containsExactly(NANO);
		assertThat(waits(bean::post)).containsExactly(NANO, NANO);
	}

	@Test
	void onASuperclassMethodHoldsForOneThatOverridesItWithout() {
		start(OverridingWithout.class);
		assertThat(waits(this.context.getBean(OverridingWithout.class)::place)).containsExactly(NANO);
	}

	@Test
	void onASuperclassMethodYieldsToOneThatOverridesItWithAnother() {
		start(OverridingWithAnother.class);
		assertThat(waits(this.context.getBean(OverridingWithAnother.class)::place)).containsExactly(Duration.ofNanos(7),
				Duration.ofNanos(7));
	}

	@Test
	void ofTwoBeansThatInheritOneMethodIsEachTheirOwn() {
		start(NotOverriding.class, NotOverridingEither.class);
		assertThat(methods()).containsExactly("NotOverriding.place", "NotOverridingEither.place");
		assertThat(waits(this.context.getBean(NotOverriding.class)::place)).containsExactly(NANO);
		assertThat(waits(this.context.getBean(NotOverridingEither.class)::place)).containsExactly(NANO);
		assertThat(this.listener.stopped()).extracting((stopped) -> stopped.report().method())
			.containsExactly("NotOverriding.place", "NotOverridingEither.place");
		assertThat(methods()).containsExactly("NotOverriding.place", "NotOverridingEither.place");
	}

	@Test
	void onClassesMethodsAndContractsIsThatOfTheMethod() {
		start(PackagePrivate.class, Conflicting.class);
		PackagePrivate bean = this.context.getBean(PackagePrivate.class);
		assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.send("a", "b"));
		assertThat(bean.calls()).isEqualTo(2);
		assertThatExceptionOfType(Failure.class).isThrownBy(bean::send);
		assertThat(bean.calls()).isEqualTo(5);
		Conflicting conflicting = this.context.getBean(Conflicting.class);
		assertThatExceptionOfType(Failure.class).isThrownBy(conflicting::send);
		assertThat(conflicting.calls()).isEqualTo(5);
	}

	public static class ClientBean implements Client {

		@Override
		public String get() throws Failure {
			throw new Failure("get");
		}

		@Override
		public String post() throws Failure {
			throw new Failure("post");
		}

	}

	public static class NotOverriding extends Annotated {

	}

	public static class NotOverridingEither extends Annotated {

	}

	public static class OverridingWithout extends Annotated {

		@Override
		public void place() throws Failure {
			throw new Failure("without");
		}

	}

	public static class OverridingWithAnother extends Annotated {

		@Override
		@Backoff(base = "7ns", shape = "fixed", jitter = "none", maxAttempts = "3")
		public void place() throws Failure {
			throw new Failure("another");
		}

	}

	public static class Annotated {

		@Backoff(base = "1ns", jitter = "none", maxAttempts = "2")
		public void place() throws Failure {
			throw new Failure("place");
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
	interface ConflictingContract {

		@Backoff(maxAttempts = "3")
		void send() throws Failure;

	}

	@Backoff(maxAttempts = "6")
	static class ConflictingBase {

	}

	@Backoff(maxAttempts = "5")
	static class Conflicting extends ConflictingBase implements ConflictingContract {

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
