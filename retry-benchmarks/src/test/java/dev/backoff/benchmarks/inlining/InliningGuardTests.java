package dev.backoff.benchmarks.inlining;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InliningGuardTests {

	@Test
	void endsWithAVerdict() {
		assertThat(InliningGuard.verdict(0, 3)).isEqualTo("Nothing is refused; 3 known jumps.");
		assertThat(InliningGuard.verdict(0, 1)).isEqualTo("Nothing is refused; 1 known jump.");
		assertThat(InliningGuard.verdict(0, 0)).isEqualTo("Nothing is refused; 0 known jumps.");
		assertThat(InliningGuard.verdict(1, 3)).isEqualTo("Not as it should be: 1 problem, above.");
		assertThat(InliningGuard.verdict(2, 3)).isEqualTo("Not as it should be: 2 problems, above.");
	}

}
