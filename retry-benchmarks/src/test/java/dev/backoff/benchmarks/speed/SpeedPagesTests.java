package dev.backoff.benchmarks.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The pages that show what calls cost. */
class SpeedPagesTests {

	private static final String PAGES = "docs/measurements";

	@Nested
	class WhatIsWritten {

		private static final String PAGE = "# Shop\n\n<!-- figures: speed -->\n\nold\n\n<!-- end -->\n\nMore.\n";

		@TempDir
		private Path project;

		@Test
		void isAPageForEachJdkAndTheTableFor17() throws IOException {
			Path page = shown("speed.md", PAGE);
			publish("17.0.15", "100.0");
			publish("25.0.1+8", "90.0");
			assertThat(page).hasContent("""
					# Shop

					<!-- figures: speed -->

					JDK 17.0.15, 4 cores:

					| call | ns | ratio | bytes |
					| --- | --- | --- | --- |
					| floor: proxy and one `Timer` | 100.0 | 1.00 | 72 |

					<!-- end -->

					More.
					""");
			assertThat(page("17")).startsWith("# What a call costs on JDK 17\n")
				.endsWith("| floor: proxy and one `Timer` | 100.0 | 100.0 | 72 | 1.00 | 1.00 |\n");
			assertThat(page("25")).contains("\nJDK 25.0.1+8, 4 cores\n")
				.endsWith("| floor: proxy and one `Timer` | 90.0 | 90.0 | 72 | 1.00 | 1.00 |\n");
		}

		@Test
		void isOnlyThePlaceForThePaceIfNothingElseWasMeasured() throws IOException {
			Path page = shown("pace.md", "<!-- figures: pace -->\n<!-- end -->\n");
			Path results = this.project.resolve("results.json");
			Files.writeString(results,
					results("17.0.15", "100.0").replace("Success", "Pace").replace("FLOOR", "BACKOFF_KEY"));
			SpeedPages.main(new String[] { results.toString(), "--publish=" + this.project });
			assertThat(page).content().contains("| with a breaker per `#question` | 100.0 | – | 72 |\n\n<!-- end -->");
			assertThat(page.getParent()).isDirectoryNotContaining("glob:**speed*");
		}

		@Test
		void needsAPlaceOnThePage() throws IOException {
			shown("speed.md", "# Shop\n");
			assertThatIOException().isThrownBy(() -> publish("17.0.15", "100.0"))
				.withMessage("No place for the figures of speed.");
		}

		@Test
		void hasEveryContender() throws IOException {
			Path results = this.project.resolve("results.json");
			Files.writeString(results, results("17.0.15", "100.0"));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> SpeedPages
					.main(new String[] { results.toString(), "--publish=" + this.project.resolve("nowhere") }))
				.withMessage("Invalid results (no success of PLAIN, PROXY, FRAMEWORK, FRAMEWORK_TIMED, SPRING_RETRY, "
						+ "RESILIENCE4J, RESILIENCE4J_BREAKER, FAILSAFE, BACKOFF, BACKOFF_WOVEN, "
						+ "BACKOFF_PROGRAMMATIC): to be published, there must be one of each.");
		}

		private Path shown(String name, String text) throws IOException {
			Path docs = Files.createDirectories(this.project.resolve(PAGES));
			return Files.writeString(docs.resolve(name), text);
		}

		private void publish(String jdk, String nanos) throws IOException {
			new SpeedPages(SpeedResults.parse(List.of(results(jdk, nanos))), 4).publish(this.project);
		}

		private static String results(String jdk, String nanos) {
			return """
					[{"benchmark": "dev.backoff.benchmarks.speed.SuccessBenchmark.call", "mode": "avgt",
					"jdkVersion": "%s", "params": {"contender": "FLOOR"}, "primaryMetric": {"rawData": [[%s]]},
					"secondaryMetrics": {"gc.alloc.rate.norm": {"rawData": [[72.0]]}}}]""".formatted(jdk, nanos);
		}

		private String page(String jdk) throws IOException {
			return Files.readString(this.project.resolve(PAGES).resolve("speed-figures-" + jdk + ".md"));
		}

	}

	@Nested
	class WhatIsPublished {

		private static final Pattern SUCCESS = Pattern.compile("## Success at once\n\n(.*?)\n(?:\n|$)", Pattern.DOTALL);

		private static final Pattern GOAL = Pattern.compile("\\| (.+) \\| (as aimed at|met|\\*\\*missed\\*\\*) \\|");

		private static final Pattern ROW = Pattern
			.compile("\\| (.+?) \\| (\\S+) \\| \\S+ \\| (\\S+) \\| (\\S+) \\| \\S+ \\|");

		@Test
		void isTheSameInTheShortTable() throws IOException {
			Path project = Path.of("..");
			Matcher table = SUCCESS.matcher(Files.readString(project.resolve(PAGES).resolve("speed-figures-17.md")));
			assertThat(table.find()).isTrue();
			List<String> rows = table.group(1).lines().skip(2).map(WhatIsPublished::shortened).toList();
			assertThat(rows).hasSizeGreaterThan(9);
			assertThat(Files.readString(project.resolve(PAGES).resolve("speed.md")))
				.contains("| call | ns | ratio | bytes |\n| --- | --- | --- | --- |\n" + String.join("\n", rows)
						+ "\n\n<!-- end -->");
		}

		@Test
		void hasTheGoalsThatThePagesSayAreMet() throws IOException {
			List<String> on17 = goals("17");
			List<String> on25 = goals("25");
			assertThat(on17).hasSameSizeAs(on25).hasSizeGreaterThan(9);
			String page = Files.readString(Path.of("..", PAGES, "speed.md"));
			for (int i = 0; i < on17.size(); i++) {
				String measured25 = on25.get(i).substring(on25.get(i).lastIndexOf(" | "));
				assertThat(page).contains("| " + on17.get(i) + measured25 + " |\n");
			}
		}

		/* With what was measured and whether that is enough in one column. */
		private static List<String> goals(String jdk) throws IOException {
			return Files.readAllLines(Path.of("..", PAGES, "speed-figures-" + jdk + ".md"))
				.stream()
				.map(GOAL::matcher)
				.filter(Matcher::matches)
				.map((goal) -> goal.group(1) + ", " + goal.group(2))
				.toList();
		}

		private static String shortened(String row) {
			Matcher columns = ROW.matcher(row);
			assertThat(columns.matches()).as(row).isTrue();
			return "| " + columns.group(1) + " | " + columns.group(2) + " | " + columns.group(4) + " | "
					+ columns.group(3) + " |";
		}

	}

}
