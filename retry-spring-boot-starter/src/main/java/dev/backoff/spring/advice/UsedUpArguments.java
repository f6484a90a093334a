package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.spring.policy.AnnotatedMethod;

/** Find the arguments that the first attempt uses up or writes into. */
final class UsedUpArguments {

	private static final Set<String> ONCE = Set.of("java.io.InputStream", "java.lang.Readable", "java.io.DataInput",
			"java.nio.Buffer", "java.nio.channels.Channel", "java.util.Iterator", "java.util.Spliterator",
			"java.util.stream.BaseStream", "java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
			"kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.channels.ReceiveChannel",
			"org.springframework.core.io.InputStreamResource", "org.springframework.web.multipart.MultipartFile",
			"org.springframework.http.codec.multipart.Part", "jakarta.servlet.http.Part",
			// written into; a writer can be flushed
			"java.io.Flushable", "java.lang.Appendable", "java.io.DataOutput", "java.util.concurrent.Flow$Subscriber",
			"org.reactivestreams.Subscriber", "reactor.core.publisher.FluxSink", "io.grpc.stub.StreamObserver",
			"kotlinx.coroutines.flow.FlowCollector", "kotlinx.coroutines.channels.SendChannel",
			"jakarta.servlet.ServletResponse", "org.springframework.http.HttpOutputMessage",
			"org.springframework.http.ReactiveHttpOutputMessage",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final String ENTITY = "jakarta.persistence.Entity";

	private UsedUpArguments() {
	}

	/** Return whether a method takes any. */
	static boolean areIn(AnnotatedMethod annotated) {
		Method method = annotated.method();
		return IntStream.range(0, method.getParameterCount())
			.mapToObj((index) -> ResolvableType
				.forMethodParameter(new MethodParameter(method, index).withContainingClass(annotated.type())))
			.flatMap((type) -> Stream.of(type, type.getComponentType(), type.as(Collection.class).getGeneric(),
					type.as(Map.class).getGeneric(1), type.as(Optional.class).getGeneric()))
			.anyMatch((type) -> isUsedUp(type.toClass()));
	}

	static boolean isUsedUp(Class<?> type) {
		return ReturnTypeAdapter.isAny(type, ONCE)
				|| MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ENTITY);
	}

}
