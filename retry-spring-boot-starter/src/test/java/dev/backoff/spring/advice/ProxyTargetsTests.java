package dev.backoff.spring.advice;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.SingletonTargetSource;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The targets of proxies, which may be of any kind and may change. */
class ProxyTargetsTests {

	private static final Advisor OTHER = new DefaultPointcutAdvisor((MethodInterceptor) (call) -> call.proceed());

	@Test
	void mayBeOfSeveralKinds() {
		AdviceContexts.runner().run((context) -> {
			HotSwappableTargetSource targets = new HotSwappableTargetSource(new Plain());
			Greeter greeter = (Greeter) proxy(targets, context.getBean(BackoffAdvisor.class));
			InvocationHandler handler = (proxy, method, arguments) -> "proxy";
			ProxyFactory inner = new ProxyFactory(new Plain());
			inner.addAdvice((MethodInterceptor) (call) -> "inner " + call.proceed());
			Greeter lambda = () -> "lambda";
			Object[] all = { new Plain(), lambda, inner.getProxy(), new Plain() {
			}, Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Greeter.class }, handler) };
			String[] said = { "plain", "lambda", "inner plain", "plain", "proxy" };
			for (int call = 0; call < 2 * all.length; call++) {
				targets.swap(all[call % all.length]);
				assertThat(greeter.greet()).isEqualTo(said[call % all.length]);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void mayBeProxiesThatRetryThemselves(boolean retryingFirst) {
		AdviceContexts.runner().run((context) -> {
			Advisor retrying = context.getBean(BackoffAdvisor.class);
			HotSwappableTargetSource targets = new HotSwappableTargetSource(new Down());
			Fallible outer = (Fallible) proxy(targets, retrying);
			for (int round = 0; round < 3; round++) {
				for (Advisor inside : retryingFirst ? List.of(retrying, OTHER) : List.of(OTHER, retrying)) {
					Down down = new Down();
					targets.swap(proxy(new SingletonTargetSource(down), inside));
					int ended = context.getBean(RecordingListener.class).stopped().size();
					assertThatIOException().isThrownBy(outer::call);
					assertThat(down.calls).hasValue(3);
					assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(ended + 1);
				}
			}
		});
	}

	@Test
	void mayHaveOtherPolicies() {
		AdviceContexts.runner().run((context) -> {
			HotSwappableTargetSource targets = new HotSwappableTargetSource(new Down());
			Fallible fallible = (Fallible) proxy(targets, context.getBean(BackoffAdvisor.class));
			for (Down down : List.of(new Down(), new PatientDown(), new PatientDown(), new Down())) {
				targets.swap(down);
				assertThatIOException().isThrownBy(fallible::call);
				assertThat(down.calls).hasValue((down instanceof PatientDown) ? 5 : 3);
			}
		});
	}

	@ParameterizedTest
	@CsvSource({ "true,true", "true,false", "false,true", "false,false" })
	void failWithoutAnExceptionAround(boolean proxyOfTheClass, boolean otherAdvice) {
		AdviceContexts.runner().run((context) -> {
			ProxyFactory factory = new ProxyFactory(new Failing());
			factory.setProxyTargetClass(proxyOfTheClass);
			factory.addAdvisor(context.getBean(BackoffAdvisor.class));
			if (otherAdvice) {
				factory.addAdvisor(OTHER);
			}
			Contract contract = (Contract) factory.getProxy();
			Throwable checked = catchThrowable(() -> contract.fail(1));
			assertThat(checked).isExactlyInstanceOf(IOException.class).hasMessage("checked");
			assertThat(checked.getStackTrace()[0].toString()).contains("Failing.fail");
			assertThat(checked.getStackTrace())
				.anySatisfy((frame) -> assertThat(frame.getClassName()).isEqualTo(getClass().getName()));
			assertThat(catchThrowable(() -> contract.fail(2))).isExactlyInstanceOf(InvocationTargetException.class);
			assertThat(catchThrowable(() -> contract.fail(3))).isExactlyInstanceOf(ClassCastException.class)
				.hasMessage("own");
			assertThat(catchThrowable(() -> contract.fail(4))).isExactlyInstanceOf(StackOverflowError.class);
		});
	}

	private static Object proxy(TargetSource targets, Advisor advisor) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTargetSource(targets);
		factory.addInterface(targets.getTargetClass().getInterfaces()[0]);
		factory.addAdvisor(advisor);
		return factory.getProxy();
	}

	interface Greeter {

		@Backoff(budget = "none")
		String greet();

	}

	interface Fallible {

		@Backoff(budget = "none", maxAttempts = "3")
		void call() throws IOException;

	}

	interface Contract {

		int fail(int how) throws Exception;

	}

	public static class Plain implements Greeter {

		@Override
		public String greet() {
			return "plain";
		}

	}

	static class Down implements Fallible {

		final AtomicInteger calls = new AtomicInteger();

		@Override
		public void call() throws IOException {
			this.calls.incrementAndGet();
			throw new IOException("down");
		}

	}

	static class PatientDown extends Down {

		@Override
		@Backoff(budget = "none", maxAttempts = "5")
		public void call() throws IOException {
			super.call();
		}

	}

	public static class Failing implements Contract {

		@Override
		@Backoff(budget = "none", maxAttempts = "2")
		public int fail(int how) throws Exception {
			switch (how) {
				case 1 -> throw new IOException("checked");
				case 2 -> throw new InvocationTargetException(new IOException("inner"));
				case 3 -> throw new ClassCastException("own");
				default -> throw new StackOverflowError();
			}
		}

	}

}
