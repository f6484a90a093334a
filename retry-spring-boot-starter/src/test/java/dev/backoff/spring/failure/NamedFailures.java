package dev.backoff.spring.failure;

import java.util.HashMap;
import java.util.Map;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/** Exceptions of libraries that are absent, told by nothing but their names. */
final class NamedFailures {

	static Throwable create(String... names) {
		Map<String, byte[]> classes = new HashMap<>();
		String parent = "java.lang.RuntimeException";
		for (String name : names) {
			classes.put(name, classFile(name, parent));
			parent = name;
		}
		try {
			return (Throwable) new Maker(classes).loadClass(parent).getConstructor().newInstance();
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte[] classFile(String name, String parent) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, parent.replace('.', '/'), null);
		MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
		constructor.visitCode();
		constructor.visitVarInsn(Opcodes.ALOAD, 0);
		constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, parent.replace('.', '/'), "<init>", "()V", false);
		constructor.visitInsn(Opcodes.RETURN);
		constructor.visitMaxs(1, 1);
		constructor.visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	private static final class Maker extends ClassLoader {

		private final Map<String, byte[]> classes;

		Maker(Map<String, byte[]> classes) {
			super(NamedFailures.class.getClassLoader());
			this.classes = classes;
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			byte[] file = this.classes.get(name);
			if (file == null) {
				throw new ClassNotFoundException(name);
			}
			return defineClass(name, file, 0, file.length);
		}

	}

}
