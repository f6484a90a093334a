package dev.backoff;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

import static org.assertj.core.api.Assertions.assertThat;

class FailureVerdictsTests {

	private final Function<Throwable, Verdict> verdicts = Retry
		.verdicts(List.of((failure) -> "permanent".equals(failure.getMessage())
				? FailureClassification.permanent(RetryCause.OTHER) : null));

	@Test
	void failOnWhatIsWorthARetry() {
		assertThat(this.verdicts.apply(new IOException("reset"))).isEqualTo(Verdict.FAILED);
		assertThat(this.verdicts.apply(new IllegalStateException())).isEqualTo(Verdict.FAILED);
		assertThat(this.verdicts.apply(new CancellationException())).isEqualTo(Verdict.FAILED);
	}

	@Test
	void takeWhatIsNotForAnAnswer() {
		assertThat(this.verdicts.apply(new IOException("permanent"))).isEqualTo(Verdict.ANSWERED);
		assertThat(this.verdicts.apply(new IllegalArgumentException())).isEqualTo(Verdict.ANSWERED);
	}

	@Test
	void failOnWhatNobodyCanClassify() {
		Function<Throwable, Verdict> broken = Retry.verdicts(List.of((failure) -> {
			throw new IllegalStateException("classifier");
		}));
		assertThat(broken.apply(new IOException("reset"))).isEqualTo(Verdict.FAILED);
	}

	@Test
	void ignoreWhatSaysNothing() {
		assertThat(this.verdicts.apply(new AssertionError())).isEqualTo(Verdict.IGNORED);
		assertThat(this.verdicts.apply(new InterruptedException())).isEqualTo(Verdict.IGNORED);
		assertThat(this.verdicts.apply(new CircuitOpenException("inner", "open", null, null)))
			.isEqualTo(Verdict.IGNORED);
	}

}
