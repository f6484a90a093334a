package dev.backoff.benchmarks.waiting;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

/** That the experiments run; what they measure is for a quiet machine. */
@Tag("ci")
class WaitingTablesTests {

	@Test
	void showWhatAWaitingCallCosts() throws InterruptedException {
		String page = WaitingTables.write(List.of(20_000), List.of(100), Duration.ofMillis(200));
		assertThat(page).containsPattern("callAsync` \\| 20,000 \\| \\d+ \\| -?\\d+ \\|")
			.containsPattern("annotated method \\| 20,000 \\| \\d+ \\|")
			.containsPattern("\\| ours \\| 20,000 \\| \\d+ \\|")
			.contains("How late second attempts start");
		assertThat(page.contains("Sleepers need JDK 21 or later: left out."))
			.isNotEqualTo(VirtualSleepers.arePossible());
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with JDK 21")
	void showWhatASleepingCallCosts() throws InterruptedException {
		VirtualSleepers slept = VirtualSleepers.of(500);
		assertThat(slept.bytes()).isGreaterThan(slept.bytesOfThread());
		assertThat(slept.platformThreads()).isLessThan(100);
	}

}
