package dev.backoff.spring.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.policy.PolicyUses;

/**
 * Find the other retries of an application, and how they multiply the attempts of
 * {@code @Backoff} methods.
 * <p>
 * A method meets the layers of the beans that its bean was given, and of those that were
 * given its bean, up to five steps away. Whether it calls them is not known, so the
 * numbers are the most that can be. No bean is created. Thread-safe.
 *
 * @since 0.1
 */
public final class RetryLayers {

	private static final Logger logger = LoggerFactory.getLogger(RetryLayers.class);

	private final ConfigurableListableBeanFactory factory;

	private final PolicyUses uses;

	private final List<RetryLayerFinder> finders = new ArrayList<>();

	/**
	 * Make the search.
	 * @param factory has the beans
	 * @param uses the annotated methods
	 * @param finders those of the application, beside the built-in ones
	 */
	public RetryLayers(ConfigurableListableBeanFactory factory, PolicyUses uses, List<RetryLayerFinder> finders) {
		this.factory = factory;
		this.uses = uses;
		this.finders.add(new AnnotationLayers());
		ExistingBeans beans = new ExistingBeans(factory);
		if (beans.isPresent("io.github.resilience4j.retry.RetryRegistry")) {
			this.finders.add(new ResilienceLayers());
		}
		if (beans.isPresent("org.apache.hc.client5.http.impl.classic.HttpClientBuilder")) {
			this.finders.add(new ApacheLayers());
		}
		this.finders.addAll(List.of(new BeanLayers(), new KafkaLayers(), new AmqpLayers()));
		this.finders.addAll(finders);
	}

	/**
	 * Search now.
	 * @return what is found
	 */
	public Report report() {
		LayerSearch search = new LayerSearch(this.factory, this.uses.uses());
		for (RetryLayerFinder finder : this.finders) {
			try {
				finder.find(this.factory, search::add);
			}
			catch (RuntimeException | LinkageError ex) {
				logger.debug("{} cannot look for other retries", finder.getClass().getName(), ex);
			}
		}
		return search.report();
	}

	/**
	 * What was found.
	 *
	 * @param layers the other retries
	 * @param methods the {@code @Backoff} methods that meet some, by name
	 * @param unretried the {@code @Scheduled} and listener methods without any retry, of
	 * their own or in the beans that they were given
	 */
	public record Report(List<RetryLayer> layers, Map<String, MethodLayers> methods, List<String> unretried) {
	}

	/**
	 * What a method meets.
	 *
	 * @param attempts its own, or null if they are unlimited
	 * @param meets the layers
	 * @param atMost how often what it calls may be called at most for one call to it or
	 * to the layer around it, or null
	 */
	public record MethodLayers(@Nullable Integer attempts, List<RetryLayer> meets, @Nullable Long atMost) {

		static MethodLayers greater(MethodLayers one, MethodLayers other) {
			return (other.atMost != null && one.atMost != null && other.atMost > one.atMost) ? other : one;
		}

		boolean isMultiplied() {
			return this.attempts != null && this.atMost != null && this.atMost > this.attempts;
		}

		String text() {
			return this.attempts + ", at most " + this.atMost
					+ this.meets.stream()
						.filter((layer) -> layer.factor() > 1)
						.map((layer) -> layer.name() + " " + layer.attempts())
						.distinct()
						.collect(Collectors.joining(", ", " (", ")"));
		}

	}

}
