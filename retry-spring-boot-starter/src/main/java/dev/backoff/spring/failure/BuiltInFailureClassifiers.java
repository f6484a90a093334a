package dev.backoff.spring.failure;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;

/**
 * All classifiers for what the application has on its class path, the most specific
 * first, in the order that the package describes. Classifiers that are beans of the
 * application are asked before. Thread-safe.
 *
 * @since 0.1
 */
public final class BuiltInFailureClassifiers implements FailureClassifier {

	/*
	 * Most failures are of classes that most classifiers say nothing about, and that does
	 * not change: who may say something of a class is looked up once, a bit each.
	 */

	private final List<FailureClassifier> classifiers = new ArrayList<>();

	private final List<Predicate<Class<?>>> mayKnow = new ArrayList<>();

	private final ClassValue<Integer> concerned = new ClassValue<>() {

		@Override
		protected Integer computeValue(Class<?> type) {
			return concerned(type);
		}

	};

	/**
	 * Create the classifiers.
	 * @param classLoader tells what is on the class path
	 * @param clock tells the time when a server names a date to wait for and does not say
	 * what time it has itself
	 */
	public BuiltInFailureClassifiers(@Nullable ClassLoader classLoader, Clock clock) {
		addIfPresent("org.springframework.web.client.RestClientException", classLoader,
				() -> new RestClientFailureClassifier(clock), (type) -> RestClientFailureClassifier.mayKnow(type));
		addIfPresent("org.springframework.web.reactive.function.client.WebClientException", classLoader,
				() -> new WebClientFailureClassifier(clock), (type) -> WebClientFailureClassifier.mayKnow(type));
		addIfPresent("io.grpc.StatusRuntimeException", classLoader, GrpcFailureClassifier::new,
				(type) -> GrpcFailureClassifier.mayKnow(type));
		add(new RedisFailureClassifier(), RedisFailureClassifier::mayKnow);
		if (ClassUtils.isPresent("org.springframework.mail.MailException", classLoader)
				&& ClassUtils.isPresent("jakarta.mail.MessagingException", classLoader)) {
			addIfPresent("org.eclipse.angus.mail.smtp.SMTPSendFailedException", classLoader, MailFailureClassifier::new,
					(type) -> MailFailureClassifier.mayKnow(type));
		}
		addIfPresent("org.springframework.dao.DataAccessException", classLoader, DataAccessFailureClassifier::new,
				(type) -> DataAccessFailureClassifier.mayKnow(type));
		addIfPresent("java.sql.SQLException", classLoader, SqlFailureClassifier::new,
				(type) -> SqlFailureClassifier.mayKnow(type));
		add(new RefusalFailureClassifier(), RefusalFailureClassifier::mayKnow);
		addIfPresent("org.springframework.web.ErrorResponse", classLoader, () -> new WebStatusFailureClassifier(clock),
				(type) -> WebStatusFailureClassifier.mayKnow(type));
		add(new IoFailureClassifier(), IoFailureClassifier::mayKnow);
	}

	private void addIfPresent(String type, @Nullable ClassLoader classLoader, Supplier<FailureClassifier> classifier,
			Predicate<Class<?>> mayKnow) {
		if (ClassUtils.isPresent(type, classLoader)) {
			add(classifier.get(), mayKnow);
		}
	}

	private void add(FailureClassifier classifier, Predicate<Class<?>> mayKnow) {
		this.classifiers.add(classifier);
		this.mayKnow.add(mayKnow);
	}

	private int concerned(Class<?> type) {
		int bits = 0;
		for (int i = 0; i < this.mayKnow.size(); i++) {
			bits |= this.mayKnow.get(i).test(type) ? 1 << i : 0;
		}
		return bits;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		for (int bits = concerned(failure); bits != 0; bits &= bits - 1) {
			FailureClassification answer = this.classifiers.get(Integer.numberOfTrailingZeros(bits)).classify(failure);
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

	private int concerned(Throwable failure) {
		int bits = 0;
		Throwable link = failure;
		for (int i = 0; link != null && i < Causes.LIMIT; i++) {
			bits |= this.concerned.get(link.getClass());
			link = link.getCause();
		}
		return bits;
	}

}
