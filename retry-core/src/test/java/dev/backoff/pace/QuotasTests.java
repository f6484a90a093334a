package dev.backoff.pace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.concurrency.Ticket;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class QuotasTests {

	private static final long SECOND = 1_000_000_000L;

	private final Quotas quotas = new Quotas(0);

	/* The last attempt has begun at 0. */
	private double secondsToNext(long now) {
		return this.quotas.untilNext(now) / SECOND;
	}

	private void read(QuotaReading... readings) {
		this.quotas.read(List.of(readings), 0);
	}

	@ParameterizedTest(name = "{0} of 100 left for {1} s, window {2}: {4} s after {3} s")
	@CsvSource({ "30, 60, true, 0, 2", "30, 60, true, 1, 0.9666667", "0, 40, true, 0, 40", "40, 60, false, 0, 1.5",
			"0, 100, false, 0, 1", "100, 0, false, 0, 0",
			// of the third window 25 s are left, and all requests
			"0, 50, true, 125, -124.75" })
	void gap_whatIsLeftOverTheTimeToItsReset(int remaining, int reset, boolean window, int now, double expected) {
		read(new QuotaReading("requests", 100, remaining, Duration.ofSeconds(reset), true, window));
		assertThat(secondsToNext(now * SECOND)).isEqualTo(expected, within(1e-6));
	}

	@Test
	void estimate_whatAResponseWouldTell() {
		read(new QuotaReading("window", 100, 0, Duration.ofSeconds(50), true, true),
				new QuotaReading("bucket", 100, 40, Duration.ofSeconds(60), true, false));
		assertThat(this.quotas.estimates(10 * SECOND)).containsExactly(
				new QuotaReading("window", 100, 0, Duration.ofSeconds(40), true, true),
				new QuotaReading("bucket", 100, 50, Duration.ofSeconds(50), true, false));
		assertThat(this.quotas.estimates(125 * SECOND))
			.contains(new QuotaReading("window", 100, 100, Duration.ofSeconds(25), true, true));
	}

	@Test
	void tokens_costOfTheMeanRequest() {
		read(new QuotaReading("requests", 100, 80, Duration.ofSeconds(12), true, false),
				new QuotaReading("tokens", 10_000, 4_000, Duration.ofSeconds(36), false, false));
		// 6,000 by 20 requests: 300 each
		assertThat(secondsToNext(0)).isEqualTo(300 * 36 / 4_000.0, within(1e-9));
	}

	@Test
	void begunSinceTheReading_used() {
		this.quotas.begins(0);
		read(new QuotaReading("requests", 100, 12, Duration.ofSeconds(60), true, true));
		assertThat(secondsToNext(0)).isEqualTo(60 / 12.0, within(1e-9));
		this.quotas.begins(0);
		assertThat(secondsToNext(0)).isEqualTo(60 / 11.0, within(1e-9));
	}

	@Test
	void manyBegunWithoutAReading_debtEnds() {
		read(new QuotaReading("requests", 100, 50, Duration.ofSeconds(50), true, false));
		for (int i = 0; i < 1000; i++) {
			this.quotas.begins(0);
		}
		assertThat(this.quotas.estimates(2000 * SECOND))
			.containsExactly(new QuotaReading("requests", 100, 100, Duration.ZERO, true, false));
	}

	@Test
	void notToldOrMoreThanEight_ignored() {
		read(new QuotaReading("requests", 0, 0, Duration.ofSeconds(1), true, false),
				new QuotaReading("requests", 10, -1, Duration.ofSeconds(1), true, false),
				new QuotaReading("requests", 10, 1, Duration.ofSeconds(-1), true, false));
		assertThat(this.quotas.estimates(0)).isEmpty();
		for (int i = 0; i < 20; i++) {
			read(new QuotaReading("quota " + i, 10, 5, Duration.ofSeconds(1), true, true));
		}
		assertThat(this.quotas.estimates(0)).hasSize(8);
	}

	@Test
	void tenThousandRandomSets_queueEnds() {
		Random random = new Random(42);
		for (int set = 0; set < 10_000; set++) {
			VirtualTime time = new VirtualTime();
			Pace pace = new Pace("hostile", Duration.ofSeconds(60), 100, time, (held, hold) -> {
			});
			List<Ticket> tickets = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				tickets.add(pace.enter(false, time.nanoTime()));
				pace.told(time.nanoTime(), List.of(hostile(random), hostile(random), hostile(random)));
				if (random.nextInt(3) == 0) {
					pace.throttled(time.nanoTime(), random.nextLong(), time.nanoTime());
				}
				tickets.add(pace.enter(random.nextBoolean(), time.nanoTime()));
			}
			int steps = 0;
			while (time.runNext()) {
				assertThat(++steps).as("timers of set " + set).isLessThan(200);
			}
			assertThat(tickets).allMatch((ticket) -> ticket == null || ticket.isGranted());
			assertThat(time.elapsed()).isLessThanOrEqualTo(Duration.ofSeconds(61 * 21));
		}
	}

	private static QuotaReading hostile(Random random) {
		return new QuotaReading("q" + random.nextInt(12), number(random), number(random),
				Duration.ofSeconds(number(random) / 2, random.nextInt(1_000_000_000)), random.nextBoolean(),
				random.nextBoolean());
	}

	private static long number(Random random) {
		return switch (random.nextInt(5)) {
			case 0 -> random.nextInt(3);
			case 1 -> random.nextInt(1000);
			case 2 -> Long.MAX_VALUE - random.nextInt(3);
			case 3 -> -random.nextInt(3);
			default -> random.nextLong() >> random.nextInt(63);
		};
	}

}
