package dev.backoff.kit;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import dev.backoff.event.StopReason;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.TestBackoff;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Scheduled methods run when a test lets time pass. */
@SpringBootTest
@TestBackoff(scheduling = true)
class ScheduledMethodTests {

	@Test
	void theJobRunsEachHour(@Autowired VirtualTime time, @Autowired BackoffCalls calls,
			@Autowired BackoffFaults faults) {
		faults.of("job").answers(503).times(3).passes();
		time.advance(Duration.ofHours(5));
		assertThat(calls.of("job")).calls(5).retries(2);
		assertThat(calls.of("job")).call(1).stopped(StopReason.ATTEMPTS_EXHAUSTED);
		assertThat(calls.of("job")).call(5).succeededOnFirstAttempt();
	}

}
