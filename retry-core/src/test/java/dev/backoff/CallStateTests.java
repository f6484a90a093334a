package dev.backoff;

import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

class CallStateTests {

	private final RetriesStoppedException story = new RetriesStoppedException(
			new RetriesStoppedException.Details("inner", "inner", StopReason.ATTEMPTS_EXHAUSTED, null, 4, 4,
					Duration.ZERO, List.of(), List.of(), false, false, null, null, null),
			null, 0, true);

	private final VirtualTime time = new VirtualTime();

	private final CallState call = new CallState(null);

	@Test
	void notesTheLastThirtyTwoFailuresOfCallsInside() {
		begin(RetryPolicy.defaults("p"));
		IOException first = new IOException();
		IOException second = new IOException();
		this.call.context().handledInside(first, this.story, false);
		this.call.context().handledInside(second, this.story, false);
		for (int i = 0; i < 31; i++) {
			this.call.context().handledInside(new IOException(), this.story, false);
		}
		assertThat(this.call.context().handledInside(first, false)).isNull();
		assertThat(this.call.context().handledInside(second, false)).isSameAs(this.story);
	}

	@Test
	void forgetsThemWithTheAttempt() {
		begin(RetryPolicy.defaults("p"));
		IOException failure = new IOException();
		this.call.context().handledInside(failure, this.story, false);
		this.call.beginNext(this.time.nanoTime());
		assertThat(this.call.context().handledInside(failure, false)).isNull();
	}

	@Test
	void isAsNewAfterItIsCleared() {
		begin(RetryPolicy.builder("p").deadline(Duration.ofSeconds(1)).build());
		IOException failure = new IOException();
		String key = this.call.context().key().get();
		this.call.attemptEnded(Outcome.ofRetryable(failure, null), 5);
		this.call.history().addWait(new Decision.RetryAfter(7, 7, DelaySource.POLICY));
		this.call.context().handledInside(failure, this.story, false);
		this.call.clear();
		assertThat(this.call.isRunning()).isFalse();
		begin(RetryPolicy.defaults("p"));
		assertThat(this.call.attempt()).isEqualTo(1);
		assertThat(this.call.previousFailure()).isNull();
		assertThat(this.call.hasHistory()).isFalse();
		assertThat(this.call.context().keyIfUsed()).isNull();
		assertThat(this.call.context().key().get()).isNotEqualTo(key);
		assertThat(this.call.timeLeftNow()).isEqualTo(Long.MAX_VALUE);
		assertThat(this.call.context().handledInside(failure, false)).isNull();
	}

	@Test
	void countsNoFurtherThanTheGreatestNumber() throws ReflectiveOperationException {
		begin(RetryPolicy.builder("p").maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build());
		// two billion attempts would take too long
		Field attempt = CallState.class.getDeclaredField("attempt");
		attempt.setAccessible(true);
		attempt.setInt(this.call, Integer.MAX_VALUE - 1);
		for (int i = 0; i < 3; i++) {
			this.call.beginNext(this.time.nanoTime());
			assertThat(this.call.attempt()).isEqualTo(Integer.MAX_VALUE);
		}
	}

	@Test
	void measuresItsDeadlineAcrossTheWrapOfTheTicker() {
		VirtualTime wrapping = VirtualTime.wrappingAfter(Duration.ofMillis(500));
		RetryPolicy policy = RetryPolicy.builder("p").deadline(Duration.ofSeconds(1)).build();
		this.call.begin(new CallSettings(policy, "OrderService.place", wrapping, () -> null, null),
				wrapping.nanoTime());
		wrapping.advance(Duration.ofMillis(800));
		assertThat(wrapping.nanoTime()).isNegative();
		assertThat(this.call.timeLeft(wrapping.nanoTime())).isEqualTo(200_000_000);
	}

	@Test
	void hasAllItsTimeLeftWhenTheTickerStepsBack() {
		begin(RetryPolicy.builder("p").deadline(Duration.ofSeconds(1)).build());
		this.time.stepBack(Duration.ofHours(1));
		assertThat(this.call.timeLeft(this.time.nanoTime())).isEqualTo(1_000_000_000);
	}

	@Test
	void isReusedOneLevelInside() {
		assertThat(this.call.inner()).isSameAs(this.call.inner());
		assertThat(this.call.inner().enclosing()).isSameAs(this.call);
	}

	private void begin(RetryPolicy policy) {
		this.call.begin(new CallSettings(policy, "OrderService.place", this.time, () -> null, null),
				this.time.nanoTime());
	}

}
