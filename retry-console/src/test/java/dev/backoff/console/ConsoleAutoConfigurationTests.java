package dev.backoff.console;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class ConsoleAutoConfigurationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ConsoleAutoConfiguration.class));

	@Test
	void suppliesTheConsoleIfExposureAndAccessNameIt() {
		String exposed = "management.endpoints.web.exposure.include=backoffconsole";
		String access = "management.endpoint.backoffconsole.access=READ_ONLY";
		this.runner.withPropertyValues(exposed, access)
			.run((context) -> assertThat(context).hasSingleBean(ConsoleEndpoint.class));
		for (String alone : List.of(exposed, access, "management.endpoints.web.exposure.include=*")) {
			this.runner.withPropertyValues(alone)
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ConsoleEndpoint.class));
		}
	}

	@Test
	void suppliesNothingWithoutActuator() {
		this.runner
			.withPropertyValues("management.endpoints.web.exposure.include=backoffconsole",
					"management.endpoint.backoffconsole.access=READ_ONLY")
			.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ConsoleEndpoint.class));
	}

}
