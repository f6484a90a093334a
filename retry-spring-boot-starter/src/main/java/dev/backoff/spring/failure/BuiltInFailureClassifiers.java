package dev.backoff.spring.failure;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;

/**
 * Ask the classifiers of all libraries on the class path, in the order that the package
 * describes. The application's own classifier beans are asked earlier. Thread-safe.
 *
 * @since 0.1
 */
public final class BuiltInFailureClassifiers implements FailureClassifier {

	private final List<TypedClassifier> classifiers = new ArrayList<>();

	/* The classifiers that may know failures of a class, as one bit for each. */
	private final ClassValue<Integer> asked = new ClassValue<>() {

		@Override
		protected Integer computeValue(Class<?> type) {
			int bits = 0;
			for (int i = 0; i < BuiltInFailureClassifiers.this.classifiers.size(); i++) {
				bits |= BuiltInFailureClassifiers.this.classifiers.get(i).mayKnow(type) ? 1 << i : 0;
			}
			return bits;
		}

	};

	/**
	 * Create the classifiers.
	 * @param classLoader where libraries are looked for
	 * @param clock the clock for servers that send a date without their own time
	 * @param followsRedirects whether HTTP clients may follow redirects; then the request
	 * of a failed connection may have had an effect
	 */
	public BuiltInFailureClassifiers(@Nullable ClassLoader classLoader, Clock clock, boolean followsRedirects) {
		HttpStatusRules rules = new HttpStatusRules(new ServerHints(clock));
		IoFailureClassifier io = new IoFailureClassifier(followsRedirects);
		addIfPresent("org.springframework.web.client.RestClientException", classLoader,
				() -> new RestClientFailureClassifier(rules, io));
		addIfPresent("org.springframework.web.reactive.function.client.WebClientException", classLoader,
				() -> new WebClientFailureClassifier(rules, io));
		if (ClassUtils.isPresent("feign.FeignException", classLoader)) {
			addIfPresent("org.springframework.http.HttpHeaders", classLoader,
					() -> new FeignFailureClassifier(rules, new IoFailureClassifier(true)));
		}
		addIfPresent("io.grpc.StatusRuntimeException", classLoader, GrpcFailureClassifier::new);
		this.classifiers.add(new DubboFailureClassifier());
		this.classifiers.add(new RedisFailureClassifier());
		if (ClassUtils.isPresent("org.springframework.mail.MailException", classLoader)
				&& ClassUtils.isPresent("jakarta.mail.MessagingException", classLoader)) {
			addIfPresent("org.eclipse.angus.mail.smtp.SMTPSendFailedException", classLoader,
					MailFailureClassifier::new);
		}
		addIfPresent("org.springframework.dao.DataAccessException", classLoader, DataAccessFailureClassifier::new);
		addIfPresent("java.sql.SQLException", classLoader, SqlFailureClassifier::new);
		this.classifiers.add(new RefusalFailureClassifier());
		addIfPresent("org.springframework.web.ErrorResponse", classLoader, () -> new WebStatusFailureClassifier(rules));
		this.classifiers.add(new IoFailureClassifier(false));
	}

	private void addIfPresent(String type, @Nullable ClassLoader classLoader, Supplier<TypedClassifier> classifier) {
		if (ClassUtils.isPresent(type, classLoader)) {
			this.classifiers.add(classifier.get());
		}
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		return first(failure, (classifier) -> classifier.classify(failure));
	}

	@Override
	public @Nullable FailedRequest failedRequest(Throwable failure) {
		return first(failure, (classifier) -> classifier.failedRequest(failure));
	}

	private <T> @Nullable T first(Throwable failure, Function<TypedClassifier, @Nullable T> question) {
		int bits = 0;
		for (Throwable link : Causes.of(failure)) {
			bits |= this.asked.get(link.getClass());
		}
		for (; bits != 0; bits &= bits - 1) {
			T answer = question.apply(this.classifiers.get(Integer.numberOfTrailingZeros(bits)));
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

}
