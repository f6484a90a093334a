package dev.backoff.kit;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

import dev.backoff.durable.DurableCalls;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Durable calls in a file of the library, with the default breaker and budget. */
@SpringBootTest(properties = { "backoff.durable.store=own", "spring.datasource.url=jdbc:h2:mem:own",
		"backoff.policies.report.max-attempts=1000" })
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OwnFileTests {

	@Autowired
	private Notices notices;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@Autowired
	private VirtualTime time;

	@Test
	@Order(1)
	@Transactional
	void aRollbackLeavesTheCallWhichIsRecordedAtOnce() throws Exception {
		this.faults.of("notice").fails();
		this.notices.send("left behind");
		this.time.advance(Duration.ofSeconds(30));
		assertThat(this.calls.of("notice")).attempts(1).waited("1m");
	}

	@Test
	@Order(2)
	void theNextTestBeginsWithoutIt() {
		this.notices.sent().clear();
		this.time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("notice")).calls(0);
		assertThat(this.notices.sent()).isEmpty();
	}

	@Test
	@Order(3)
	void callsGoOnWhenTheirBreakerCloses() throws Exception {
		this.faults.of("notice").fails(40).passes();
		for (int i = 0; i < 40; i++) {
			this.notices.send("o-" + i);
		}
		this.time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("notice")).calls(40).allSucceeded();
		assertThat(this.notices.sent()).hasSize(40);
	}

	@Test
	@Order(4)
	void aSlotFails() {
		this.faults.of("report").fails();
		VirtualTime.Hold unused = this.time.hold();
		this.time.advance(Duration.ofMinutes(11));
		assertThat(this.calls.of("report")).call(1).outcome(1, AttemptOutcome.TRANSIENT);
	}

	@Test
	@Order(5)
	void theScheduleGoesOnInTheNextTest() {
		this.notices.reports().clear();
		this.time.advance(Duration.ofHours(2));
		assertThat(this.notices.reports()).hasSize(12);
		assertThat(this.calls.of("report")).calls(12).retries(0);
	}

	@Test
	@Order(6)
	void aTimeFarAheadNeitherMovesTheClockNorIsStoredBeyondTheYear9999(@Autowired DurableCalls durable) {
		Instant far = LocalDateTime.of(9998, 1, 1, 0, 0).toInstant(ZoneOffset.UTC);
		durable.submit(DurableCalls.Options.notBefore(far), () -> this.notices.poll("t-1"));
		this.time.advance(Duration.ofDays(1));
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofDays(1));
		assertThat(this.calls.of("status")).attempts(0);
		assertThatIllegalArgumentException()
			.isThrownBy(
					() -> durable.submit(DurableCalls.Options.notBefore(Instant.MAX), () -> this.notices.poll("t-2")))
			.withMessageContaining("must be before the year 9999");
	}

	@Test
	@Order(7)
	void aCallThatStopsLeavesADeadLetter(@Autowired DurableCalls durable) throws Exception {
		this.faults.of("status").fails();
		String id = this.notices.poll("t-3").id();
		this.time.advance(Duration.ofHours(2));
		assertThat(this.calls.of("status")).stopped(StopReason.DEADLINE);
		assertThat(durable.find("status", id)).isPresent();
	}

	@Test
	@Order(8)
	void attemptsSleepWhenTheTestEnds() {
		VirtualTime.Hold unused = this.time.hold();
		for (int i = 0; i < 12; i++) {
			this.notices.settle(Duration.ofMinutes(5));
		}
		this.time.advance(Duration.ZERO);
		assertThat(this.calls.of("settlement")).calls(12);
	}

	@Test
	@Order(9)
	void theNextTestHasAllThreads() {
		this.notices.settle(Duration.ofMinutes(5));
		this.time.advance(Duration.ofHours(2));
		assertThat(this.calls.of("settlement")).attempts(1).succeeded().took(Duration.ofMinutes(5));
	}

	@Test
	@Order(10)
	void callsGoOnWhenAnOverrideEnds(@Autowired LiveConfiguration live) throws Exception {
		live.override("notice", Map.of("enabled", "false"), Duration.ofHours(1));
		this.notices.send("o-1");
		this.time.advance(Duration.ofMinutes(30));
		assertThat(this.calls.of("notice")).attempts(0);
		this.time.advance(Duration.ofMinutes(31));
		assertThat(this.calls.of("notice")).succeededOnFirstAttempt();
	}

	@Test
	@Order(11)
	void theFileIsThatOfTheContext(@Value("${backoff.durable.file}") String file) {
		assertThat(file).contains("backoff-test-");
	}

}
