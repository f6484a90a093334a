package dev.backoff.spring.advice;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * The rest of an invocation: the advice behind ours and the target, run anew though the
 * invocation may have been used up. It has its own copy of the arguments; user attributes
 * are the original's.
 */
final class InnerInvocation extends ReflectiveMethodInvocation {

	private final ProxyMethodInvocation original;

	private final TargetMethod targetMethod;

	private InnerInvocation(ProxyMethodInvocation original, @Nullable Class<?> targetClass, List<Object> advice,
			TargetMethod targetMethod) {
		super(original.getProxy(), original.getThis(), original.getMethod(), original.getArguments().clone(),
				targetClass, advice);
		this.original = original;
		this.targetMethod = targetMethod;
	}

	/** Make one that runs the given advice, which is behind ours, and the target. */
	static InnerInvocation of(ProxyMethodInvocation original, Advised proxy, List<Object> advice,
			TargetMethod targetMethod) {
		return new InnerInvocation(original, targetClass(original, proxy), advice, targetMethod);
	}

	/** Return the advice behind ours, in the order it runs. */
	static List<Object> adviceInside(ProxyMethodInvocation invocation, Advised proxy) {
		List<Object> chain = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(proxy,
				invocation.getMethod(), targetClass(invocation, proxy));
		int ours = 0;
		while (ours < chain.size() && !(chain.get(ours) instanceof BackoffInterceptor)) {
			ours++;
		}
		return chain.subList(Math.min(ours + 1, chain.size()), chain.size());
	}

	/** Return the class of the object that the invocation goes to. */
	static @Nullable Class<?> targetClass(ProxyMethodInvocation invocation, Advised proxy) {
		return (invocation.getThis() != null) ? invocation.getThis().getClass() : proxy.getTargetClass();
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
