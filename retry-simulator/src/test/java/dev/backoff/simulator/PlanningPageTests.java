package dev.backoff.simulator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;

/** The page on planning has the simulator's output; {@code -Ddocs=write} writes it. */
class PlanningPageTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Map<Preset, Plan> PLANS = new EnumMap<>(Preset.class);

	private static final Path PAGE = DOCS.resolve("planning.md");

	@ParameterizedTest
	@EnumSource
	void hasThePictureOfEachPreset(Preset preset) throws IOException {
		String picture = Pictures.of("Preset " + preset.key(), plan(preset),
				Storm.of(policy(preset), Scenario.stall("3s")));
		assertWritten(DOCS.resolve("planning").resolve(preset.key() + ".svg"), picture);
		assertThat(PAGE).content().contains("](planning/" + preset.key() + ".svg)");
	}

	@Test
	void hasTheTableOfThePresets() throws IOException {
		String table = Stream.of(Preset.values()).map((preset) -> {
			Plan plan = plan(preset);
			return "| `%s` | %s | %s | %s |\n".formatted(preset.key(), report(plan.meanWait().toNanos()),
					report(plan.totalWait(0.99).toNanos()), rideOut(preset));
		}).collect(Collectors.joining("", """
				| preset | a failing call waits on average | 99 % wait at most | 99 % survive an outage of |
				| --- | --- | --- | --- |
				""", ""));
		String text = Files.readString(PAGE);
		int from = text.indexOf("<!-- presets -->\n") + "<!-- presets -->\n".length();
		int to = text.indexOf("<!-- end -->", from);
		assertWritten(PAGE, text.substring(0, from) + "\n" + table + "\n" + text.substring(to));
	}

	/* At 0.1, 1 and 10 calls/s, with the budget. */
	private static String rideOut(Preset preset) {
		return DoubleStream.of(0.1, 1, 10)
			.mapToObj((rate) -> new RideOut(policy(preset), rate).text(0.99))
			.collect(Collectors.joining(", "));
	}

	private static String report(long nanos) {
		return DurationText.rounded(nanos);
	}

	/** Return the plan of a preset, which is made once for all tests. */
	static synchronized Plan plan(Preset preset) {
		return PLANS.computeIfAbsent(preset, (key) -> Plan.of(policy(key)));
	}

	private static SimulatedPolicy policy(Preset preset) {
		return SimulatedPolicy.of(RetryPolicy.builder(preset.key()).preset(preset), BudgetSettings.DEFAULTS);
	}

	private static void assertWritten(Path file, String made) throws IOException {
		if ("write".equals(System.getProperty("docs"))) {
			Files.writeString(file, made);
		}
		assertThat(file).as("bring it up to date with -Ddocs=write").hasContent(made);
	}

}
