package dev.backoff.spring.actuate;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.spring.actuate.PolicyDescriptions.PolicyDescriptor;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffEndpointAutoConfiguration.class));

	@Test
	void suppliesTheEndpointIfItIsExposed() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=backoff")
			.run((context) -> assertThat(context).hasSingleBean(BackoffEndpoint.class));
	}

	@Test
	void suppliesNoneByDefault() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BackoffEndpoint.class));
	}

	@Test
	void suppliesNoneWithoutAccess() {
		this.runner
			.withPropertyValues("management.endpoints.web.exposure.include=*",
					"management.endpoint.backoff.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(BackoffEndpoint.class));
	}

	@Test
	void suppliesNoneWithoutActuator() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.withPropertyValues("management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("backoffEndpoint"));
	}

	@Test
	void showsAChildContextItsOwnPolicies() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=*")
			.run((parent) -> this.runner.withParent(parent)
				.withPropertyValues("backoff.policies.mail.base=2s")
				.run((child) -> assertThat(policies(child)).containsOnlyKeys("mail")));
	}

	private static Map<String, PolicyDescriptor> policies(ApplicationContext context) {
		Object shown = context.getBean(BackoffEndpoint.class).policies(null);
		return ((BackoffEndpoint.BackoffDescriptor) shown).policies();
	}

}
