package dev.backoff.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.backoff.spring.policy.BackoffConfiguration;

/**
 * Match one mode of advice. It is read like all keys below {@code backoff}, in any
 * spelling, and an invalid value counts as proxies. It is evaluated in one phase only,
 * since that reads the whole configuration.
 */
abstract class OnAdviceMode extends SpringBootCondition implements ConfigurationCondition {

	private final boolean woven;

	OnAdviceMode(boolean woven) {
		this.woven = woven;
	}

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.PARSE_CONFIGURATION;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean isWoven = context.getEnvironment() instanceof ConfigurableEnvironment environment
				&& BackoffConfiguration.read(environment).isWoven();
		return new ConditionOutcome(isWoven == this.woven,
				ConditionMessage.forCondition("backoff.mode").because("it is " + (isWoven ? "aspectj" : "proxy")));
	}

	/** Advice by proxies. */
	static final class Proxy extends OnAdviceMode {

		Proxy() {
			super(false);
		}

	}

	/** Advice by weaving. */
	static final class AspectJ extends OnAdviceMode {

		AspectJ() {
			super(true);
		}

	}

}
