package dev.backoff.spring.advice;

import java.util.List;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * An attempt after the first: the advice behind ours runs anew, so that each attempt has
 * a transaction of its own.
 * <p>
 * The first attempt proceeds on the original invocation, because a clone made before it
 * would cost every successful call. After it, the original and its clones stand at the
 * end of the chain, and proceeding would skip that advice; hence a new invocation over
 * it. User attributes are the original's.
 */
final class LaterInvocation extends ReflectiveMethodInvocation {

	private final ProxyMethodInvocation first;

	private LaterInvocation(ProxyMethodInvocation first, @Nullable Class<?> targetClass, List<Object> advice) {
		super(first.getProxy(), first.getThis(), first.getMethod(), first.getArguments(), targetClass, advice);
		this.first = first;
	}

	/** Make any attempt of an invocation. */
	static @Nullable Object proceed(MethodInvocation invocation, int number) throws Throwable {
		if (invocation instanceof ProxyMethodInvocation first) {
			if (!(first.getProxy() instanceof Advised proxy)) {
				// an opaque proxy shows no chain, so no attempt may use up the original
				return first.invocableClone().proceed();
			}
			if (number > 1) {
				return after(first, proxy).proceed();
			}
		}
		return invocation.proceed();
	}

	private static MethodInvocation after(ProxyMethodInvocation first, Advised proxy) {
		Class<?> targetClass = (first.getThis() != null) ? first.getThis().getClass() : proxy.getTargetClass();
		List<Object> chain = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(proxy,
				first.getMethod(), targetClass);
		int ours = 0;
		while (ours < chain.size() && !(chain.get(ours) instanceof BackoffInterceptor)) {
			ours++;
		}
		return new LaterInvocation(first, targetClass, chain.subList(Math.min(ours + 1, chain.size()), chain.size()));
	}

	@Override
	public void setUserAttribute(String key, @Nullable Object value) {
		this.first.setUserAttribute(key, value);
	}

	@Override
	public @Nullable Object getUserAttribute(String key) {
		return this.first.getUserAttribute(key);
	}

}
