package dev.backoff.test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.util.ClassUtils;

/**
 * Add {@link BackoffTestConfiguration} to the contexts of tests, where the starter is,
 * and let each test begin anew, before its own preparations. Contexts that are processed
 * ahead of time do without, since it makes beans at run time.
 */
final class BackoffTestExtension implements ContextCustomizerFactory, TestExecutionListener {

	/* Another one than that of an import. */
	private static final String CONFIGURATION = "backoffTestConfiguration";

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return ClassUtils.isPresent("dev.backoff.spring.advice.BackoffMethods", getClass().getClassLoader())
				&& !Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING) ? new Customizer(find(testClass)) : null;
	}

	@Override
	public void beforeTestMethod(TestContext context) {
		TestBackoff test = find(context.getTestClass());
		if ((test == null || test.reset()) && context.hasApplicationContext()
				&& context.getApplicationContext().containsBean(CONFIGURATION)) {
			BackoffTestConfiguration.reset(context.getApplicationContext());
		}
	}

	private static @Nullable TestBackoff find(Class<?> testClass) {
		return TestContextAnnotationUtils.findMergedAnnotation(testClass, TestBackoff.class);
	}

	/** A part of the key of a context. */
	private record Customizer(@Nullable TestBackoff test) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			// what a run or the application itself has stored is no part of a test
			MutablePropertySources sources = context.getEnvironment().getPropertySources();
			PropertySource<?> file = new MapPropertySource("backoff-test", Map.of("backoff.durable.file",
					Path.of(System.getProperty("java.io.tmpdir"), "backoff-test-" + UUID.randomUUID()).toString()));
			sources.stream()
				.filter(OriginTrackedMapPropertySource.class::isInstance)
				.findFirst()
				.ifPresentOrElse((first) -> sources.addBefore(first.getName(), file), () -> sources.addLast(file));
			((BeanDefinitionRegistry) context).registerBeanDefinition(CONFIGURATION, new RootBeanDefinition(
					BackoffTestConfiguration.class, () -> new BackoffTestConfiguration(this.test)));
		}

	}

}
