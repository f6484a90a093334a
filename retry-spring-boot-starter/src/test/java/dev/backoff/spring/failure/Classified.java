package dev.backoff.spring.failure;

import java.time.Duration;
import java.util.Locale;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;
import dev.backoff.failure.FailureClassifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Assertions on what a classifier says, bare and wrapped. */
final class Classified {

	/** What was expected of a failure, in the words of its classification. */
	static final String NOTHING = "nothing";

	/** Assert kind and cause word, or nothing, for the failure and for one around it. */
	static void assertSays(FailureClassifier classifier, Throwable failure, String expected) {
		assertThat(describe(classifier.classify(failure))).as("%s", failure).isEqualTo(expected);
		assertIsAsked(classifier, failure);
		Throwable wrapped = new IllegalStateException("order not placed", new RuntimeException(failure));
		assertThat(describe(classifier.classify(wrapped))).as("wrapped %s", failure).isEqualTo(expected);
	}

	/** Assert that the built-in classifiers ask one that knows the failure. */
	private static void assertIsAsked(FailureClassifier classifier, Throwable failure) {
		if (classifier instanceof TypedClassifier typed && classifier.classify(failure) != null) {
			assertThat(Causes.of(failure)).as("%s", failure).anyMatch((link) -> typed.mayKnow(link.getClass()));
		}
	}

	/** Assert whether the failure says that nothing was applied. */
	static void assertWithoutEffect(FailureClassifier classifier, Throwable failure, boolean expected) {
		FailureClassification classification = classifier.classify(failure);
		assertThat(classification).as("%s", failure).isNotNull();
		assertThat(classification.isWithoutEffect()).as("%s", failure).isEqualTo(expected);
	}

	static String describe(@Nullable FailureClassification classification) {
		if (classification == null) {
			return NOTHING;
		}
		String cause = (classification.kind() == Kind.PERMANENT) ? "" : " " + classification.cause().tag();
		Duration hint = classification.hint();
		return classification.kind().name().toLowerCase(Locale.ROOT) + cause
				+ ((hint != null) ? " " + hint.toSeconds() + "s" : "");
	}

	/** Return what the action throws. */
	static Throwable thrownBy(ThrowingCallable action) {
		Throwable thrown = catchThrowable(action);
		assertThat(thrown).isNotNull();
		return thrown;
	}

}
