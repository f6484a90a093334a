package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Read in one class which annotated methods it calls on {@code this}. Methods are named
 * with their descriptors.
 */
final class SelfCallReader extends ClassVisitor {

	/*
	 * The instruction of a call does not tell which object is called. So a class counts
	 * only if no other object of its type gets into its methods: as a parameter, from a
	 * field, as the result of a call, by a cast, or new.
	 */

	/* A class that calls one of these already has a way to retry its own calls. */
	private static final Set<String> WAYS = Set.of("org/springframework/aop/framework/AopContext",
			"dev/backoff/spring/advice/BackoffMethods", "dev/backoff/Retry");

	private final Class<?> type;

	private final String name;

	private final String descriptor;

	private final Set<String> annotated;

	/* Methods of the classes below this one, which override those here. */
	private final Set<String> seen;

	private final List<Call> calls = new ArrayList<>();

	/* Methods that can run outside the annotated ones. */
	private final Set<String> reached = new HashSet<>();

	/* Methods that are not public. They are reached if a reached method calls them. */
	private final Set<String> hidden = new HashSet<>();

	private boolean uncertain;

	SelfCallReader(Class<?> type, Set<String> annotated, Set<String> seen) {
		super(SpringAsmInfo.ASM_VERSION);
		this.type = type;
		this.name = Type.getInternalName(type);
		this.descriptor = Type.getDescriptor(type);
		this.annotated = annotated;
		this.seen = seen;
	}

	/** Return the calls of annotated methods by methods that run outside of those. */
	List<Call> calls() {
		if (this.uncertain) {
			return List.of();
		}
		// a hidden method that this class does not call is called by another one
		this.hidden.stream()
			.filter((method) -> this.calls.stream().noneMatch((call) -> call.called().equals(method)))
			.forEach(this.reached::add);
		boolean more = true;
		while (more) {
			more = false;
			for (Call call : this.calls) {
				more |= this.reached.contains(call.caller()) && this.hidden.contains(call.called())
						&& this.reached.add(call.called());
			}
		}
		return this.calls.stream()
			.filter((call) -> this.reached.contains(call.caller()) && this.annotated.contains(call.called()))
			.toList();
	}

	@Override
	public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		String method = name + descriptor;
		boolean inherited = (access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) == 0 && !name.equals("<init>");
		if ((access & Opcodes.ACC_BRIDGE) != 0 || (inherited && !this.seen.add(method))) {
			return null;
		}
		notice(descriptor.substring(0, descriptor.indexOf(')')));
		if (!this.annotated.contains(method)) {
			((access & Opcodes.ACC_PUBLIC) != 0 ? this.reached : this.hidden).add(method);
		}
		return new Body(method);
	}

	private void notice(String descriptor) {
		this.uncertain |= descriptor.contains(this.descriptor);
	}

	/** A call at a line, or at line 0 if the class does not tell. */
	record Call(String type, String caller, String called, int line) {

		String place() {
			String name = this.caller.substring(0, this.caller.indexOf('('));
			String method = name.replaceFirst("^lambda\\$(.*)\\$\\d+$", "$1");
			return (method.equals("<init>") ? "new " + this.type : this.type + "." + method)
					+ ((this.line > 0) ? " (line " + this.line + ")" : "");
		}

	}

	/** The instructions of one method. */
	private final class Body extends MethodVisitor {

		private final String caller;

		private int line;

		Body(String caller) {
			super(SpringAsmInfo.ASM_VERSION);
			this.caller = caller;
		}

		@Override
		public void visitLineNumber(int line, Label start) {
			this.line = line;
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
			SelfCallReader.this.uncertain |= WAYS.contains(owner);
			add(owner, name + descriptor);
		}

		/*
		 * A lambda or a reference to a method, which may take its object as a parameter.
		 */
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
			if (owner.equals(SelfCallReader.this.name)) {
				SelfCallReader.this.calls
					.add(new Call(SelfCallReader.this.type.getSimpleName(), this.caller, called, this.line));
			}
		}

	}

}
