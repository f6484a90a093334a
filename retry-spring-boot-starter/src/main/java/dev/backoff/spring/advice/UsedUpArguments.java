package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Set;
import java.util.stream.IntStream;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.policy.RetryPolicy;

/**
 * Find methods with arguments that the first attempt uses up: the others read nothing, or
 * change an entity that no session manages any more, and may succeed all the same.
 */
final class UsedUpArguments {

	private static final Set<String> READ_ONCE = Set.of("java.io.InputStream", "java.io.Reader",
			"java.nio.channels.Channel", "java.util.Iterator", "java.util.Spliterator", "java.util.stream.BaseStream",
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher", ReturnTypeAdapters.FLOW,
			"kotlinx.coroutines.channels.ReceiveChannel", "org.springframework.core.io.InputStreamResource",
			"org.springframework.web.multipart.MultipartFile", "org.springframework.http.codec.multipart.Part",
			"jakarta.servlet.http.Part");

	private static final String ENTITY = "jakarta.persistence.Entity";

	private UsedUpArguments() {
	}

	/** Return whether a method is retried with the argument that its caller gave. */
	static boolean areIn(MethodPlan plan) {
		RetryPolicy policy = plan.policy().numbers();
		Method method = plan.method().method();
		// what is stored is made anew for each attempt
		return policy.maxAttempts() > 1 && policy.isEnabled() && !plan.policy().isDurable()
				&& IntStream.range(0, method.getParameterCount())
					.mapToObj((index) -> RecoverMethods.parameter(method, index, plan.method().type()))
					.anyMatch((type) -> isUsedUp(type) || isUsedUp(type.getComponentType())
							|| isUsedUp(type.as(Collection.class).getGeneric()));
	}

	private static boolean isUsedUp(ResolvableType argument) {
		Class<?> type = argument.resolve();
		return type != null && (ReturnTypeAdapters.isAny(type, READ_ONCE)
				|| MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ENTITY));
	}

}
