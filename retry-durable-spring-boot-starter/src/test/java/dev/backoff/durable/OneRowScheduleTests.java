package dev.backoff.durable;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the slots of {@link OneRowSchedule} where clocks change. */
class OneRowScheduleTests {

	private final OneRowSchedule schedule = new OneRowSchedule("0 30 2 * * *", "Europe/Berlin");

	private void assertSlots(String after, String... slots) {
		Instant time = Instant.parse(after);
		for (String slot : slots) {
			time = this.schedule.next(time);
			assertThat(time).isEqualTo(slot);
		}
	}

	@Test
	void aTimeThatComesTwiceHasTwoSlots() {
		assertSlots("2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z");
	}

	@Test
	void aTimeThatIsLeftOutHasNoSlot() {
		assertSlots("2026-03-27T12:00:00Z", "2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z");
	}

}
