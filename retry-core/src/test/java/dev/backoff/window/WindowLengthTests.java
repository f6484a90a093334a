package dev.backoff.window;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class WindowLengthTests {

	@Test
	void isATime() {
		WindowLength length = WindowLength.of(Duration.ofSeconds(30));
		assertThat(length.time()).isEqualTo(Duration.ofSeconds(30));
		assertThat(length.calls()).isZero();
		assertThat(length).hasToString("30s").isEqualTo(WindowLength.of(Duration.parse("PT30S")));
	}

	@Test
	void isANumberOfCalls() {
		WindowLength length = WindowLength.ofCalls(100);
		assertThat(length.time()).isNull();
		assertThat(length.calls()).isEqualTo(100);
		assertThat(length).hasToString("100 calls").isNotEqualTo(WindowLength.ofCalls(101));
	}

	@Test
	void reachesFromOneToTheMost() {
		assertThat(WindowLength.ofCalls(1).calls()).isEqualTo(1);
		assertThat(WindowLength.ofCalls(WindowLength.MOST_CALLS).calls()).isEqualTo(1_000_000);
		assertThat(WindowLength.of(Duration.ofNanos(1))).hasToString("1ns");
		assertThat(WindowLength.of(Duration.ofSeconds(Long.MAX_VALUE)).calls()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 1_000_001, Integer.MIN_VALUE, Integer.MAX_VALUE })
	void rejectsCallsOutOfRange(int calls) {
		assertThatIllegalArgumentException().isThrownBy(() -> WindowLength.ofCalls(calls))
			.withMessage("Invalid window (" + calls + " calls): must be from 1 to 1000000 calls.");
	}

	@Test
	void rejectsATimeThatIsNotAboveZero() {
		assertThatIllegalArgumentException().isThrownBy(() -> WindowLength.of(Duration.ZERO))
			.withMessage("Invalid window (0ms): must be above zero.");
		assertThatIllegalArgumentException().isThrownBy(() -> WindowLength.of(Duration.ofSeconds(-1)))
			.withMessage("Invalid window (-1s): must be above zero.");
	}

	@Test
	void rejectsBothAndNeither() {
		assertThatIllegalArgumentException().isThrownBy(() -> new WindowLength(Duration.ofSeconds(1), 1))
			.withMessage("Invalid window (PT1S, 1 calls): must be either a time or a number of calls.");
		assertThatIllegalArgumentException().isThrownBy(() -> WindowLength.ofCalls(0))
			.withMessage("Invalid window (null, 0 calls): must be either a time or a number of calls.");
	}

}
