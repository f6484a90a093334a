package dev.backoff.spring.configuration;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Match if a key directly below {@code backoff} has the given value. The key may have any
 * spelling. A value that cannot be read counts as the default.
 *
 * @since 0.1
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(ConditionalOnSetting.OnSetting.class)
public @interface ConditionalOnSetting {

	/**
	 * Return the key, for instance {@code metrics.enabled}; {@code breakers} is true if
	 * any breaker is defined.
	 */
	String value();

	/** Return the value that matches. */
	String is() default "true";

	final class OnSetting extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionalOnSetting condition = metadata.getAnnotations().get(ConditionalOnSetting.class).synthesize();
			String found = BackoffConfiguration
				.of(Objects.requireNonNull(context.getBeanFactory()), context.getEnvironment())
				.setting(condition.value());
			return new ConditionOutcome(found.equals(condition.is()),
					ConditionMessage.forCondition(ConditionalOnSetting.class)
						.because("backoff." + condition.value() + " is " + found));
		}

	}

}
