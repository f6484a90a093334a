package dev.backoff.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ReflectionUtils;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.RetryTime;

/**
 * The faults of a Spring test, where this is a bean. They happen at each attempt of a
 * method with {@code @Backoff}, inside our advice and outside its transaction. They reach
 * only proxies, not woven methods or programmatic calls. Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffFaults {

	private final RetryTime time;

	private final long seed;

	private final Supplier<? extends Collection<String>> known;

	private final Map<String, FaultScript> scripts = new ConcurrentHashMap<>();

	BackoffFaults(RetryTime time, long seed, Supplier<? extends Collection<String>> known) {
		this.time = time;
		this.seed = seed;
		this.known = known;
	}

	/**
	 * Begin a script, which replaces the earlier one of that name.
	 * @param name a method ({@code OrderService.place}), or a policy for those of its
	 * methods that have no script
	 * @return the script, to be given steps
	 * @throws IllegalArgumentException if nothing has that name
	 */
	public FaultScript of(String name) {
		Collection<String> known = this.known.get();
		if (!known.contains(name)) {
			throw new IllegalArgumentException("Invalid name (" + name + "): must be that of a method with @Backoff "
					+ "that has a proxy, or of its policy: " + String.join(", ", known) + ".");
		}
		FaultScript script = new FaultScript(this.time, this.seed);
		this.scripts.put(name, script);
		return script;
	}

	/** End all faults. */
	public void clear() {
		this.scripts.clear();
	}

	@Nullable FaultScript find(String policy, String method) {
		return this.scripts.getOrDefault(method, this.scripts.get(policy));
	}

	/** Run each attempt of an annotated method as its script says. */
	static final class Advice implements MethodInterceptor {

		private final ObjectProvider<BackoffFaults> faults;

		private final ObjectProvider<BackoffPolicies> policies;

		Advice(ObjectProvider<BackoffFaults> faults, ObjectProvider<BackoffPolicies> policies) {
			this.faults = faults;
			this.policies = policies;
		}

		@Override
		@SuppressWarnings("NullAway") // it does not see that the result may be null
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			FaultScript script = script(invocation);
			if (script == null) {
				return invocation.proceed();
			}
			AtomicReference<@Nullable Throwable> real = new AtomicReference<>();
			try {
				return script.around(() -> {
					try {
						return invocation.proceed();
					}
					catch (Throwable ex) {
						real.set(ex);
						throw ex;
					}
				}).run();
			}
			catch (IOException ex) {
				// a caller would get it in an UndeclaredThrowableException
				throw (ex == real.get() || ReflectionUtils.declaresException(invocation.getMethod(), ex.getClass()))
						? ex : new UncheckedIOException(ex);
			}
		}

		private @Nullable FaultScript script(MethodInvocation invocation) {
			Method method = invocation.getMethod();
			Object bean = invocation.getThis();
			AnnotatedMethod annotated = Objects.requireNonNull(
					AnnotatedMethod.of(method, (bean != null) ? bean.getClass() : method.getDeclaringClass()));
			EffectivePolicy policy = this.policies.getObject().current().resolve(annotated, new ArrayList<>());
			String label = this.policies.getObject().current().label(annotated);
			return this.faults.getObject().find((policy != null) ? policy.name() : label, label);
		}

	}

}
