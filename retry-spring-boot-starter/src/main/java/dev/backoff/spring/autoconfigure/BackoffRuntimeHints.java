package dev.backoff.spring.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopContext;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.BackoffConfiguration;

/** Keep the classes that a native image finds by name only. */
final class BackoffRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<String> LIBRARIES = List.of("feign.FeignException", "io.grpc.StatusRuntimeException",
			"io.grpc.protobuf.StatusProto", "io.micrometer.context.ContextSnapshotFactory", "java.sql.SQLException",
			"jakarta.mail.MessagingException", "kotlin.reflect.full.KClasses", "kotlinx.coroutines.reactor.MonoKt",
			"org.apache.hc.client5.http.impl.classic.HttpClientBuilder",
			"org.eclipse.angus.mail.smtp.SMTPSendFailedException", "org.springframework.dao.DataAccessException",
			"org.springframework.http.HttpHeaders", "org.springframework.mail.MailException",
			"org.springframework.web.ErrorResponse", "org.springframework.web.client.RestClientException",
			"org.springframework.web.reactive.function.client.WebClientException", "reactor.core.publisher.Flux",
			"reactor.netty.http.client.HttpClientRequest");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(Backoff.class);
		// where another annotation is composed of it, its attributes are merged
		hints.proxies().registerJdkProxy(Backoff.class);
		hints.reflection()
			.registerTypeIfPresent(classLoader, BackoffConfiguration.WEAVING,
					MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
		// what it exposes is set by its name
		hints.reflection().registerType(AopContext.class, MemberCategory.INVOKE_DECLARED_METHODS);
		// its answers are read by name
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.apache.dubbo.rpc.RpcException",
					MemberCategory.INVOKE_PUBLIC_METHODS);
		LIBRARIES.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
	}

}
