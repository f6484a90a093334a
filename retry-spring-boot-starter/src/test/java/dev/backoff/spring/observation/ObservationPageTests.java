package dev.backoff.spring.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import org.junit.jupiter.api.Test;

import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of names in docs/observation.md are those of the enums. */
class ObservationPageTests {

	private static final Map<BackoffObservations, String> NAMES = Map.of(BackoffObservations.CALL,
			BackoffCallConvention.NAME, BackoffObservations.ATTEMPT, BackoffAttemptConvention.NAME);

	@Test
	void listsExactlyTheNamesThereAre() throws IOException {
		assertThat(listed()).containsExactlyElementsOf(documented());
	}

	@Test
	void listsExactlyTheMetersThereAre() throws IOException {
		String page = Files.readString(Path.of("../docs/observation.md"));
		String table = page.substring(page.indexOf("| meter "), page.indexOf("| tag "));
		assertThat(table.lines()
			.filter((line) -> line.startsWith("| `"))
			.map((line) -> line.replace("`", "").split(" *\\| *", -1))
			.map((cells) -> cells[1] + " " + cells[2] + " " + cells[4]))
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(BackoffMeters.values())
				.map((meter) -> meter.getName() + " " + meter.getType().name().toLowerCase(Locale.ROOT) + " "
						+ Arrays.stream(meter.getKeyNames()).map(KeyName::asString).collect(Collectors.joining(", ")))
				.toList());
	}

	@Test
	void listsExactlyTheStopReasonsAndCausesThereAre() throws IOException {
		assertThat(Files.readString(Path.of("../docs/observation.md")))
			.contains("| `stop` | " + tags(StopReason.values()), "| `cause` | " + tags(RetryCause.values()));
		assertThat(Files.readString(Path.of("../docs/operating.md"))
			.lines()
			.filter((line) -> line.matches("\\| `[A-Z_]+` .*"))
			.map((line) -> line.split("`", -1)[1]))
			.containsExactlyElementsOf(Arrays.stream(StopReason.values()).map(Enum::name).toList());
	}

	private static String tags(Enum<?>[] values) {
		return Arrays.stream(values)
			.map((value) -> "`" + value.name().toLowerCase(Locale.ROOT) + "`")
			.collect(Collectors.joining(", ", "", " |"));
	}

	private static List<String> listed() throws IOException {
		try (Stream<String> lines = Files.lines(Path.of("../docs/observation.md"))) {
			return lines
				.filter((line) -> line.startsWith("| `backoff.call` ") || line.startsWith("| `backoff.attempt` "))
				.map((line) -> line.replace("`", "").split(" *\\| *", -1))
				.map((cells) -> cells[1] + " " + cells[2] + " " + cells[3])
				.toList();
		}
	}

	private static List<String> documented() {
		List<String> rows = new ArrayList<>();
		for (BackoffObservations observation : BackoffObservations.values()) {
			String name = NAMES.get(observation);
			for (KeyName word : observation.getLowCardinalityKeyNames()) {
				rows.add(name + " " + word.asString() + " word");
			}
			for (KeyName number : observation.getHighCardinalityKeyNames()) {
				rows.add(name + " " + number.asString() + ((number == KeyNames.HOST) ? " text" : " number"));
			}
			for (Observation.Event event : observation.getEvents()) {
				rows.add(name + " " + event.getName() + " event");
			}
		}
		return rows;
	}

}
