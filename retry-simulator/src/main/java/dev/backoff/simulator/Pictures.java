package dev.backoff.simulator;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import dev.backoff.simulator.svg.LineChart;
import dev.backoff.simulator.svg.SvgDrawing;

/** A plan and a storm as one picture of two charts. */
final class Pictures {

	private static final int WIDTH = 560;

	private static final int HEIGHT = 320;

	private static final int TOP = 40;

	private static final int POINTS = 120;

	private static final int SHOWN_BEFORE = 5;

	private static final int SHOWN_AFTER = 30;

	private Pictures() {
	}

	static String of(String title, Plan plan, Storm storm) {
		SvgDrawing picture = new SvgDrawing(2 * WIDTH, TOP + HEIGHT, title);
		picture.inset(0, TOP, survival(plan).drawing());
		picture.inset(WIDTH, TOP, load(storm).drawing());
		return picture.toString();
	}

	private static LineChart survival(Plan plan) {
		double longest = 1.2 * Math.max(1e8, (double) plan.riddenOut(0.01).toNanos());
		double unit = (longest < 2e9) ? 1e6 : (longest < 2e11) ? 1e9 : (longest < 1e13) ? 60e9 : 3_600e9;
		String name = Map.of(1e6, "milliseconds", 1e9, "seconds", 60e9, "minutes").getOrDefault(unit, "hours");
		double[] nanos = IntStream.rangeClosed(1, POINTS).mapToDouble((point) -> longest * point / POINTS).toArray();
		double[] x = DoubleStream.of(nanos).map((time) -> time / unit).toArray();
		return new LineChart("Calls that survive an outage, if the budget pays", name + " that it lasts",
				"% of the calls")
			.size(WIDTH, HEIGHT)
			.line("begin with it", x, percent(nanos, plan::survival))
			.line("begin within it", x, percent(nanos, plan::survivalWithin));
	}

	private static double[] percent(double[] nanos, ToDoubleFunction<Duration> share) {
		return DoubleStream.of(nanos).map((time) -> 100 * share.applyAsDouble(Duration.ofNanos((long) time))).toArray();
	}

	private static LineChart load(Storm storm) {
		Course course = storm.configured().course();
		int first = course.firstSecond(0);
		int[] seconds = IntStream.range(first - SHOWN_BEFORE, SHOWN_AFTER).filter(course::covers).toArray();
		return new LineChart("Requests per call in " + storm.scenario().fault(), "seconds since its end",
				"requests per call")
			.size(WIDTH, HEIGHT)
			.shade(first, 0, storm.scenario().fault().kind().name().toLowerCase(Locale.ROOT))
			.line("as configured", seconds(seconds, (second) -> second), seconds(seconds, course::load))
			.line("no budget, no breaker", seconds(seconds, (second) -> second),
					seconds(seconds, storm.unprotected().course()::load))
			.line("no retries", seconds(seconds, (second) -> second),
					seconds(seconds, storm.unretried().course()::load));
	}

	private static double[] seconds(int[] seconds, IntToDoubleFunction figure) {
		return IntStream.of(seconds).mapToDouble(figure).toArray();
	}

}
