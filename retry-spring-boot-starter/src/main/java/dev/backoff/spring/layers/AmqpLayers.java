package dev.backoff.spring.layers;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** What Spring AMQP repeats, by the properties of Spring Boot. */
final class AmqpLayers implements RetryLayerFinder {

	static final String LISTENER = "org.springframework.amqp.rabbit.annotation.RabbitListener";

	private static final String RABBIT = "spring.rabbitmq.";

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		Environment environment = (Environment) Objects.requireNonNull(factory.getSingleton("environment"));
		String listener = RABBIT + "listener." + environment.getProperty(RABBIT + "listener.type", "simple");
		RetryLayer delivery = isOn(environment, listener) ? amqp("Spring AMQP listener", listener, environment)
				: new RetryLayer("Spring AMQP listener", listener, null,
						"any exception: the broker delivers again, at once",
						listener + ".default-requeue-rejected=false", null);
		if (!"false".equals(environment.getProperty(listener + ".default-requeue-rejected"))
				|| delivery.attempts() != null) {
			beans.visit(List.of(LISTENER), (bean, method, annotation) -> found.accept(bean, delivery));
		}
		if (isOn(environment, RABBIT + "template")) {
			beans.of("org.springframework.amqp.rabbit.core.RabbitTemplate")
				.keySet()
				.forEach((name) -> found.accept(name, amqp("Spring AMQP template", RABBIT + "template", environment)));
		}
	}

	private static boolean isOn(Environment environment, String prefix) {
		return environment.getProperty(prefix + ".retry.enabled", Boolean.class, false);
	}

	private static RetryLayer amqp(String name, String prefix, Environment environment) {
		int retries = environment.getProperty(prefix + ".retry.max-retries", Integer.class, 3);
		return new RetryLayer(name, prefix + ".retry", retries + 1, "any exception", prefix + ".retry.enabled=false",
				null);
	}

}
