package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/** Find the adapter of a method, and report methods that cannot be retried. */
record ReturnTypeAdapters(@Nullable ClassLoader classLoader, boolean woven) {

	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final Set<String> REACTIVE_TYPES = Set.of("org.reactivestreams.Publisher",
			Flow.Publisher.class.getName(), FLOW, "kotlinx.coroutines.Deferred", "io.reactivex.rxjava3.core.Single",
			"io.reactivex.rxjava3.core.Maybe", "io.reactivex.rxjava3.core.Completable",
			"io.reactivex.rxjava3.core.Observable", "io.smallrye.mutiny.Uni");

	private static final Bridge REACTOR = new Bridge("reactor.core.publisher.Flux", "io.projectreactor:reactor-core");

	private static final Bridge COROUTINES = new Bridge("kotlinx.coroutines.reactor.MonoKt",
			"org.jetbrains.kotlinx:kotlinx-coroutines-reactor");

	/* Spring calls functions that suspend by it. */
	private static final Bridge REFLECTION = new Bridge("kotlin.reflect.full.KClasses",
			"org.jetbrains.kotlin:kotlin-reflect");

	/** Return a method's adapter, or report that it has none and return null. */
	@Nullable ReturnTypeAdapter find(AnnotatedMethod annotated, List<Problem> problems) {
		Method method = annotated.method();
		Class<?> type = returnType(annotated);
		if (Suspending.is(method)) {
			return suspending(annotated, problems);
		}
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return new StageAdapter();
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return refuse(annotated,
					"returns " + named(type)
							+ ((type == Future.class) ? ", which does not tell when it ends"
									: ", which its caller could not be given"),
					"Declare a CompletableFuture or a CompletionStage.", problems);
		}
		if (DurableAdapter.isHandle(type)) {
			return refuse(annotated, "returns a DurableCall, and its policy is not durable",
					"Set durable to true, or declare what the call returns.", problems);
		}
		return ReturnTypeAdapter.isAny(type, REACTIVE_TYPES) ? reactive(annotated, type, problems)
				: new BlockingAdapter();
	}

	/* A type variable is resolved by the class of the bean. */
	private static Class<?> returnType(AnnotatedMethod annotated) {
		Method method = annotated.method();
		return (method.getGenericReturnType() instanceof Class<?> type) ? type
				: ResolvableType.forMethodReturnType(method, annotated.type()).toClass();
	}

	private @Nullable ReturnTypeAdapter suspending(AnnotatedMethod annotated, List<Problem> problems) {
		if (this.woven) {
			// woven advice sees half of a coroutine and no publisher
			return refuse(annotated, "suspends, which only a proxy can retry",
					"Set backoff.mode to proxy, or let the function return a Mono.", problems);
		}
		Bridge missing = missing(REACTOR, COROUTINES, REFLECTION);
		if (missing != null) {
			return refuse(annotated, "suspends", missing, problems);
		}
		Class<?> result = Suspending.result(annotated.method(), annotated.type()).resolve();
		return new PublisherAdapter(null, ReturnTypeAdapter.isAny(result, Set.of(FLOW)));
	}

	private @Nullable ReturnTypeAdapter reactive(AnnotatedMethod annotated, Class<?> type, List<Problem> problems) {
		boolean kotlin = type.getName().startsWith("kotlinx.");
		Bridge missing = kotlin ? missing(REACTOR, COROUTINES) : missing(REACTOR);
		if (missing != null) {
			return refuse(annotated, "returns " + named(type), missing, problems);
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter == null) {
			return refuse(annotated, "returns " + named(type) + ", which Spring cannot adapt to Reactor",
					"Register it with Spring's ReactiveAdapterRegistry, or return a Mono or a Flux.", problems);
		}
		if (adapter.getReactiveType() != type) {
			return refuse(annotated, "returns " + named(type) + ", which its caller could not be given",
					"Declare " + named(adapter.getReactiveType()) + ".", problems);
		}
		return new PublisherAdapter(adapter, adapter.isMultiValue());
	}

	private static String named(Class<?> type) {
		return "a " + type.getSimpleName();
	}

	private @Nullable Bridge missing(Bridge... needed) {
		return Stream.of(needed)
			.filter((bridge) -> !ClassUtils.isPresent(bridge.type, this.classLoader))
			.findFirst()
			.orElse(null);
	}

	private static @Nullable ReturnTypeAdapter refuse(AnnotatedMethod annotated, String how, Bridge missing,
			List<Problem> problems) {
		return refuse(annotated, how + ", and " + missing.artifact + " is not on the class path",
				"Add the dependency " + missing.artifact + ".", problems);
	}

	private static @Nullable ReturnTypeAdapter refuse(AnnotatedMethod annotated, String how, String fix,
			List<Problem> problems) {
		problems.add(Problem.ofPlace(annotated.place(), (annotated.onMethod() != null) ? "is on a method that " + how
				: "reaches " + annotated.signature() + ", which " + how, fix));
		return null;
	}

	/** A library that a method needs to be seen as a publisher. */
	private record Bridge(String type, String artifact) {
	}

}
