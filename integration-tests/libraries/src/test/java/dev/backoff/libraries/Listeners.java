package dev.backoff.libraries;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.listener.DefaultErrorHandler;

import dev.backoff.spring.adapt.FrameworkRetries;

@Configuration(proxyBeanMethods = false)
public class Listeners {

	@Bean
	DefaultErrorHandler errorHandler(FrameworkRetries retries) {
		return new DefaultErrorHandler(retries.backOff("orders"));
	}

}
