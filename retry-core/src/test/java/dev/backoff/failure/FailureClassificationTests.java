package dev.backoff.failure;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureClassificationTests {

	@Test
	void saysKindAndCause() {
		assertThat(FailureClassification.transientFailure(RetryCause.IO)).hasToString("TRANSIENT (io)");
		assertThat(FailureClassification.throttled(RetryCause.HTTP_429)).hasToString("THROTTLED (http_429)");
		assertThat(FailureClassification.permanent(RetryCause.OTHER)).hasToString("PERMANENT (other)");
	}

	@Test
	void carriesAHint() {
		FailureClassification plain = FailureClassification.throttled(RetryCause.HTTP_503);
		FailureClassification hinted = plain.withHint(Duration.ofSeconds(2));
		assertThat(hinted.hint()).isEqualTo(Duration.ofSeconds(2));
		assertThat(hinted.kind()).isEqualTo(FailureClassification.Kind.THROTTLED);
		assertThat(hinted.cause()).isEqualTo(RetryCause.HTTP_503);
		assertThat(hinted).hasToString("THROTTLED (http_503, hint PT2S)");
		assertThat(plain.hint()).isNull();
	}

	@Test
	void countsANegativeHintAsZero() {
		assertThat(FailureClassification.throttled(RetryCause.GRPC).withHint(Duration.ofSeconds(-2)).hint())
			.isEqualTo(Duration.ZERO);
	}

	@Test
	void carriesAPushbackInsteadOfAHint() {
		FailureClassification pushedBack = FailureClassification.transientFailure(RetryCause.GRPC)
			.withHint(Duration.ofSeconds(2))
			.withPushback();
		assertThat(pushedBack.isPushedBack()).isTrue();
		assertThat(pushedBack.hint()).isNull();
		assertThat(pushedBack).hasToString("TRANSIENT (grpc, do not retry)");
		assertThat(pushedBack.withHint(Duration.ZERO).isPushedBack()).isFalse();
	}

}
