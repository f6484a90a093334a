package dev.backoff.delay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;
import static org.assertj.core.api.Assertions.within;

/** The figures of docs/numbers.md, computed. */
class NumbersPageTests {

	private static final Duration NO_CAP = Duration.ofDays(1);

	private static final int DRAWS = 100_000;

	private final String page = page("numbers.md");

	@Test
	void delaysAndTheirSums() {
		assertThat(delays(rule(100, 2, Duration.ofSeconds(10)), 8))
			.isEqualTo(says("100, 200, 400, 800, 1600, 3200, 6400, 10000"));
		Shape shape = Shape.exponential(Duration.ofSeconds(10), 2);
		BackoffRule builtIn = BackoffRule.of(shape, Duration.ofNanos(BackoffRule.builtInCap(shape)), Jitter.none());
		assertThat(delays(builtIn, 5)).isEqualTo(says("10000, 20000, 40000, 80000, 160000"));
		saysSum("310 s", builtIn, 5);
		says("The built-in cap is 10 s, or 100 · F if that is longer.");
		assertThat(builtIn.capNanos()).isEqualTo(100 * builtIn.baseNanos());
		assertThat(delays(rule(100, 1.5, NO_CAP), 5)).isEqualTo(says("100, 150, 225, 337.5, 506.25"));
		assertThat(delays(rule(1000, 3, NO_CAP), 4)).isEqualTo(says("1000, 3000, 9000, 27000"));
		saysSum("22.7 s", rule(100, 2, Duration.ofSeconds(10)), 8);
		saysSum("1.31875 s", rule(100, 1.5, NO_CAP), 5);
		saysSum("40 s", rule(1000, 3, NO_CAP), 4);
		assertThat(0.1 * (Math.pow(1.5, 5) - 1) / (1.5 - 1)).isCloseTo(1.31875, within(1e-9));
	}

	@Test
	void waitsOfTheDefaults() {
		DelayPlan plan = DelayPlan.of(rule(100, 2, Duration.ofSeconds(10)), 3);
		assertThat(plan.totalMean()).isEqualTo(350_000_000);
		assertThat(plan.totalGreatest()).isEqualTo(700_000_000);
		says("wait 350 ms on average and 700 ms at most");
	}

	@Test
	void overflowOfALongOfMilliseconds() {
		assertThat(100L << (58 - 1)).isNegative();
		assertThat(IntStream.rangeClosed(63, 64).mapToLong((retry) -> 100L << (retry - 1))).containsOnly(0L);
		says("negative at retry 58 and 0 from retry 63 on");
		BackoffRule rule = rule(100, 2, Duration.ofSeconds(10));
		assertThat(IntStream.of(58, 63, 64, 65, 1000, Integer.MAX_VALUE).mapToLong(rule::capped))
			.containsOnly(Duration.ofSeconds(10).toNanos());
	}

	@Test
	void basesThatFitADeadline() {
		saysBase("| 30 s, 5, ×2 | 0 s | %.1f ms |", 30_000, 5, 0);
		saysBase("| 30 s, 5, ×2 | 2 s | %.1f ms |", 30_000, 5, 2000);
		says("take %d s. Of the deadline, %d s are left", 6 * 2, 30 - 6 * 2);
		says("together %d times", IntStream.of(1, 2, 4, 8, 16).sum());
		saysBase("18 s / 31 = %.1f ms", 30_000, 5, 2000);
		saysBase("| 5 s, 4, ×2 | 0.8 s | %.1f ms |", 5000, 4, 800);
		assertThat(largestBase(30_000, 5, 0, 1.2) * 1.2).isCloseTo(largestBase(30_000, 5, 0, 1), within(1e-5));
	}

	@Test
	void successOfIndependentAttemptsAndOfAnOutage() {
		assertThat(1 - Math.pow(0.1, 3)).isCloseTo(0.999, within(1e-12));
		says("99.9 % for p = 90 %");
		says("%.6f %%", 100 * (1 - Math.pow(0.01, 4)));
		says("%.3f %% at most", 100 * (0.99 + 0.01 * 0.7 / 60));
	}

	@Test
	void loadOfFailuresAndLayers() {
		assertThat((1 - Math.pow(0.5, 4)) / (1 - 0.5)).isEqualTo(1.875);
		says("1.875 for f = 50 %");
		for (int attempts = 2; attempts <= 4; attempts++) {
			double share = 0;
			while ((attempts - 1) * Math.pow(share, attempts) < 0.1 * (1 - Math.pow(share, attempts))) {
				share += 1e-4;
			}
			double load = (1 - Math.pow(share, attempts)) / (1 - share);
			says(String.format(Locale.ROOT, "%.2f for n = %d", load, attempts));
		}
		says("three layers of 3 attempts make %.0f calls, five layers %.0f", Math.pow(3, 3), Math.pow(3, 5));
		says("3 attempts multiply it by %.2f and 10 attempts by %.3f", (1 - Math.pow(0.5, 3)) / 0.5,
				(1 - Math.pow(0.5, 10)) / 0.5);
		assertThat((1 - 0.8) / 0.8).isCloseTo(0.25, within(1e-12));
		says("At ρ = 80 % that is 25 %");
	}

	@Test
	void retriesOfAnOutageWithTheDefaultBudget() {
		VirtualTime time = new VirtualTime();
		RetryBudget budget = RetryBudget.of("outage", BudgetSettings.DEFAULTS, time, new RetryBudget.Listener() {
		});
		int retries = 0;
		for (int call = 0; call < 12_000; call++) {
			time.advance(Duration.ofMillis(5));
			retries += budget.tryWithdraw() ? 1 : 0;
		}
		says("makes %d retries for 12,000 calls", retries);
		says("%.3f requests per call", 1 + retries / 12_000.0);
		says("%.2f times fewer", 4 * 12_000.0 / (12_000 + retries));
	}

	@Test
	void meansAndDeviationsOfJitters() {
		saysSpread("full", Jitter.full());
		saysSpread("equal", Jitter.equal());
		saysSpread("beta", Jitter.beta(0, 1));
		saysSpread("beta 0.3..0.7", Jitter.beta(0.3, 0.7));
	}

	@Test
	void rangeOfEqualJitter() {
		says("It is 50 to 100 %.");
		DoubleSummaryStatistics equal = Arrays.stream(draws(Jitter.equal(), 1)).summaryStatistics();
		assertThat(equal.getMin()).isCloseTo(0.5, within(1e-3));
		assertThat(equal.getMax()).isCloseTo(1, within(1e-3));
	}

	@Test
	void shareOfABetaInItsMiddle() {
		DoubleUnaryOperator distribution = (x) -> x * x * (3 - 2 * x);
		double share = distribution.applyAsDouble(0.7) - distribution.applyAsDouble(0.3);
		says("0.784 − 0.216 = %.1f %%", 100 * share);
		long inside = Arrays.stream(draws(Jitter.beta(0, 1), 1)).filter((draw) -> draw >= 0.3 && draw <= 0.7).count();
		assertThat(inside / (double) DRAWS).isCloseTo(share, within(0.005));
	}

	@Test
	void peakOfAConfinedBeta() {
		double share = 0.568;
		says("%.2f times as many clients", 1.5 / share);
		says("1.5 / %.3f", share);
		double squares = integral((x) -> Math.pow(6 * x * (1 - x) / share, 2), 0.3, 0.7);
		says("two clients are %.1f times as likely to retry together", squares);
		assertThat(Arrays.stream(draws(Jitter.beta(0.3, 0.7), 1)).min().orElseThrow()).isCloseTo(0.3, within(0.001));
		says("30 % of the delay");
	}

	@Test
	void jitterBeforeTheCapPilesUp() {
		RandomSource random = RandomSources.seeded(11);
		int atTheCap = 0;
		for (int client = 0; client < DRAWS; client++) {
			double delay = 100;
			for (int retry = 1; retry <= 20; retry++) {
				delay = Math.min(10_000, 100 + random.next() * (3 * delay - 100));
			}
			atTheCap += (delay == 10_000) ? 1 : 0;
		}
		says("%.0f %% of the delays at retry 20", 100.0 * atTheCap / DRAWS);
		assertThat(Arrays.stream(draws(Jitter.decorrelated(), 20)).filter((share) -> share == 100.0)).isEmpty();
	}

	@Test
	void jitterBeforeTheFirstRequest() {
		RandomSource random = RandomSources.seeded(17);
		double[] calls = DoubleStream.generate(() -> 10_000 * random.next()).limit(10_000).toArray();
		double[] jitters = DoubleStream.generate(() -> 100 * random.next()).limit(10_000).toArray();
		double[] both = IntStream.range(0, 10_000).mapToDouble((i) -> calls[i] + jitters[i]).toArray();
		says("have %.1f %% of the calls", fullest(calls));
		says("with the jitter and without it, and each call takes %.0f ms longer", Arrays.stream(jitters).sum() / 1e4);
		assertThat(fullest(both)).isCloseTo(fullest(calls), within(0.05));
		says("fall from 100 %% to %.0f %%", fullest(jitters));
	}

	/** Return how many of 10,000 times are in the fullest 10 ms, in percent. */
	private static double fullest(double[] times) {
		long[] bins = new long[1_100];
		Arrays.stream(times).forEach((time) -> bins[(int) time / 10]++);
		return Arrays.stream(bins).max().orElseThrow() / 100.0;
	}

	@Test
	void waitsOfAJobPlatform() {
		says("wait %d, %d, %d s", 10 << 1, 10 << 2, 10 << 3);
		says("%.1f min to %.2f h", DelayPlan.of(rule(30_000, 2, NO_CAP), 5).totalGreatest() / 60e9,
				DelayPlan.of(rule(60_000, 2, NO_CAP), 8).totalGreatest() / 3600e9);
		says("| Backoff | %d | 100 ms ×2 to 10 s; 1 s after 429 | full | %.0f tokens |",
				RetryPolicy.builder("any").build().maxAttempts(), BudgetSettings.DEFAULTS.tokens());
	}

	@Test
	void delaysThatAreCutToTheDeadline() {
		says("more than 9,900 of them");
		assertThat(startedAtTheEnd(true)).isGreaterThan(9900);
		says("none does");
		assertThat(startedAtTheEnd(false)).isZero();
	}

	/** Return how many of 10,000 clients start an attempt in the last 10 ms. */
	private static int startedAtTheEnd(boolean cut) {
		BackoffRule rule = rule(100, 2, Duration.ofSeconds(10));
		RandomSource random = RandomSources.seeded(13);
		double deadline = 5000;
		int late = 0;
		for (int client = 0; client < 10_000; client++) {
			double now = 20;
			for (int retry = 1; now < deadline; retry++) {
				double delay = rule.delay(retry, 0, random) / 1e6;
				if (now + delay + 20 > deadline) {
					late += cut ? 1 : 0;
					break;
				}
				late += (now + delay >= deadline - 10) ? 1 : 0;
				now += delay + 20;
			}
		}
		return late;
	}

	private static double[] draws(Jitter jitter, int retries) {
		BackoffRule rule = BackoffRule.of(Shape.exponential(Duration.ofMillis(100), 2), Duration.ofSeconds(10), jitter);
		RandomSource random = RandomSources.seeded(42);
		double[] draws = new double[DRAWS];
		for (int i = 0; i < DRAWS; i++) {
			long delay = 0;
			for (int retry = 1; retry <= retries; retry++) {
				delay = rule.delay(retry, delay, random);
			}
			draws[i] = delay / 1e8;
		}
		return draws;
	}

	private static double integral(DoubleUnaryOperator function, double from, double to) {
		int steps = 10_000;
		double width = (to - from) / steps;
		return IntStream.range(0, steps)
			.mapToDouble((step) -> function.applyAsDouble(from + (step + 0.5) * width) * width)
			.sum();
	}

	private void saysSpread(String name, Jitter jitter) {
		String row = this.page.substring(this.page.indexOf("| `" + name + "` | "));
		String[] cells = row.split(" d? ?\\| ", 4);
		double[] draws = draws(jitter, 1);
		double mean = Arrays.stream(draws).average().orElseThrow();
		double variance = Arrays.stream(draws).map((draw) -> Math.pow(draw - mean, 2)).average().orElseThrow();
		assertThat(mean).isCloseTo(Double.parseDouble(cells[1]), within(0.003));
		assertThat(Math.sqrt(variance)).isCloseTo(Double.parseDouble(cells[2].replaceAll(" d.*", "")), within(0.002));
	}

	private void saysBase(String row, long deadline, int retries, long attempt) {
		says(row, largestBase(deadline, retries, attempt, 1));
	}

	private static double largestBase(long deadline, int retries, long attempt, double jitter) {
		return DelayPlan
			.largestBase(Duration.ofMillis(deadline), retries, 2, NO_CAP, Duration.ofMillis(attempt), jitter)
			.toNanos() / 1e6;
	}

	private void saysSum(String sum, BackoffRule rule, int retries) {
		assertThat(DelayPlan.of(rule, retries).totalGreatest() / 1e9 + " s")
			.isEqualTo(sum.replaceFirst("^(\\d+) s", "$1.0 s"));
		says("| " + sum + " |");
	}

	private String says(String format, Object... numbers) {
		String text = (numbers.length == 0) ? format : String.format(Locale.ROOT, format, numbers);
		assertThat(this.page).contains(text);
		return text;
	}

	private static String delays(BackoffRule rule, int retries) {
		return IntStream.rangeClosed(1, retries)
			.mapToObj((retry) -> String.valueOf(rule.capped(retry) / 1e6).replaceFirst("\\.0$", ""))
			.collect(Collectors.joining(", "));
	}

	private static BackoffRule rule(long base, double multiplier, Duration cap) {
		return BackoffRule.of(Shape.exponential(Duration.ofMillis(base), multiplier), cap, Jitter.full());
	}

	private static String page(String name) {
		return contentOf(Path.of("..", "docs", name).toFile(), StandardCharsets.UTF_8).replaceAll("\\s+", " ");
	}

}
