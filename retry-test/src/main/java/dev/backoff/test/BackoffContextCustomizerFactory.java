package dev.backoff.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Add {@link BackoffTestConfiguration} to the contexts of tests, where the starter is.
 * Contexts that are processed ahead of time do without, since it makes beans at run time.
 */
final class BackoffContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return ClassUtils.isPresent("dev.backoff.spring.advice.BackoffMethods", getClass().getClassLoader())
				&& !Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)
						? new Customizer(TestContextAnnotationUtils.findMergedAnnotation(testClass, TestBackoff.class))
						: null;
	}

	/** A part of the key of a context. */
	private record Customizer(@Nullable TestBackoff test) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			((BeanDefinitionRegistry) context).registerBeanDefinition(BackoffResetListener.CONFIGURATION,
					new RootBeanDefinition(BackoffTestConfiguration.class,
							() -> new BackoffTestConfiguration(this.test)));
		}

	}

}
