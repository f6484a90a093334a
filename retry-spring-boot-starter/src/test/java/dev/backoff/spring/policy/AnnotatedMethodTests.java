package dev.backoff.spring.policy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

class AnnotatedMethodTests {

	@Nested
	class CheapAnswer {

		@ParameterizedTest
		@ValueSource(classes = { OnMethod.class, OnPrivateMethod.class, OnType.class, Composed.class, Inherited.class,
				OfContract.class, OfContractOfContract.class, Contract.class })
		void isYesWhereverTheAnnotationIs(Class<?> type) {
			assertThat(AnnotatedMethod.mayBeIn(type)).isTrue();
			assertThat(AnnotatedMethod.in(type)).isNotEmpty();
		}

		@Test
		void isYesForProxiesAndLambdas() {
			Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Contract.class },
					(self, method, args) -> null);
			Contract lambda = () -> "";
			OnMethod anonymous = new OnMethod() {
			};
			for (Object object : new Object[] { proxy, lambda, anonymous }) {
				assertThat(AnnotatedMethod.mayBeIn(object.getClass())).isTrue();
				assertThat(AnnotatedMethod.in(object.getClass())).isNotEmpty();
			}
		}

		@ParameterizedTest
		@ValueSource(classes = { WithoutAny.class, WithOthers.class, String.class })
		void isNoWhereItIsNot(Class<?> type) {
			assertThat(AnnotatedMethod.mayBeIn(type)).isFalse();
			assertThat(AnnotatedMethod.in(type)).isEmpty();
		}

	}

	static class OnMethod {

		@Backoff
		public String ask() {
			return "";
		}

	}

	static class OnPrivateMethod {

		String call() {
			return ask();
		}

		@Backoff
		private String ask() {
			return "";
		}

	}

	@Backoff
	static class OnType {

		public String ask() {
			return "";
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Backoff
	@interface Patient {

	}

	static class Composed {

		@Patient
		public String ask() {
			return "";
		}

	}

	static class Inherited extends OnMethod {

	}

	interface Contract {

		@Backoff
		String ask();

	}

	interface Narrower extends Contract {

	}

	static class OfContract implements Contract {

		@Override
		public String ask() {
			return "";
		}

	}

	static class OfContractOfContract implements Narrower {

		@Override
		public String ask() {
			return "";
		}

	}

	static class WithoutAny implements Supplier<String> {

		@Override
		public String get() {
			return "";
		}

	}

	@Service
	static class WithOthers {

		@Async
		public String ask() {
			return "";
		}

	}

}
