package dev.backoff.spring.policy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandles;
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

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

/** Classes that are hard to search. */
class AnnotationSearchTests {

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
			String internal = Type.getInternalName(AnnotationSearchTests.class) + name;
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

	@Nested
	class Found {

		@ParameterizedTest
		@ValueSource(classes = { OfGenericContract.class, OfGenericParent.class, OfDefaultMethod.class,
				OfHiddenParent.class, OfComposedOfComposed.class, Self.class, Typed.class })
		void whereverItIs(Class<?> type) {
			assertThat(AnnotatedMethod.mayBeIn(type)).isTrue();
			assertThat(AnnotatedMethod.in(type)).isNotEmpty();
		}

		@ParameterizedTest
		@ValueSource(classes = { OfGenericContract.class, OfGenericParent.class, OfHiddenParent.class })
		void throughAProxyOfTheClass(Class<?> type) throws Exception {
			ProxyFactory factory = new ProxyFactory(type.getDeclaredConstructor().newInstance());
			factory.setProxyTargetClass(true);
			Class<?> proxyClass = factory.getProxy().getClass();
			assertThat(AnnotatedMethod.mayBeIn(proxyClass)).isTrue();
			assertThat(AnnotatedMethod.in(proxyClass)).isNotEmpty();
		}

		@Test
		void onAnAnonymousClass() {
			Plain plain = new Plain() {
				@Override
				@Backoff
				public String ask() {
					return "";
				}
			};
			assertThat(AnnotatedMethod.mayBeIn(plain.getClass())).isTrue();
			assertThat(AnnotatedMethod.in(plain.getClass())).isNotEmpty();
		}

		@Test
		void onAnAnonymousClassOfAContract() {
			Callable<String> plain = new Callable<>() {
				@Override
				@Backoff
				public String call() {
					return "";
				}
			};
			assertThat(AnnotatedMethod.mayBeIn(plain.getClass())).isTrue();
			assertThat(AnnotatedMethod.in(plain.getClass())).isNotEmpty();
		}

	}

	static class Plain {

		public String ask() {
			return "";
		}

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

}
