package dev.backoff.spring.policy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

/** Where the annotation is found, in classes that are hard to search too. */
class AnnotatedMethodTests {

	@Nested
	class Broken {

		/* What names an annotation twice cannot say what is on it. */
		@Test
		void contractMayHaveAnything() throws IllegalAccessException {
			Class<?> onType = of(define("OnType", true, false));
			Class<?> onMethod = of(define("OnMethod", false, true));
			for (Class<?> type : new Class<?>[] { onType, onMethod }) {
				assertThat(AnnotatedMethod.mayBeIn(type)).isTrue();
				assertThat(AnnotatedMethod.in(type)).isEmpty();
			}
		}

		/* A class that implements the contract. */
		private static Class<?> of(Class<?> contract) throws IllegalAccessException {
			ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
			writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, Type.getInternalName(contract) + "Bean", null,
					"java/lang/Object", new String[] { Type.getInternalName(contract) });
			MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC, "rest", "()V", null, null);
			method.visitCode();
			method.visitInsn(Opcodes.RETURN);
			method.visitMaxs(0, 0);
			method.visitEnd();
			writer.visitEnd();
			return MethodHandles.lookup().defineClass(writer.toByteArray());
		}

		private static Class<?> define(String name, boolean onType, boolean onMethod) throws IllegalAccessException {
			String internal = Type.getInternalName(AnnotatedMethodTests.class) + name;
			ClassWriter writer = new ClassWriter(0);
			writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT, internal, null,
					"java/lang/Object", null);
			for (int i = 0; onType && i < 2; i++) {
				end(writer.visitAnnotation(Type.getDescriptor(Deprecated.class), true));
			}
			MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT, "rest", "()V", null,
					null);
			for (int i = 0; onMethod && i < 2; i++) {
				end(method.visitAnnotation(Type.getDescriptor(Deprecated.class), true));
			}
			method.visitEnd();
			writer.visitEnd();
			return MethodHandles.lookup().defineClass(writer.toByteArray());
		}

		private static void end(AnnotationVisitor annotation) {
			annotation.visitEnd();
		}

	}

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnPrivateMethod.class, OnType.class, Inherited.class, OfContract.class,
			OfContractOfContract.class, Contract.class, OfGenericContract.class, OfGenericParent.class,
			OfDefaultMethod.class, OfHiddenParent.class, OfComposedOfComposed.class, Self.class, Typed.class })
	void isFoundWhereverItIs(Class<?> type) {
		assertFound(type);
	}

	@ParameterizedTest
	@ValueSource(classes = { OfGenericContract.class, OfGenericParent.class, OfHiddenParent.class })
	void isFoundThroughAProxyOfTheClass(Class<?> type) throws Exception {
		ProxyFactory factory = new ProxyFactory(type.getDeclaredConstructor().newInstance());
		factory.setProxyTargetClass(true);
		assertFound(factory.getProxy().getClass());
	}

	@Test
	void isFoundOnProxiesLambdasAndAnonymousClasses() {
		Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Contract.class },
				(self, method, args) -> null);
		Contract lambda = () -> "";
		OnMethod inheriting = new OnMethod() {
		};
		Callable<String> annotated = new Callable<>() {

			@Override
			@Backoff
			public String call() {
				return "";
			}

		};
		for (Object object : new Object[] { proxy, lambda, inheriting, annotated }) {
			assertFound(object.getClass());
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { WithoutAny.class, WithOthers.class, String.class })
	void isNotFoundWhereItIsNot(Class<?> type) {
		assertThat(AnnotatedMethod.mayBeIn(type)).isFalse();
		assertThat(AnnotatedMethod.in(type)).isEmpty();
	}

	private static void assertFound(Class<?> type) {
		assertThat(AnnotatedMethod.mayBeIn(type)).isTrue();
		assertThat(AnnotatedMethod.in(type)).isNotEmpty();
	}

	interface GenericContract<T> {

		@Backoff
		T ask(T question);

	}

	static class OfGenericContract implements GenericContract<String> {

		@Override
		public String ask(String question) {
			return question;
		}

	}

	abstract static class GenericParent<T> {

		@Backoff
		abstract T ask(T question);

	}

	static class OfGenericParent extends GenericParent<String> {

		@Override
		String ask(String question) {
			return question;
		}

	}

	interface DefaultMethod extends Supplier<String> {

		@Override
		@Backoff
		default String get() {
			return "";
		}

	}

	static class OfDefaultMethod implements DefaultMethod {

	}

	static class HiddenParent {

		@Backoff
		public String ask() {
			return "";
		}

	}

	public static class OfHiddenParent extends HiddenParent {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Backoff
	@interface Inner {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Inner
	@Outer
	@interface Outer {

	}

	static class OfComposedOfComposed {

		@Outer
		public String ask() {
			return "";
		}

	}

	@Outer
	interface Marked {

		String ask();

	}

	abstract static class Self implements Marked {

	}

	static class Typed implements Marked {

		@Override
		public String ask() {
			return "";
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
