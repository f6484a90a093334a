package dev.backoff.spring.aspectj;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Classes that are not woven. */
public class UnwovenTests {

	private final ApplicationContextRunner proxies = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.depot.max-attempts=3", "backoff.policies.depot.base=10ms")
		.withBean(VirtualTime.class)
		.withBean(RecordingListener.class);

	private final ApplicationContextRunner woven = this.proxies.withPropertyValues("backoff.mode=aspectj");

	@ParameterizedTest
	@ValueSource(strings = { "proxy", "PROXY" })
	void areRetriedByTheirProxyAndOnlyWhenTheyAreCalledThroughIt(String mode) {
		this.proxies.withPropertyValues("backoff.mode=" + mode).withBean(Kinds.Parcels.class).run((context) -> {
			assertThat(context).hasSingleBean(BackoffAdvisor.class).doesNotHaveBean(WovenBeans.class);
			Kinds.Parcels parcels = context.getBean(Kinds.Parcels.class);
			Script.fail(9);
			assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> parcels.send("a"));
			assertThat(Script.runs()).containsExactly("a attempt 1", "a attempt 2", "a attempt 3");
			Script.fail(9);
			assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> parcels.sendByItself("a"));
			assertThat(Script.runs()).containsExactly("a alone");
		});
	}

	@ParameterizedTest
	@MethodSource
	void areReportedInModeAspectj(Class<?> type, String report) {
		this.woven.withUserConfiguration(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
				.isInstanceOf(InvalidBackoffException.class)
				.hasMessage(report);
		});
	}

	static Stream<Arguments> areReportedInModeAspectj() {
		return Stream.of(Arguments.of(Kinds.Parcels.class,
				"@Backoff on Parcels.send(String): is in a class that is not woven (Parcels), and with "
						+ "backoff.mode: aspectj nothing else would retry it. Weave Parcels when it is loaded "
						+ "(-javaagent:aspectjweaver.jar) or compiled (aspectj-maven-plugin with retry-aspectj among "
						+ "its aspectLibraries), or set backoff.mode to proxy."),
				Arguments.of(Kinds.Branch.class, """
						@Backoff on Branch: is in a class that is not woven (Office), and with backoff.mode: aspectj \
						nothing else would retry it. Weave Office when it is loaded (-javaagent:aspectjweaver.jar) \
						or compiled (aspectj-maven-plugin with retry-aspectj among its aspectLibraries), or set \
						backoff.mode to proxy.
						@Backoff on Branch: is in a class that is not woven (Branch), and with backoff.mode: aspectj \
						nothing else would retry it. Weave Branch when it is loaded (-javaagent:aspectjweaver.jar) \
						or compiled (aspectj-maven-plugin with retry-aspectj among its aspectLibraries), or set \
						backoff.mode to proxy."""),
				Arguments.of(Post.class,
						"@Backoff on Post.send(String): is on a method that Post overrides or implements, where no weaver "
								+ "sees it. Write it on Post.send(String) too, or set backoff.mode to proxy."),
				Arguments.of(Products.class,
						"@Backoff on Mail.send(String): is on a method that no class implements, so that there is "
								+ "nothing to weave. Annotate a method that calls it, or set backoff.mode to proxy."),
				Arguments.of(LateProducts.class,
						"@Backoff on Post.send(String): is on a method that Post overrides or implements, where no weaver "
								+ "sees it. Write it on Post.send(String) too, or set backoff.mode to proxy."));
	}

	@Test
	void areNotReportedWhenNothingIsRetriedAtAll() {
		this.woven.withPropertyValues("backoff.enabled=false")
			.withUserConfiguration(Post.class, Products.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/* Conditions are frozen where an application is processed ahead of time. */
	@Test
	void areReportedWhereTheModeIsSetAfterTheConditions() {
		this.proxies.withUserConfiguration(LateMode.class)
			.withBean(Kinds.Parcels.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidBackoffException.class)
				.hasMessageContaining("is in a class that is not woven (Parcels)"));
	}

	/** A contract with an annotated method. */
	interface Mail {

		@Backoff("depot")
		void send(String text);

	}

	static class Post implements Mail {

		@Override
		public void send(String text) {
			throw new IllegalStateException("not called");
		}

	}

	/** A client that is made of an interface. */
	@Configuration(proxyBeanMethods = false)
	static class Products {

		@Bean
		Mail mail() {
			return (Mail) java.lang.reflect.Proxy.newProxyInstance(Mail.class.getClassLoader(),
					new Class<?>[] { Mail.class }, (proxy, method, arguments) -> null);
		}

	}

	/** What an application has where its mode is another than that it was built for. */
	@Configuration(proxyBeanMethods = false)
	static class LateMode {

		@Bean
		static BeanDefinitionRegistryPostProcessor lateMode(ConfigurableEnvironment environment) {
			return (registry) -> {
				TestPropertyValues.of("backoff.mode=aspectj").applyTo(environment);
				// nothing is kept of what conditions read ahead of time
				((DefaultListableBeanFactory) registry).destroySingleton(BackoffConfiguration.class.getName());
			};
		}

	}

	/** A bean whose class only its creation tells. */
	@Configuration(proxyBeanMethods = false)
	static class LateProducts {

		@Bean
		Object mail() {
			return new Post();
		}

	}

}
