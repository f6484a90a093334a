package dev.backoff.spring.advice;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ProxyTests extends AdvisedApplication {

	private static final Duration NANO = Duration.ofNanos(1);

	private List<String> methods() {
		return this.context.getBean(BackoffMethods.class).uses().stream().map(PolicyUse::method).toList();
	}

	@Nested
	class TheProxy {

		@Test
		void ofTheClassReachesProtectedAndPackagePrivateMethods() {
			start(Hidden.class);
			Hidden bean = context.getBean(Hidden.class);
			assertThat(AopUtils.isCglibProxy(bean)).isTrue();
			assertThat(waits(bean::packagePrivate)).containsExactly(NANO);
			assertThat(waits(bean::protectedOne)).containsExactly(NANO);
		}

		@Test
		void isNotMadeWithoutTheAnnotation() {
			start(Plain.class, OnClass.class);
			assertThat(AopUtils.isAopProxy(context.getBean(Plain.class))).isFalse();
		}

		@Test
		void isOfInterfacesWhereTheBeanAsksForIt() {
			start(ByInterface.class);
			Greeter bean = context.getBean(Greeter.class);
			assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
			assertThat(waits(bean::greet)).containsExactly(NANO, NANO);
		}

		@Test
		void ofALambdaIsNamedByTheInterface() {
			start((beans) -> {
				beans.registerBean(Greeter.class, () -> () -> {
					throw new Failure("greet");
				});
			});
			Greeter bean = context.getBean(Greeter.class);
			assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
			assertThat(waits(bean::greet)).containsExactly(NANO, NANO);
			assertThat(methods()).containsExactly("Greeter.greet");
			assertThat(listener.report().method()).isEqualTo("Greeter.greet");
		}

		@ParameterizedTest
		@ValueSource(classes = { DynamicClient.class, InterceptedClient.class })
		void ofADynamicProxyIsNamedByTheInterface(Class<? extends FactoryBean<Client>> factory) {
			start((beans) -> {
				beans.registerBean("client", factory);
			});
			Client bean = context.getBean(Client.class);
			assertThat(waits(bean::get)).containsExactly(NANO);
			assertThat(waits(bean::post)).containsExactly(NANO, NANO);
			assertThat(methods()).containsExactly("Client.get", "Client.post");
			assertThat(listener.stopped()).extracting((stopped) -> stopped.report().method())
				.containsExactly("Client.get", "Client.post");
			assertThat(bean.hashCode()).isEqualTo(bean.hashCode());
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void reachesMethodsThroughTheirBridges(boolean classes) {
			properties("spring.aop.proxy-target-class=" + classes);
			start(TextHandler.class);
			@SuppressWarnings("unchecked")
			Handler<String> bean = context.getBean(Handler.class);
			assertThat(waits(() -> bean.handle("x"))).containsExactly(NANO);
			assertThat(waits(() -> bean.accept("x"))).containsExactly(NANO, NANO);
			assertThat(methods()).containsExactly("TextHandler.accept", "TextHandler.handle");
		}

		@Test
		void givesOverloadsTheirOwnNumbersUnderOneName() {
			start(Overloads.class);
			Overloads bean = context.getBean(Overloads.class);
			assertThat(waits(() -> bean.place("x"))).containsExactly(NANO);
			assertThat(waits(() -> bean.place(1))).containsExactly(Duration.ofNanos(2), Duration.ofNanos(2));
			assertThat(methods()).containsExactly("Overloads.place(String)", "Overloads.place(int)");
			assertThat(listener.stopped())
				.extracting((stopped) -> stopped.report().method() + " by " + stopped.policy())
				.containsOnly("Overloads.place by Overloads.place");
		}

	}

	@Nested
	class WithoutHelp {

		@Test
		void adviceIsThereWhenBootLeavesAopAlone() {
			properties("spring.aop.auto=false");
			start(GreeterBean.class);
			Greeter bean = context.getBean(Greeter.class);
			assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
			assertThat(waits(bean::greet)).containsExactly(NANO, NANO);
		}

		@Test
		void adviceIsThereInASliceWithoutBootsAop() {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(BackoffAutoConfiguration.class))
				.withBean(VirtualTime.class)
				.withBean(GreeterBean.class)
				.run((context) -> assertThat(AdviceContexts.waits(context, context.getBean(Greeter.class)::greet))
					.containsExactly(NANO, NANO));
		}

		@Test
		void adviceIsThereWithoutAspectJ() {
			AdviceContexts.runner()
				.withClassLoader(new FilteredClassLoader("org.aspectj"))
				.withBean(GreeterBean.class)
				.run((context) -> assertThat(AdviceContexts.waits(context, context.getBean(GreeterBean.class)::greet))
					.containsExactly(NANO, NANO));
		}

	}

	@Nested
	class ABeanWhoseClassOnlyItsCreationTells {

		@BeforeEach
		void startWithThem() {
			start((beans) -> {
				beans.registerBean("veiled", Object.class, GreeterBean::new);
				beans.registerBean("mistaken", Object.class, Mistaken::new);
			});
		}

		@Test
		void isAdvised() {
			assertThat(methods()).isEmpty();
			GreeterBean bean = (GreeterBean) context.getBean("veiled");
			assertThat(waits(bean::greet)).containsExactly(NANO, NANO);
			assertThat(methods()).containsExactly("GreeterBean.greet");
		}

		@Test
		void isCheckedAtItsFirstCall() {
			Mistaken bean = (Mistaken) context.getBean("mistaken");
			for (int call = 1; call <= 2; call++) {
				assertThatExceptionOfType(InvalidBackoffException.class).isThrownBy(bean::place)
					.satisfies((ex) -> assertThat(ex.problems()).singleElement()
						.satisfies(
								(problem) -> assertThat(problem.message()).contains("@Backoff on Mistaken.place()")));
			}
		}

	}

	@Nested
	class Switches {

		@Test
		void allOffMakesPlainCalls() {
			properties("backoff.enabled=false");
			start(Recovering.class);
			Recovering bean = context.getBean(Recovering.class);
			assertThat(waits(bean::place)).isEmpty();
			assertThat(bean.calls()).isEqualTo(1);
			assertThat(listener.events()).isEmpty();
		}

		@Test
		void retriesOffLeavesFirstAttemptAndRecovery() throws Exception {
			properties("backoff.retries-enabled=false");
			start(Recovering.class);
			Recovering bean = context.getBean(Recovering.class);
			assertThat(bean.place()).isEqualTo("recovered from DISABLED");
			assertThat(bean.calls()).isEqualTo(1);
		}

		@Test
		void retriesOffLeavesPolling() {
			properties("backoff.retries-enabled=false");
			start(Recovering.class);
			assertThat(context.getBean(Recovering.class).poll()).isEqualTo("final");
		}

	}

	@Nested
	class Programmatically {

		@Test
		void aPolicyIsTheSameRetryInAnySpelling() {
			properties("backoff.policies.payment-callback.base=1ns", "backoff.policies.payment-callback.jitter=none");
			start();
			BackoffMethods methods = context.getBean(BackoffMethods.class);
			assertThat(methods.retry("payment-callback")).isSameAs(methods.retry("PaymentCallback"));
			assertThat(waits(() -> methods.retry("payment_callback").call(() -> {
				throw new Failure("down");
			}))).containsExactly(NANO, Duration.ofNanos(2), Duration.ofNanos(4));
			assertThat(listener.report().method()).isEqualTo("payment-callback");
		}

		@Test
		void anUnknownPolicyIsRefused() {
			start();
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> context.getBean(BackoffMethods.class).retry("nobody"))
				.withMessage("Policy nobody: names a policy that is not defined. Define backoff.policies.nobody.");
		}

		@Test
		void aPolicysNameForgesNoLineOfALog() {
			start();
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> context.getBean(BackoffMethods.class).retry("x\r\nERROR all is\u2028lost"))
				.withMessage("Policy x??ERROR all is?lost: names a policy that is not defined. Define "
						+ "backoff.policies.x??ERROR all is?lost.");
			AdviceContexts.runner()
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new SystemEnvironmentPropertySource(
							StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
							Map.of("BACKOFF_POLICIES_ORDERSLOST_MAXATTEMPTS", "2"))))
				.run((context) -> assertThat(context.getBean(BackoffMethods.class).retry("orders\nlost").method())
					.isEqualTo("orders?lost"));
		}

	}

	public static class Base {

		public void inherited() throws Failure {
			throw new Failure("inherited");
		}

	}

	@Backoff(base = "1ns", shape = "fixed", jitter = "none", maxAttempts = "2")
	public static class OnClass extends Base {

		public void place() throws Failure {
			throw new Failure("place");
		}

		@Backoff(maxAttempts = "3")
		public void own() throws Failure {
			throw new Failure("own");
		}

		void packagePrivate() throws Failure {
			throw new Failure("packagePrivate");
		}

		public static void skipped() {
		}

	}

	@FunctionalInterface
	public interface Greeter {

		@Backoff(base = "1ns", shape = "fixed", jitter = "none", maxAttempts = "3")
		String greet() throws Failure;

	}

	public static class GreeterBean implements Greeter {

		@Override
		public String greet() throws Failure {
			throw new Failure("greet");
		}

	}

	@Proxyable(ProxyType.INTERFACES)
	public static final class ByInterface implements Greeter {

		@Override
		public String greet() throws Failure {
			throw new Failure("greet");
		}

	}

	public interface PlainClient {

		String get() throws Failure;

	}

	@Backoff(base = "1ns", shape = "fixed", jitter = "none", maxAttempts = "2")
	public interface Client extends PlainClient {

		@Backoff(maxAttempts = "3")
		String post() throws Failure;

	}

	public static class DynamicClient implements FactoryBean<Client> {

		@Override
		public Client getObject() {
			return (Client) Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] { Client.class },
					(proxy, method, arguments) -> switch (method.getName()) {
						case "hashCode" -> System.identityHashCode(proxy);
						case "equals" -> proxy == arguments[0];
						case "toString" -> "a client";
						default -> throw new Failure(method.getName());
					});
		}

		@Override
		public Class<?> getObjectType() {
			return Client.class;
		}

	}

	public static class InterceptedClient implements FactoryBean<Client> {

		@Override
		public Client getObject() {
			return ProxyFactory.getProxy(Client.class, (MethodInterceptor) (invocation) -> {
				throw new Failure(invocation.getMethod().getName());
			});
		}

		@Override
		public Class<?> getObjectType() {
			return Client.class;
		}

	}

	public static class Hidden {

		@Backoff(base = "1ns", jitter = "none", maxAttempts = "2")
		void packagePrivate() throws Failure {
			throw new Failure("packagePrivate");
		}

		@Backoff(base = "1ns", jitter = "none", maxAttempts = "2")
		protected void protectedOne() throws Failure {
			throw new Failure("protectedOne");
		}

	}

	public static class Plain {

		public void place() {
		}

	}

	public interface Handler<T> {

		@Backoff(base = "1ns", jitter = "none", maxAttempts = "2")
		void handle(T value) throws Failure;

		void accept(T value) throws Failure;

	}

	public static class AnyHandler<T> implements Handler<T> {

		@Override
		public void handle(T value) throws Failure {
			throw new Failure("any");
		}

		@Override
		@Backoff(base = "1ns", shape = "fixed", jitter = "none", maxAttempts = "3")
		public void accept(T value) throws Failure {
			throw new Failure("any");
		}

	}

	public static class TextHandler extends AnyHandler<String> {

		@Override
		public void handle(String value) throws Failure {
			throw new Failure(value);
		}

		@Override
		public void accept(String value) throws Failure {
			throw new Failure(value);
		}

	}

	public static class Overloads {

		@Backoff(base = "1ns", jitter = "none", maxAttempts = "2")
		public void place(String order) throws Failure {
			throw new Failure(order);
		}

		@Backoff(base = "2ns", shape = "fixed", jitter = "none", maxAttempts = "3")
		public void place(int order) throws Failure {
			throw new Failure(String.valueOf(order));
		}

	}

	public static class Mistaken {

		@Backoff(maxAttempts = "0")
		public void place() {
		}

	}

	public static class Recovering {

		private int calls;

		public int calls() {
			return this.calls;
		}

		@Backoff(recover = "instead")
		public String place() throws Failure {
			this.calls++;
			throw new Failure("place");
		}

		@SuppressWarnings("UnusedMethod") // called by its name
		private String instead(dev.backoff.event.RetriesStoppedException stopped) {
			return "recovered from " + stopped.reason();
		}

		@Backoff(until = "#result == 'final'")
		public String poll() {
			return (Attempt.current().number() == 3) ? "final" : "pending";
		}

	}

}
