package dev.backoff.spring.layers;

import java.util.function.BiConsumer;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Find the retries of a library: a bean type. Each finder is called once after start-up,
 * on a thread of its own, and whenever the endpoint shows the layers. If it throws, that
 * is logged at DEBUG, and the other finders go on. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface RetryLayerFinder {

	/**
	 * Find the layers, and create no bean for it.
	 * @param beans the beans of the application
	 * @param found takes each layer with the name of a bean whose calls it repeats
	 */
	void find(ConfigurableListableBeanFactory beans, BiConsumer<String, RetryLayer> found);

}
