package dev.backoff.spring.advice;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
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

}
