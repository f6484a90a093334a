package dev.backoff.spring.layers;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.layers.RetryLayers.MethodLayers;
import dev.backoff.spring.layers.RetryLayers.Report;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.PolicyUses;

/** One search: from the layers of each bean to what the methods meet. */
final class LayerSearch {

	private static final int STEPS = 5;

	private static final Comparator<RetryLayer> BY_FACTOR = Comparator.comparingInt(RetryLayer::factor);

	private static final List<String> UNATTENDED = List.of("org.springframework.scheduling.annotation.Scheduled",
			KafkaLayers.LISTENER, AmqpLayers.LISTENER, "org.springframework.jms.annotation.JmsListener",
			"org.springframework.pulsar.annotation.PulsarListener", "io.awspring.cloud.sqs.annotation.SqsListener");

	private final ConfigurableListableBeanFactory factory;

	private final ExistingBeans beans;

	private final List<PolicyUse> uses;

	private final Map<String, Set<RetryLayer>> layers = new LinkedHashMap<>();

	LayerSearch(ConfigurableListableBeanFactory factory, List<PolicyUse> uses) {
		this.factory = factory;
		this.beans = new ExistingBeans(factory);
		this.uses = uses;
	}

	void add(String bean, RetryLayer layer) {
		this.layers.computeIfAbsent(bean, (name) -> new LinkedHashSet<>()).add(layer);
	}

	Report report() {
		// and those that have programmatic retries
		Set<String> retrying = new HashSet<>(List.of(this.factory.getBeanNamesForType(PolicyUses.class, true, false)));
		this.layers.forEach((bean, layers) -> {
			if (layers.stream().anyMatch((layer) -> layer.factor() > 1)) {
				retrying.add(bean);
			}
		});
		Map<String, MethodLayers> methods = new TreeMap<>();
		for (String bean : this.factory.getBeanDefinitionNames()) {
			Class<?> type = this.beans.type(bean);
			this.uses.stream().filter((use) -> type != null && isIn(type, use.annotated())).forEach((use) -> {
				retrying.add(bean);
				MethodLayers met = met(bean, use);
				if (!met.meets().isEmpty()) {
					methods.merge(use.method(), met, MethodLayers::greater);
				}
			});
		}
		return new Report(this.layers.values().stream().flatMap(Set::stream).distinct().toList(), methods,
				unretried(retrying));
	}

	/* A proxy without a class of its own has the methods of its interface. */
	private static boolean isIn(Class<?> type, AnnotatedMethod method) {
		return type == method.type() || (method.type().isInterface() && method.type().isAssignableFrom(type));
	}

	private MethodLayers met(String bean, PolicyUse use) {
		Set<RetryLayer> meets = own(bean, use.annotated().label());
		Map<String, Set<RetryLayer>> within = ways(bean, greatest(meets), this.factory::getDependenciesForBean);
		Map<String, Set<RetryLayer>> around = ways(bean, Set.of(), this.factory::getDependentBeans);
		within.keySet().forEach((other) -> meets.addAll(at(other)));
		around.keySet().forEach((other) -> meets.addAll(at(other)));
		int attempts = use.policy().numbers().maxAttempts();
		return (attempts == RetryPolicy.UNLIMITED_ATTEMPTS) ? new MethodLayers(null, List.copyOf(meets), null)
				: new MethodLayers(attempts, List.copyOf(meets),
						(long) (attempts * greatest(within.values()) * greatest(around.values())));
	}

	private Set<RetryLayer> at(String bean) {
		return this.layers.getOrDefault(bean, Set.of());
	}

	/*
	 * The layers of a bean are for all its methods, or for the one that is their place.
	 */
	private Set<RetryLayer> own(String bean, String method) {
		String type = method.substring(0, method.indexOf('.') + 1);
		return at(bean).stream()
			.filter((layer) -> layer.place().equals(method) || !layer.place().startsWith(type))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/* Of the layers of one bean, whose methods do not call each other, one counts. */
	private static Set<RetryLayer> greatest(Set<RetryLayer> layers) {
		return layers.stream().max(BY_FACTOR).map(Set::of).orElse(Set.of());
	}

	/*
	 * Return the beans within reach, each with the layers on the way to it that multiply
	 * most. The name of the bean itself, whose other methods it does not meet, is empty.
	 */
	private Map<String, Set<RetryLayer>> ways(String bean, Set<RetryLayer> start, Function<String, String[]> next) {
		Map<String, Set<RetryLayer>> ways = new LinkedHashMap<>(Map.of("", start));
		Map<String, Set<RetryLayer>> front = Map.of(bean, start);
		for (int step = 0; step < STEPS; step++) {
			Map<String, Set<RetryLayer>> further = new LinkedHashMap<>();
			front.forEach((from, way) -> {
				for (String to : next.apply(from)) {
					if (!to.equals(bean)) {
						Set<RetryLayer> longer = new LinkedHashSet<>(way);
						longer.addAll(greatest(at(to)));
						further.merge(to, longer, LayerSearch::greater);
					}
				}
			});
			further.forEach((to, way) -> ways.merge(to, way, LayerSearch::greater));
			front = further;
		}
		return ways;
	}

	private static Set<RetryLayer> greater(Set<RetryLayer> one, Set<RetryLayer> other) {
		return (product(one) >= product(other)) ? one : other;
	}

	private static double product(Set<RetryLayer> way) {
		return way.stream().mapToDouble(RetryLayer::factor).reduce(1, (one, other) -> one * other);
	}

	private static double greatest(Collection<Set<RetryLayer>> ways) {
		return ways.stream().mapToDouble(LayerSearch::product).max().orElse(1);
	}

	private List<String> unretried(Set<String> retrying) {
		Set<String> retried = this.uses.stream().map((use) -> use.annotated().label()).collect(Collectors.toSet());
		Set<String> unretried = new TreeSet<>();
		this.beans.visit(UNATTENDED, (bean, method, annotation) -> {
			boolean own = retried.contains(method)
					|| own(bean, method).stream().anyMatch((layer) -> !Integer.valueOf(1).equals(layer.attempts()));
			if (!own && annotation.getSource() instanceof Method && Collections
				.disjoint(ways(bean, Set.of(), this.factory::getDependenciesForBean).keySet(), retrying)) {
				unretried.add(method + " (@" + annotation.getType().getSimpleName() + ")");
			}
		});
		return List.copyOf(unretried);
	}

}
