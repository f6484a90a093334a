package dev.backoff.spring.http;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webclient.WebClientCustomizer;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.HttpSettings;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffHttpAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(AopAutoConfiguration.class,
			BackoffAutoConfiguration.class, BackoffHttpAutoConfiguration.class);

	private static final HttpSettings SETTINGS = new HttpSettings(List.of(), "A", "B", "C");

	@Nested
	class Clients {

		private final ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(CONFIGURATIONS);

		@Test
		void areCustomized() {
			this.runner.run((context) -> assertThat(context).hasSingleBean(BlockingClientHeaders.class)
				.hasSingleBean(ReactiveClientHeaders.class));
		}

		@Test
		void areLeftAloneWhereTheyAreAbsent() {
			this.runner.withClassLoader(new FilteredClassLoader(RestClientCustomizer.class, WebClientCustomizer.class))
				.run((context) -> assertThat(context).hasNotFailed()
					.doesNotHaveBean("backoffBlockingClientHeaders")
					.doesNotHaveBean("backoffReactiveClientHeaders"));
		}

	}

	@Nested
	class Servlets {

		private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
			.withConfiguration(CONFIGURATIONS);

		@Test
		void areFilteredIfAskedFor() {
			this.runner.withPropertyValues("backoff.http.inbound=true").run((context) -> {
				FilterRegistrationBean<?> registration = context.getBean(FilterRegistrationBean.class);
				assertThat(registration.getFilter()).isInstanceOf(InboundServletFilter.class);
				assertThat(registration.getOrder()).isEqualTo(Integer.MIN_VALUE + 10);
			});
		}

		@Test
		void areNotFilteredByDefault() {
			this.runner.run((context) -> assertThat(context).doesNotHaveBean(FilterRegistrationBean.class));
		}

		@Test
		void areNotFilteredWithoutServlets() {
			new ApplicationContextRunner().withConfiguration(CONFIGURATIONS)
				.withPropertyValues("backoff.http.inbound=true")
				.run((context) -> assertThat(context).hasNotFailed()
					.doesNotHaveBean("backoffInboundFilter")
					.doesNotHaveBean("backoffInboundWebFilter"));
		}

		@Test
		void areFilteredByTheBeanOfTheApplication() {
			FilterRegistrationBean<InboundServletFilter> own = new FilterRegistrationBean<>(
					new InboundServletFilter(SETTINGS));
			this.runner.withPropertyValues("backoff.http.inbound=true")
				.withBean("backoffInboundFilter", FilterRegistrationBean.class, () -> own)
				.run((context) -> assertThat(context).getBean(FilterRegistrationBean.class).isSameAs(own));
		}

	}

	@Nested
	class ReactiveHandlers {

		private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
			.withConfiguration(CONFIGURATIONS);

		@Test
		void areFilteredIfAskedFor() {
			this.runner.withPropertyValues("backoff.http.inbound=true")
				.run((context) -> assertThat(context).hasSingleBean(InboundWebFilter.class));
		}

		@Test
		void areNotFilteredByDefault() {
			this.runner.run((context) -> assertThat(context).doesNotHaveBean(InboundWebFilter.class));
		}

	}

}
