package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Find the arguments that the first attempt uses up: the others read nothing, or change
 * an entity that no session manages any more, and may succeed all the same.
 */
final class UsedUpArguments {

	private static final Set<String> READ_ONCE = Set.of("java.io.InputStream", "java.io.Reader",
			"java.nio.channels.Channel", "java.util.Iterator", "java.util.Spliterator", "java.util.stream.BaseStream",
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.channels.ReceiveChannel", "org.springframework.core.io.InputStreamResource",
			"org.springframework.web.multipart.MultipartFile", "org.springframework.http.codec.multipart.Part",
			"jakarta.servlet.http.Part");

	private static final String ENTITY = "jakarta.persistence.Entity";

	private UsedUpArguments() {
	}

	/** Return whether a method takes any. */
	static boolean areIn(AnnotatedMethod annotated) {
		Method method = annotated.method();
		return IntStream.range(0, method.getParameterCount())
			.mapToObj((index) -> ResolvableType
				.forMethodParameter(new MethodParameter(method, index).withContainingClass(annotated.type())))
			.anyMatch((type) -> isUsedUp(type) || isUsedUp(type.getComponentType())
					|| isUsedUp(type.as(Collection.class).getGeneric()) || isUsedUp(type.as(Map.class).getGeneric(1))
					|| isUsedUp(type.as(Optional.class).getGeneric()));
	}

	private static boolean isUsedUp(ResolvableType argument) {
		Class<?> type = argument.resolve();
		return type != null && (ReturnTypeAdapter.isAny(type, READ_ONCE)
				|| MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ENTITY));
	}

}
