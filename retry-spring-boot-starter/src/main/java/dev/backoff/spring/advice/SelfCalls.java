package dev.backoff.spring.advice;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * The calls by which beans call their own annotated methods, found in the byte code of
 * their classes (decision 0034). No proxy sees such a call, so it is not retried. Each
 * class is read once. Thread-safe.
 */
final class SelfCalls {

	private static final Logger logger = LoggerFactory.getLogger(SelfCalls.class);

	/* A class that calls one of these already has a way to retry its own calls. */
	private static final Set<String> WAYS = Set.of("org/springframework/aop/framework/AopContext",
			"dev/backoff/spring/advice/BackoffMethods", "dev/backoff/Retry");

	/* The tag of a method in the constants of a class. */
	private static final int METHOD = 10;

	/* By the class of the bean, the methods of its own that are called there at all. */
	private final Map<Class<?>, Set<String>> called = new ConcurrentHashMap<>();

	/* By the class of the bean, the places of calls by the called method. */
	private final Map<Class<?>, Map<String, Set<String>>> places = new ConcurrentHashMap<>();

	/** Return where a bean calls its own method, such as {@code Orders.all (line 7)}. */
	Collection<String> of(AnnotatedMethod method) {
		String key = key(method.method());
		if (!this.called.computeIfAbsent(method.type(), SelfCalls::called).contains(key)) {
			return Set.of(); // as for nearly all beans, whose code need not be read
		}
		return this.places.computeIfAbsent(method.type(), SelfCalls::places).getOrDefault(key, Set.of());
	}

	/* From the constants of the classes, which name each called method. */
	private static Set<String> called(Class<?> type) {
		Set<String> called = new HashSet<>();
		for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
			read(next, (code) -> addCalled(code, called));
		}
		return called;
	}

	private static void addCalled(ClassReader code, Set<String> called) {
		char[] buffer = new char[code.getMaxStringLength()];
		for (int i = 1; i < code.getItemCount(); i++) {
			int item = code.getItem(i);
			if (item != 0 && code.readByte(item - 1) == METHOD
					&& code.readClass(item, buffer).equals(code.getClassName())) {
				int named = code.getItem(code.readUnsignedShort(item + 2));
				called.add(code.readUTF8(named, buffer) + code.readUTF8(named + 2, buffer));
			}
		}
	}

	private static Map<String, Set<String>> places(Class<?> type) {
		Set<String> annotated = AnnotatedBeans.methods(type)
			.stream()
			.map((method) -> key(method.method()))
			.collect(Collectors.toSet());
		Set<String> seen = new HashSet<>();
		Map<String, Set<String>> places = new HashMap<>();
		for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
			Reader reader = new Reader(next, annotated, seen);
			read(next, (code) -> code.accept(reader, ClassReader.SKIP_FRAMES));
			if (!reader.uncertain) {
				reader.places
					.forEach((called, found) -> places.computeIfAbsent(called, (key) -> new TreeSet<>()).addAll(found));
			}
		}
		return places;
	}

	private static void read(Class<?> type, Consumer<ClassReader> reader) {
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file != null) {
				reader.accept(new ClassReader(file));
			}
		}
		catch (IOException | RuntimeException ex) {
			// of a newer Java, for instance
			logger.debug("Cannot read the byte code of {}", type.getName(), ex);
		}
	}

	private static String key(Method method) {
		return method.getName() + Type.getMethodDescriptor(method);
	}

	/** Read the calls in one class. Methods are named with their descriptors. */
	private static final class Reader extends ClassVisitor {

		private final Class<?> type;

		private final Set<String> annotated;

		/* Methods of the classes below this one, which override those here. */
		private final Set<String> seen;

		private final Map<String, Set<String>> places = new HashMap<>();

		/* Another object of the type may be called, so the class does not count. */
		private boolean uncertain;

		Reader(Class<?> type, Set<String> annotated, Set<String> seen) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
			this.annotated = annotated;
			this.seen = seen;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean inherited = (access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) == 0 && !name.equals("<init>");
			if ((access & Opcodes.ACC_BRIDGE) != 0 || (inherited && !this.seen.add(name + descriptor))) {
				return null;
			}
			notice(descriptor.substring(0, descriptor.indexOf(')')));
			String caller = name.replaceFirst("^lambda\\$(.*)\\$\\d+$", "$1");
			boolean retried = caller.equals(name) ? this.annotated.contains(name + descriptor)
					: this.annotated.stream().anyMatch((method) -> method.startsWith(caller + "("));
			String simpleName = this.type.getSimpleName();
			String place = name.equals("<init>") ? "new " + simpleName
					: simpleName + "." + caller.replaceFirst("-.*", "");
			return new Body(retried ? null : place);
		}

		private void notice(String descriptor) {
			this.uncertain |= descriptor.contains(Type.getDescriptor(this.type));
		}

		/** Read one method, whose calls do not count without a place. */
		private final class Body extends MethodVisitor {

			private final @Nullable String place;

			private String line = "";

			Body(@Nullable String place) {
				super(SpringAsmInfo.ASM_VERSION);
				this.place = place;
			}

			@Override
			public void visitLineNumber(int line, Label start) {
				this.line = " (line " + line + ")";
			}

			@Override
			public void visitTypeInsn(int opcode, String type) {
				if (opcode != Opcodes.INSTANCEOF) {
					notice("L" + type + ";");
				}
			}

			@Override
			public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
				notice(descriptor);
			}

			@Override
			public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
				notice(descriptor.substring(descriptor.indexOf(')')));
				Reader.this.uncertain |= WAYS.contains(owner);
				add(owner, name + descriptor);
			}

			/* A lambda or a method reference, which may get its object as a parameter. */
			@Override
			public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
				for (Object argument : arguments) {
					if (argument instanceof Handle handle) {
						add(handle.getOwner(), handle.getName() + handle.getDesc());
					}
					else if (argument instanceof Type type) {
						notice(type.getDescriptor());
					}
				}
			}

			private void add(String owner, String called) {
				boolean same = owner.equals(Type.getInternalName(Reader.this.type));
				if (this.place != null && same && Reader.this.annotated.contains(called)) {
					Reader.this.places.computeIfAbsent(called, (key) -> new HashSet<>()).add(this.place + this.line);
				}
			}

		}

	}

}
