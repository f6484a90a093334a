package dev.backoff.libraries;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** The container of Kafka repeats nothing. */
@Configuration(proxyBeanMethods = false)
public class DeadLetters {

	@Bean
	DefaultErrorHandler errorHandler(KafkaOperations<?, ?> kafka) {
		return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(kafka), new FixedBackOff(0, 0));
	}

}
