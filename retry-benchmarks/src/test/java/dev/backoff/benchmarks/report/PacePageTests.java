package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The published page of paces against the published figures. */
class PacePageTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Path PAGE = DOCS.resolve("measurements").resolve("pace.md");

	private static final Path FIGURES = DOCS.resolve("pace").resolve("quota.csv");

	@Test
	void hasTheTableAndThePicturesThatTheFiguresMake() throws IOException {
		String text = Files.readString(PAGE);
		PacePage page = PacePage.of(FIGURES);
		assertThat(page.fill(text)).isEqualTo(text);
		for (Map.Entry<String, String> picture : page.pictures().entrySet()) {
			assertThat(FIGURES.resolveSibling(picture.getKey())).hasContent(picture.getValue());
			assertThat(text).contains("](../pace/" + picture.getKey() + ")");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "true" })
	void aPaceLosesNoCallAndUsesTheQuota(String counts) throws IOException {
		Csv figures = Csv.read(FIGURES).where("counts", counts);
		assertThat(figures.size()).isEqualTo(6);
		for (int row = 0; row < figures.size(); row++) {
			boolean paced = figures.text(row, "contender").startsWith("Backoff with pace");
			assertThat(figures.number(row, "lost") == 0)
				.isEqualTo(paced || figures.text(row, "contender").endsWith("RateLimiter"));
			assertThat(figures.number(row, "requests")).isLessThanOrEqualTo(4 * figures.number(row, "calls") + 64);
			if (paced) {
				assertThat(figures.number(row, "goodput")).isGreaterThan(0.95);
				assertThat(figures.number(row, "refused") / figures.number(row, "requests")).isLessThan(0.03);
				assertThat(figures.number(row, "worst")).isLessThan(1.6);
			}
		}
	}

	@Test
	void hasTheSimulatedTableOfTheDecision() throws IOException {
		List<String> rows = Files.readAllLines(DOCS.resolve("decisions").resolve("0059-pace.md"))
			.stream()
			.filter((line) -> line.startsWith("| "))
			.toList();
		assertThat(rows).hasSize(9);
		assertThat(Files.readAllLines(PAGE)).containsSubsequence(rows);
	}

}
