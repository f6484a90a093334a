package dev.backoff.spring.layers;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.backoff.BackOff;

/** What Spring for Apache Kafka repeats by its error handlers and topics. */
final class KafkaLayers implements RetryLayerFinder {

	static final String LISTENER = "org.springframework.kafka.annotation.KafkaListener";

	private static final String RETRYABLE_TOPIC = "org.springframework.kafka.annotation.RetryableTopic";

	private static final String HANDLER = "org.springframework.kafka.listener.DefaultErrorHandler";

	/* Of the handler that a container has by default. */
	private static final int DEFAULT = 10;

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		Map<String, Object> containers = beans
			.of("org.springframework.kafka.config.AbstractKafkaListenerContainerFactory");
		Set<String> onTopics = new HashSet<>();
		beans.visit(List.of(RETRYABLE_TOPIC), (bean, method, annotation) -> {
			onTopics.add(method);
			Double attempts = beans.number(annotation, "attempts", "attempts");
			found.accept(bean, new RetryLayer("@RetryableTopic", method,
					(attempts != null) ? attempts.intValue() : null, "any exception", "remove the annotation", null));
		});
		beans.visit(List.of(LISTENER), (bean, method, annotation) -> {
			String container = annotation.getString("containerFactory");
			container = container.isEmpty() ? "kafkaListenerContainerFactory" : container;
			Object handled = onTopics.contains(method) ? null : containers.get(container);
			if (handled != null) {
				RetryLayer layer = ofHandler("bean " + container, ExistingBeans.read(handled, "commonErrorHandler"));
				if (layer != null) {
					found.accept(bean, layer);
				}
			}
		});
	}

	/* Other handlers repeat nothing that can be counted. */
	private static @Nullable RetryLayer ofHandler(String place, @Nullable Object handler) {
		Integer attempts = DEFAULT;
		if (handler != null) {
			Class<?> type = ClassUtils.resolveClassName(HANDLER, handler.getClass().getClassLoader());
			if (!type.isInstance(handler)) {
				return null;
			}
			BackOff rule = (BackOff) ExistingBeans.read(handler, "failureTracker.backOff");
			attempts = BeanLayers.attempts(Objects.requireNonNull(rule));
		}
		return new RetryLayer("Kafka error handler", place, attempts, "most exceptions",
				"a bean DefaultErrorHandler with FixedBackOff(0, 0)", null);
	}

}
