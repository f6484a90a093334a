package dev.backoff.spring.advice;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.PrototypeTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests for {@link TargetMethod}. */
class TargetMethodTests {

	@SuppressWarnings("StaticAssignmentOfThrowable") // the very instance is looked for
	private static final IOException FAILURE = new IOException("down");

	private boolean called;

	@Test
	void callsWithTheArgumentsOfTheInvocation() {
		Target target = proxy("add", int.class, long[].class);
		assertThat(target.add(1, 2, 3)).isEqualTo(6);
		assertThat(this.called).isTrue();
	}

	@Test
	void callsWhatReturnsNothingAndIsNotPublic() {
		Target target = proxy("rest");
		target.rest();
		assertThat(this.called).isTrue();
	}

	@Test
	void callsTheMethodThatTheTargetOverrides() {
		TargetMethod method = new TargetMethod(
				Objects.requireNonNull(ClassUtils.getMethod(Object.class, "toString", (Class<?>[]) null)));
		assertThat(proxy(method).toString()).isEqualTo("target");
		assertThat(this.called).isTrue();
	}

	@Test
	void throwsWhatTheMethodThrowsWithoutAnExceptionAroundIt() {
		Target target = proxy("fail");
		assertThat(catchThrowable(target::fail)).isSameAs(FAILURE);
		assertThat(this.called).isTrue();
	}

	@Test
	void leavesStaticMethodsToReflection() {
		Target target = proxy(new TargetMethod(method("ofClass")));
		target.rest();
		assertThat(this.called).isFalse();
	}

	@Test
	void leavesItToReflectionBeforeItIsPrepared() {
		Target target = unpreparedProxy(new TargetMethod(method("rest")));
		target.rest();
		assertThat(this.called).isFalse();
	}

	@Test
	void isPreparedOnceItHasBeenCalledOften() {
		Target target = unpreparedProxy(new TargetMethod(method("rest")));
		for (int i = 0; i < 10_000; i++) {
			target.rest();
			assertThat(this.called).isFalse();
		}
		target.rest();
		assertThat(this.called).isTrue();
	}

	private Target proxy(String name, Class<?>... types) {
		return proxy(new TargetMethod(method(name, types)));
	}

	private Target proxy(TargetMethod method) {
		method.prepare();
		return unpreparedProxy(method);
	}

	private Target unpreparedProxy(TargetMethod method) {
		ProxyFactory factory = new ProxyFactory(new Target());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> invoke(method, invocation));
		return (Target) factory.getProxy();
	}

	private @Nullable Object invoke(TargetMethod method, MethodInvocation invocation) throws Throwable {
		this.called = method.isCallable(invocation);
		return this.called ? method.call(invocation) : invocation.proceed();
	}

	private static Method method(String name, Class<?>... types) {
		return Arrays.stream(Target.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name) && Arrays.equals(method.getParameterTypes(), types))
			.findFirst()
			.orElseThrow();
	}

	/** Targets of other kinds and classes than the one that the handle was made for. */
	@Nested
	class OtherTargets {

		private static final int OFTEN = 10_100;

		@Test
		void mayBeOfSeveralKinds() {
			AdviceContexts.runner().run((context) -> {
				HotSwappableTargetSource targets = new HotSwappableTargetSource(new Plain());
				Greeter greeter = (Greeter) proxy(context, targets, false);
				InvocationHandler handler = (proxy, method, arguments) -> "proxy";
				ProxyFactory inner = new ProxyFactory(new Plain());
				inner.addAdvice((MethodInterceptor) (call) -> "inner " + call.proceed());
				Greeter lambda = () -> "lambda";
				Object[] all = { new Plain(), lambda, inner.getProxy(), new Special(), new Plain() {
				}, Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Greeter.class }, handler) };
				String[] said = { "plain", "lambda", "inner plain", "special", "plain", "proxy" };
				for (int round = 0; round < 2; round++) {
					for (int i = 0; i < all.length; i++) {
						targets.swap(all[i]);
						for (int call = 0; call < OFTEN; call++) {
							assertThat(greeter.greet()).isEqualTo(said[i]);
						}
					}
				}
			});
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void mayBeProxiesThatRetryThemselves(boolean retryingFirst) {
			AdviceContexts.runner().run((context) -> {
				BackoffAdvisor retrying = context.getBean(BackoffAdvisor.class);
				Advisor other = new DefaultPointcutAdvisor((MethodInterceptor) (call) -> call.proceed());
				HotSwappableTargetSource targets = new HotSwappableTargetSource(new Down());
				Fallible outer = (Fallible) proxy(targets, retrying);
				Set<Class<?>> classes = new HashSet<>();
				for (int round = 0; round < 3; round++) {
					for (Advisor inside : retryingFirst ? List.of(retrying, other) : List.of(other, retrying)) {
						Down down = new Down();
						Object inner = proxy(new SingletonTargetSource(down), inside);
						classes.add(inner.getClass());
						targets.swap(inner);
						int ended = context.getBean(RecordingListener.class).stopped().size();
						assertThatExceptionOfType(IOException.class).isThrownBy(outer::call);
						assertThat(down.calls).hasValue(3);
						assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(ended + 1);
					}
				}
				assertThat(classes).hasSize(1);
			});
		}

		@Test
		void mayBeOfClassesOfOtherLoaders() {
			AdviceContexts.runner().run((context) -> {
				HotSwappableTargetSource targets = new HotSwappableTargetSource(new Reloaded());
				Callable<?> proxy = (Callable<?>) proxy(context, targets, false);
				for (int generation = 0; generation < 3; generation++) {
					Class<?> type = new Reloading().loadClass(Reloaded.class.getName());
					assertThat(type).isNotSameAs(Reloaded.class);
					targets.swap(type.getDeclaredConstructor().newInstance());
					for (int call = 0; call < OFTEN; call++) {
						assertThat(proxy.call()).isEqualTo(type);
					}
				}
			});
		}

		@Test
		void mayBeNewForEachCall() {
			AdviceContexts.runner().run((context) -> {
				DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
				RootBeanDefinition definition = new RootBeanDefinition(Failing.class);
				definition.setScope("prototype");
				beans.registerBeanDefinition("target", definition);
				PrototypeTargetSource targets = new PrototypeTargetSource();
				targets.setTargetBeanName("target");
				targets.setBeanFactory(beans);
				Failing proxy = (Failing) proxy(context, targets, true);
				for (int call = 0; call < OFTEN; call++) {
					assertThat(proxy.attempts(2)).isEqualTo(2);
				}
			});
		}

		@Test
		void failWithoutAnExceptionAround() {
			AdviceContexts.runner().run((context) -> {
				for (boolean classes : new boolean[] { true, false }) {
					for (boolean inside : new boolean[] { true, false }) {
						ProxyFactory factory = new ProxyFactory(new Failing());
						factory.setProxyTargetClass(classes);
						factory.addAdvisor(context.getBean(BackoffAdvisor.class));
						if (inside) {
							factory
								.addAdvisor(new DefaultPointcutAdvisor((MethodInterceptor) (call) -> call.proceed()));
						}
						Contract contract = (Contract) factory.getProxy();
						for (int call = 0; call < OFTEN; call++) {
							assertThat(contract.fail(0)).isZero();
						}
						Throwable checked = catchThrowable(() -> contract.fail(1));
						assertThat(checked).isExactlyInstanceOf(IOException.class).hasMessage("checked");
						assertThat(checked.getStackTrace()[0].toString()).contains("Failing.fail");
						assertThat(checked.getStackTrace())
							.anySatisfy((frame) -> assertThat(frame.getClassName()).isEqualTo(getClass().getName()));
						assertThat(catchThrowable(() -> contract.fail(2)))
							.isExactlyInstanceOf(InvocationTargetException.class);
						assertThat(catchThrowable(() -> contract.fail(3))).isExactlyInstanceOf(ClassCastException.class)
							.hasMessage("own");
						assertThat(catchThrowable(() -> contract.fail(4)))
							.isExactlyInstanceOf(StackOverflowError.class);
					}
				}
			});
		}

		private static Object proxy(TargetSource targets, Advisor advisor) {
			ProxyFactory factory = new ProxyFactory(Fallible.class, targets);
			factory.addAdvisor(advisor);
			return factory.getProxy();
		}

		private static Object proxy(ListableBeanFactory context, TargetSource targets, boolean classes) {
			ProxyFactory factory = new ProxyFactory();
			factory.setTargetSource(targets);
			factory.setProxyTargetClass(classes);
			if (!classes) {
				factory.addInterface(
						Greeter.class.isAssignableFrom(targets.getTargetClass()) ? Greeter.class : Callable.class);
			}
			factory.addAdvisor(context.getBean(BackoffAdvisor.class));
			return factory.getProxy();
		}

	}

	static class Target {

		long add(int first, long... others) {
			return first + Arrays.stream(others).sum();
		}

		void rest() {
		}

		void fail() throws IOException {
			throw FAILURE;
		}

		static void ofClass() {
		}

		@Override
		public String toString() {
			return "target";
		}

	}

	interface Greeter {

		@Backoff(budget = "none")
		String greet();

	}

	interface Fallible {

		@Backoff(budget = "none", maxAttempts = "3")
		void call() throws IOException;

	}

	static class Down implements Fallible {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public void call() throws IOException {
			this.calls.incrementAndGet();
			throw new IOException("down");
		}

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

	public static class Special implements Greeter {

		@Override
		public String greet() {
			return "special";
		}

	}

	public static class Failing implements Contract {

		private final AtomicInteger attempts = new AtomicInteger();

		@Backoff(budget = "none")
		public int attempts(int needed) throws IOException {
			if (this.attempts.incrementAndGet() < needed) {
				throw new IOException("again");
			}
			return this.attempts.get();
		}

		@Override
		@Backoff(budget = "none", maxAttempts = "2")
		public int fail(int how) throws Exception {
			switch (how) {
				case 1 -> throw new IOException("checked");
				case 2 -> throw new InvocationTargetException(new IOException("inner"));
				case 3 -> throw new ClassCastException("own");
				case 4 -> throw new StackOverflowError();
				default -> {
					return 0;
				}
			}
		}

	}

	/** Defines one class anew. */
	private static final class Reloading extends ClassLoader {

		Reloading() {
			super(TargetMethodTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.equals(Reloaded.class.getName())) {
				return super.loadClass(name, resolve);
			}
			Class<?> known = findLoadedClass(name);
			return (known != null) ? known : define(name);
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (bytes == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] code = bytes.readAllBytes();
				return defineClass(name, code, 0, code.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
