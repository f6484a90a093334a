package dev.backoff.kit;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.durable.DurableCall;
import dev.backoff.durable.DurableCalls;
import dev.backoff.durable.DurableState;
import dev.backoff.event.StopReason;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Durable calls wait in virtual time, while their database works in real time. */
@SpringBootTest(properties = {
		"spring.datasource.url=jdbc:h2:file:./target/${random.uuid};WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE",
		"backoff.policies.notice.breaker=none", "backoff.policies.notice.budget=none" })
class DurableMethodTests {

	@Autowired
	private Notices notices;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@Autowired
	private VirtualTime time;

	@BeforeEach
	void nothingIsSent() {
		this.notices.sent().clear();
		this.notices.parked().clear();
		this.notices.reports().clear();
		this.notices.hourly().clear();
	}

	@RepeatedTest(20)
	void aDayOfRetriesTakesNoTime() throws Exception {
		this.faults.of("notice").fails(5);
		this.notices.send("o-1");
		this.time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("notice")).attempts(6)
			.waited("1m", "10m", "1h", "1h", "1d")
			.succeeded()
			.took(Duration.ofDays(1).plusMinutes(131));
		assertThat(this.notices.sent()).containsExactly("o-1");
	}

	@RepeatedTest(20)
	void theClockStandsAfterAPartOfTheLadder() throws Exception {
		this.faults.of("notice").fails(5);
		this.notices.send("o-1");
		this.time.advance(Duration.ofHours(2));
		assertThat(this.calls.of("notice")).attempts(4).waited("1m", "10m", "1h", "1h");
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofHours(2));
		this.time.advance(Duration.ofMinutes(11));
		assertThat(this.calls.of("notice")).attempts(5);
		assertThat(this.notices.sent()).isEmpty();
	}

	@RepeatedTest(20)
	void theFirstAttemptIsMadeBeforeTimePasses() throws Exception {
		this.notices.send("o-1");
		this.time.sleep(Duration.ofHours(1));
		assertThat(this.calls.of("notice")).succeededOnFirstAttempt().took(Duration.ZERO);
	}

	@Test
	void attemptsThatTakeTimeWaitForAThread() throws Exception {
		this.faults.of("notice").takes(Duration.ofMinutes(1));
		for (int i = 0; i < 20; i++) {
			this.notices.send("o-" + i);
		}
		this.time.advance(Duration.ofMinutes(20));
		assertThat(this.notices.sent()).hasSize(20);
		assertThat(this.calls.of("notice")).calls(20).allSucceeded();
	}

	@Test
	void manyAtOnceKeepTheirTimes() throws Exception {
		this.faults.of("notice").fails(100);
		List<String> orders = IntStream.range(0, 50).mapToObj((i) -> "o-" + i).toList();
		try (VirtualTime.Hold hold = this.time.hold()) {
			assertThat(hold).isNotNull();
			for (String order : orders) {
				this.notices.send(order);
			}
			this.time.advance(Duration.ofMinutes(11).minusMillis(1));
			assertThat(this.notices.sent()).isEmpty();
			assertThat(this.calls.of("notice")).calls(50).retries(50);
			this.time.advance(Duration.ofMillis(1));
		}
		assertThat(this.notices.sent()).containsExactlyInAnyOrderElementsOf(orders);
		assertThat(this.calls.of("notice")).calls(50).retries(100).allSucceeded();
	}

	@Test
	void parksANoticeThatIsRefusedForADay() throws Exception {
		this.faults.of("notice").fails(); // every attempt
		this.notices.send("o-1"); // stored
		this.time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("notice")).attempts(6)
			.waited("1m", "10m", "1h", "1h", "1d")
			.stopped(StopReason.ATTEMPTS_EXHAUSTED)
			.recovered();
		assertThat(this.notices.parked()).containsExactly("o-1");
	}

	@Test
	void aCallbackFollowsItsLadderForADay() {
		this.faults.of("merchant-callback").fails();
		this.notices.notifyMerchant("t-5");
		this.time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("merchant-callback")).waited("4m", "10m", "10m", "1h", "2h", "6h", "15h")
			.took(Duration.ofHours(24).plusMinutes(24))
			.recovered();
	}

	@Test
	void aDeadlineIsInVirtualTimeToo(@Autowired DurableCalls durable) {
		this.faults.of("status").fails();
		DurableCall<String> call = this.notices.poll("t-1");
		this.time.advance(Duration.ofHours(2));
		assertThat(this.calls.of("status")).stopped(StopReason.DEADLINE).took(Duration.ofSeconds(3590));
		assertThat(durable.find("status", call.id()))
			.hasValueSatisfying((state) -> assertThat(state.state()).isEqualTo(DurableState.Phase.DEAD));
	}

	@Test
	void aCallIsPolledUntilItsResultIsThere() {
		assertThat(this.notices.poll("t-2").isNew()).isTrue();
		assertThat(this.notices.poll("t-2").isNew()).isFalse();
		this.time.advance(Duration.ofHours(1));
		assertThat(this.calls.of("Notices.poll")).succeeded().took(Duration.ofMinutes(30));
		assertThat(this.notices.poll("t-2").isNew()).isTrue();
	}

	@Test
	void aSubmissionThatIsRolledBackIsNone(@Autowired PlatformTransactionManager transactions) throws Exception {
		new TransactionTemplate(transactions).executeWithoutResult((status) -> {
			this.notices.poll("t-3");
			status.setRollbackOnly();
		});
		this.time.advance(Duration.ofHours(1));
		assertThat(this.calls.of("status")).calls(0);
	}

	@Test
	void theClockDoesNotMoveForACallThatWasEnded(@Autowired DurableCalls durable) throws Exception {
		this.faults.of("notice").fails();
		DurableCall<?> call = durable.submit(DurableCalls.Options.NONE, () -> this.notices.poll("t-4"));
		this.time.advance(Duration.ofMinutes(1));
		assertThat(durable.end("status", "t-4")).isTrue();
		assertThat(call.isNew()).isTrue();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofMinutes(2));
	}

	@RepeatedTest(10)
	void slotsOfOneMomentAllRun() {
		this.time.advance(Duration.ofHours(5));
		assertThat(this.notices.hourly()).hasSize(15);
	}

	@Test
	void aScheduleRunsWhileTheClockAdvances() {
		this.faults.of("report").fails(1);
		this.time.advance(Duration.ofHours(1));
		assertThat(this.notices.reports()).hasSizeBetween(5, 6);
		assertThat(this.calls.of("report")).retries(1).allSucceeded();
		this.time.advance(Duration.ofDays(1));
		assertThat(this.notices.reports()).hasSizeBetween(149, 150);
	}

	@RepeatedTest(3)
	void anotherTestBeginsWithoutTheCallsThatWait() throws Exception {
		this.time.advance(Duration.ofHours(1));
		assertThat(this.notices.sent()).isEmpty();
		assertThat(this.calls.of("notice")).calls(0);
		this.faults.of("notice").fails();
		this.time.hold();
		this.notices.send("left behind");
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.calls.of("notice")).attempts(1).waited("1m");
	}

}
