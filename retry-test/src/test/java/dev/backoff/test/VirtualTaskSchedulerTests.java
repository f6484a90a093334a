package dev.backoff.test;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronTrigger;

import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SuppressWarnings({ "FutureReturnValueIgnored", "UnnecessaryLambda" }) // jobs end with
																		// their test
class VirtualTaskSchedulerTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final VirtualTime time = new VirtualTime();

	private final VirtualTaskScheduler scheduler = new VirtualTaskScheduler(this.time);

	private final List<Duration> runs = new ArrayList<>();

	private final Runnable job = () -> this.runs.add(this.time.elapsed());

	@Test
	void runsJobsAtAFixedRateOnTheThreadThatAdvances() {
		Thread here = Thread.currentThread();
		ScheduledFuture<?> job = this.scheduler.scheduleAtFixedRate(() -> {
			assertThat(Thread.currentThread()).isSameAs(here);
			this.job.run();
		}, MINUTE);
		assertThat(this.runs).isEmpty();
		this.time.advance(Duration.ZERO);
		assertThat(this.runs).hasSize(1);
		this.time.advance(MINUTE.multipliedBy(3));
		assertThat(this.runs).containsExactly(Duration.ZERO, MINUTE, MINUTE.multipliedBy(2), MINUTE.multipliedBy(3));
		this.time.advance(Duration.ofSeconds(59));
		assertThat(this.runs).hasSize(4);
		assertThat(job.getDelay(TimeUnit.SECONDS)).isEqualTo(1);
		assertThat(job.isDone()).isFalse();
	}

	@Test
	void fiveHoursOfAJobEveryMinuteWithTwoRetriesEachTakeAboutAQuarterOfASecond() {
		Retry retry = Retry
			.builder(
					RetryPolicy.builder("job").base(Duration.ofSeconds(5)).jitter(Jitter.none()).maxAttempts(3).build())
			.time(this.time)
			.observer(new BackoffCalls(this.time))
			.build();
		List<Duration> attempts = new ArrayList<>();
		this.scheduler
			.scheduleAtFixedRate(() -> assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry.call(() -> {
				attempts.add(this.time.elapsed());
				throw new IOException("down");
			})), MINUTE);
		this.scheduler.schedule(this.job, new CronTrigger("0 0 * * * *"));
		// of this thread, since a busy machine gives it no more than a share
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		long began = threads.getCurrentThreadCpuTime();
		this.time.advance(Duration.ofHours(5));
		assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - began)).isLessThan(Duration.ofMillis(2500));
		assertThat(attempts).hasSize(3 * 301)
			.startsWith(Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(15), MINUTE);
		assertThat(this.runs).hasSize(5);
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofHours(5).plusSeconds(15));
	}

	@Test
	void runsJobsWithAFixedDelay() {
		this.scheduler.scheduleWithFixedDelay(() -> {
			this.job.run();
			this.time.advance(Duration.ofSeconds(5));
		}, Duration.ofSeconds(10));
		this.time.advance(Duration.ofSeconds(31));
		assertThat(this.runs).containsExactly(Duration.ZERO, Duration.ofSeconds(15), Duration.ofSeconds(30));
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofSeconds(35));
	}

	@Test
	void countsTimesOfTheSystemsClockFromNow() {
		this.time.advance(Duration.ofDays(100));
		this.time.reset();
		this.scheduler.scheduleAtFixedRate(this.job, Instant.now().plus(MINUTE), Duration.ofHours(1));
		this.scheduler.scheduleWithFixedDelay(this.job, Instant.now().plus(MINUTE), Duration.ofHours(1));
		this.scheduler.schedule(this.job, Instant.now().minus(MINUTE));
		ScheduledFuture<?> once = this.scheduler.schedule(this.job, Instant.now().plus(MINUTE));
		this.time.advance(Duration.ofSeconds(50));
		assertThat(this.runs).containsExactly(Duration.ZERO);
		assertThat(once.isDone()).isFalse();
		this.time.advance(Duration.ofSeconds(10));
		assertThat(this.runs).hasSize(4)
			.allSatisfy((run) -> assertThat(run).isLessThanOrEqualTo(MINUTE))
			.endsWith(this.runs.get(3));
		assertThat(once.isDone()).isTrue();
		this.time.advance(Duration.ofHours(2));
		assertThat(this.runs).hasSize(8);
	}

	@Test
	void runsNothingThatIsCancelled() {
		ScheduledFuture<?> job = this.scheduler.scheduleAtFixedRate(this.job, MINUTE);
		this.time.advance(MINUTE);
		assertThat(job.cancel(false)).isTrue();
		this.time.advance(Duration.ofHours(1));
		assertThat(this.runs).hasSize(2);
	}

	@Test
	void goesOnAfterAJobThatFails() {
		this.scheduler.scheduleAtFixedRate(() -> {
			this.job.run();
			throw new IllegalStateException("on purpose");
		}, MINUTE);
		this.time.advance(MINUTE.multipliedBy(2));
		assertThat(this.runs).hasSize(3);
	}

	@Test
	void beginsJobsAnewInANewTest() {
		this.scheduler.scheduleAtFixedRate(this.job, Instant.now().plus(MINUTE.multipliedBy(10)), MINUTE);
		this.time.advance(MINUTE.multipliedBy(11).plusSeconds(30));
		assertThat(this.runs).hasSizeBetween(2, 3);
		this.runs.clear();
		this.time.reset();
		this.scheduler.reset();
		this.time.advance(MINUTE.multipliedBy(10));
		assertThat(this.runs).hasSize(1).allMatch((run) -> run.compareTo(MINUTE.multipliedBy(9)) > 0);
	}

	@Test
	void beginsAJobOnceThoughItRunsWhenANewTestBegins() {
		this.scheduler.scheduleWithFixedDelay(() -> {
			this.job.run();
			if (this.runs.size() == 1) {
				this.time.reset();
				this.scheduler.reset();
			}
		}, Duration.ofSeconds(10));
		this.time.advance(Duration.ofSeconds(25));
		assertThat(this.runs).hasSize(4);
	}

	@Test
	void doesNotRunTwiceWhatHasRun() {
		ScheduledFuture<?> once = this.scheduler.schedule(this.job, Instant.now());
		this.time.advance(MINUTE);
		assertThat(once.isDone()).isTrue();
		this.time.reset();
		this.scheduler.reset();
		this.time.advance(MINUTE);
		assertThat(this.runs).hasSize(1);
	}

}
