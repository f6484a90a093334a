package dev.backoff.spring.advice;

import java.util.Optional;
import java.util.stream.Stream;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.OutboundRequest;

/** Find methods that send an unsafe request and do not say if that may repeat. */
final class UnsafeRequests {

	private static final String EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

	private UnsafeRequests() {
	}

	/** Return whether a method sends one. */
	static boolean areSent(MethodPlan plan) {
		Class<?> type = plan.method().type();
		// a class that implements such an interface serves its requests
		return type.isInterface() && !plan.policy().numbers().isIdempotencySet() && plan.until() == null
				&& Stream.of(plan.method().method(), type)
					.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
						.get(EXCHANGE)
						.getValue("method", String.class))
					.flatMap(Optional::stream)
					.filter((method) -> !method.isEmpty())
					.findFirst()
					.filter((method) -> !OutboundRequest.isRepeatable(method))
					.isPresent();
	}

}
