package dev.backoff.delay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.backoff.time.DurationText;

/**
 * The delays that a message broker offers, each with a level. Levels are counted from 1.
 * If a broker accepts only levels, each delay is rounded. Jitter is then lost, and
 * consumers that failed together return together. If the broker accepts any delivery
 * time, as RocketMQ 5 does, use that. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class DelayLevels {

	private static final Pattern LEVEL = Pattern.compile("([1-9]\\d{0,8})([smhd])");

	/** The 18 levels of RocketMQ's {@code messageDelayLevel}: 1 s to 2 h. */
	public static final DelayLevels ROCKETMQ = of("1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h");

	private final List<Duration> delays;

	private DelayLevels(List<Duration> delays) {
		this.delays = List.copyOf(delays);
	}

	/**
	 * Read levels as RocketMQ writes them.
	 * @param text delays in seconds, minutes, hours or days with blanks between them,
	 * each longer than the one before, such as {@code 1s 5s 1m 2h}
	 * @return the levels
	 * @throws IllegalArgumentException if the text is not such a list; the message names
	 * the delay
	 */
	public static DelayLevels of(String text) {
		List<Duration> delays = new ArrayList<>();
		for (String word : text.strip().split("\\s+", -1)) {
			Matcher level = LEVEL.matcher(word);
			if (!level.matches()) {
				throw new IllegalArgumentException("Invalid level (" + word
						+ "): must be a number from 1 to 999999999 with the unit s, m, h or d.");
			}
			Duration unit = Duration.parse("smh".contains(level.group(2)) ? "PT1" + level.group(2) : "P1D");
			Duration delay = unit.multipliedBy(Long.parseLong(level.group(1)));
			Duration before = delays.isEmpty() ? Duration.ZERO : delays.get(delays.size() - 1);
			if (delay.compareTo(before) <= 0) {
				throw new IllegalArgumentException("Invalid level (" + word + "): must be longer than the one before ("
						+ DurationText.exact(before) + ").");
			}
			delays.add(delay);
		}
		return new DelayLevels(delays);
	}

	/**
	 * Return the level of the nearest delay; of two equally near delays, the longer one.
	 * @param delay any delay
	 * @return the level, from 1 to the number of levels
	 */
	public int nearest(Duration delay) {
		int level = atLeast(delay);
		if (level == 1) {
			return level;
		}
		Duration below = delay.minus(this.delays.get(level - 2));
		return (below.compareTo(this.delays.get(level - 1).minus(delay)) < 0) ? level - 1 : level;
	}

	/**
	 * Return the level of the shortest delay that is not shorter than the given one. The
	 * hint of a server needs this level.
	 * @param delay any delay
	 * @return the level, from 1 to the number of levels; the last one for a longer delay
	 */
	public int atLeast(Duration delay) {
		int level = 1;
		while (level < this.delays.size() && this.delays.get(level - 1).compareTo(delay) < 0) {
			level++;
		}
		return level;
	}

	@Override
	public String toString() {
		return "DelayLevels " + String.join(" ", this.delays.stream().map(DurationText::exact).toList());
	}

}
