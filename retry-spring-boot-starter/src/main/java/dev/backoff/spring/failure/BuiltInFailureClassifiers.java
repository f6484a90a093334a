package dev.backoff.spring.failure;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.FailureClassification;
import dev.backoff.FailureClassifier;

/**
 * All classifiers for what the application has on its class path, the most specific
 * first, in the order that the package describes. Classifiers that are beans of the
 * application are asked before. Thread-safe.
 *
 * @since 0.1
 */
public final class BuiltInFailureClassifiers implements FailureClassifier {

	private final List<FailureClassifier> classifiers = new ArrayList<>();

	/**
	 * Create the classifiers.
	 * @param classLoader tells what is on the class path
	 * @param clock tells the time when a server names a date to wait for and does not say
	 * what time it has itself
	 */
	public BuiltInFailureClassifiers(@Nullable ClassLoader classLoader, Clock clock) {
		addIfPresent("org.springframework.web.client.RestClientException", classLoader,
				() -> new RestClientFailureClassifier(clock));
		addIfPresent("org.springframework.web.reactive.function.client.WebClientException", classLoader,
				() -> new WebClientFailureClassifier(clock));
		addIfPresent("io.grpc.StatusRuntimeException", classLoader, GrpcFailureClassifier::new);
		this.classifiers.add(new RedisFailureClassifier());
		if (ClassUtils.isPresent("org.springframework.mail.MailException", classLoader)
				&& ClassUtils.isPresent("jakarta.mail.MessagingException", classLoader)) {
			addIfPresent("org.eclipse.angus.mail.smtp.SMTPSendFailedException", classLoader,
					MailFailureClassifier::new);
		}
		addIfPresent("org.springframework.dao.DataAccessException", classLoader, DataAccessFailureClassifier::new);
		addIfPresent("java.sql.SQLException", classLoader, SqlFailureClassifier::new);
		this.classifiers.add(new RefusalFailureClassifier());
		addIfPresent("org.springframework.web.ErrorResponse", classLoader, () -> new WebStatusFailureClassifier(clock));
		this.classifiers.add(new IoFailureClassifier());
	}

	private void addIfPresent(String type, @Nullable ClassLoader classLoader, Supplier<FailureClassifier> classifier) {
		if (ClassUtils.isPresent(type, classLoader)) {
			this.classifiers.add(classifier.get());
		}
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		for (FailureClassifier classifier : this.classifiers) {
			FailureClassification answer = classifier.classify(failure);
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

}
