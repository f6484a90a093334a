package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;

/** The exception types that a policy's lists name. */
record FailureTypes(@Nullable ClassLoader classLoader, List<Problem> problems) {

	/* Where the exceptions live that people name without their package. */
	private static final List<String> COMMON_PACKAGES = List.of("java.lang.", "java.io.", "java.net.", "java.sql.",
			"java.util.concurrent.", "org.springframework.dao.", "org.springframework.web.client.");

	/** Return the types that lists name; those that cannot be used are reported. */
	List<Class<? extends Throwable>> of(Key<?> key, List<ConfigValue> lists) {
		List<Class<? extends Throwable>> types = new ArrayList<>();
		for (ConfigValue list : lists) {
			for (String text : list.texts()) {
				Class<? extends Throwable> type = type(key, list.element(text));
				if (type != null && !types.contains(type)) {
					types.add(type);
				}
			}
		}
		return types;
	}

	private @Nullable Class<? extends Throwable> type(Key<?> key, ConfigValue name) {
		Class<?> type;
		try {
			type = ClassUtils.forName(name.text(), this.classLoader);
		}
		catch (ClassNotFoundException | LinkageError ex) {
			this.problems.add(name.problem("names a class that is not on the class path", fullName(name.text())));
			return null;
		}
		if (!Throwable.class.isAssignableFrom(type)) {
			this.problems.add(name.problem("names a class that is no exception", "Write an exception type."));
			return null;
		}
		if (key == PolicyKey.RETRY_ON && (VirtualMachineError.class.isAssignableFrom(type)
				|| LinkageError.class.isAssignableFrom(type) || ThreadDeath.class.isAssignableFrom(type)
				|| InterruptedException.class.isAssignableFrom(type) || CircuitOpenException.isRefusal(type))) {
			this.problems.add(name.problem("names a failure that is never retried", "Remove it."));
		}
		return type.asSubclass(Throwable.class);
	}

	private String fullName(String text) {
		for (String common : COMMON_PACKAGES) {
			if (text.indexOf('.') < 0 && ClassUtils.isPresent(common + text, this.classLoader)) {
				return "Write " + common + text + ".";
			}
		}
		return "Write the full name of an exception, as in java.io.IOException.";
	}

}
