package dev.backoff.spring.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.common.docs.KeyName;
import org.junit.jupiter.api.Test;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of names in docs/observation.md are those of the enums. */
class ObservationPageTests {

	private static final Path PAGE = Path.of("../docs/observation.md");

	private static final Map<BackoffObservations, String> NAMES = Map.of(BackoffObservations.CALL,
			BackoffCallConvention.NAME, BackoffObservations.ATTEMPT, BackoffAttemptConvention.NAME);

	@Test
	void listsExactlyTheNamesThereAre() throws IOException {
		assertThat(listed()).containsExactlyElementsOf(documented());
	}

	@Test
	void listsExactlyTheMetersThereAre() throws IOException {
		String page = Files.readString(PAGE);
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
		assertThat(Files.readString(PAGE)).contains("| `stop` | " + tags(StopReason.values()),
				"| `cause` | " + tags(RetryCause.values()));
		assertThat(Files.readString(Path.of("../docs/operating.md"))
			.lines()
			.filter((line) -> line.matches("\\| `[A-Z_]+` .*"))
			.map((line) -> line.split("`", -1)[1]))
			.containsExactlyElementsOf(Arrays.stream(StopReason.values()).map(Enum::name).toList());
		assertThat(Files.readString(Path.of("../docs/observation.zh-CN.md")))
			.contains(Stream.of(StopReason.values(), RetryCause.values(), AttemptOutcome.values())
				.flatMap(Arrays::stream)
				.map((value) -> "`" + value.name().toLowerCase(Locale.ROOT) + "`")
				.toList());
	}

	private static String tags(Enum<?>[] values) {
		return Arrays.stream(values)
			.map((value) -> "`" + value.name().toLowerCase(Locale.ROOT) + "`")
			.collect(Collectors.joining(", ", "", " |"));
	}

	private static List<String> listed() throws IOException {
		return Files.readString(PAGE)
			.lines()
			.filter((line) -> line.startsWith("| `backoff.call` ") || line.startsWith("| `backoff.attempt` "))
			.map((line) -> line.replace("`", "").split(" *\\| *", -1))
			.map((cells) -> cells[1] + " " + cells[2] + " " + cells[3])
			.toList();
	}

	private static List<String> documented() {
		return Arrays.stream(BackoffObservations.values())
			.flatMap((observation) -> Stream
				.of(Arrays.stream(observation.getLowCardinalityKeyNames()).map((key) -> key.asString() + " word"),
						Arrays.stream(observation.getHighCardinalityKeyNames())
							.map((key) -> key.asString() + ((key == KeyNames.HOST) ? " text" : " number")),
						Arrays.stream(observation.getEvents()).map((event) -> event.getName() + " event"))
				.flatMap((rows) -> rows)
				.map((row) -> NAMES.get(observation) + " " + row))
			.toList();
	}

}
