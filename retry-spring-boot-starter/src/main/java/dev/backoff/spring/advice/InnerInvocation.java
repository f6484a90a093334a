package dev.backoff.spring.advice;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * Run the rest of an invocation anew: the advice behind ours and the target. It has its
 * own copy of the arguments and shares the user attributes with the original.
 */
final class InnerInvocation extends ReflectiveMethodInvocation {

	private final ProxyMethodInvocation original;

	private final TargetMethod targetMethod;

	/** Make an invocation that runs the given advice and the target. */
	InnerInvocation(ProxyMethodInvocation original, Advised proxy, List<Object> advice, TargetMethod targetMethod) {
		super(original.getProxy(), original.getThis(), original.getMethod(), original.getArguments().clone(),
				InnerAdvice.targetClass(original, proxy), advice);
		this.original = original;
		this.targetMethod = targetMethod;
	}

	@Override
	protected @Nullable Object invokeJoinpoint() throws Throwable {
		return this.targetMethod.isCallable(this) ? this.targetMethod.call(this) : super.invokeJoinpoint();
	}

	@Override
	public void setUserAttribute(String key, @Nullable Object value) {
		this.original.setUserAttribute(key, value);
	}

	@Override
	public @Nullable Object getUserAttribute(String key) {
		return this.original.getUserAttribute(key);
	}

}
