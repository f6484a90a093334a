package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The published pages against the published figures. */
class OverloadPageTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Path PAGE = DOCS.resolve("measurements").resolve("overload.md");

	private final OverloadPage page = OverloadPage.of(DOCS.resolve("overload"));

	@Test
	void hasTheTablesThatTheFiguresMake() throws IOException {
		String text = Files.readString(PAGE);
		assertThat(this.page.fill(text)).isEqualTo(text);
	}

	@Test
	void hasThePicturesThatTheFiguresMake() throws IOException {
		for (Map.Entry<String, String> picture : this.page.pictures().entrySet()) {
			assertThat(DOCS.resolve("overload").resolve(picture.getKey())).hasContent(picture.getValue());
		}
	}

	@Test
	void showsEachPicture() throws IOException {
		String text = Files.readString(PAGE);
		assertThat(this.page.pictures().keySet()).allMatch((name) -> text.contains("](../overload/" + name + ")"));
	}

	@Test
	void thePageOfUsersHasTheFiguresOfTheTables() throws IOException {
		String tables = Files.readString(PAGE);
		assertThat(tables).contains("| 1.005 |\n", "| 4.000 |\n", "| default budget | 3.1 s | 8.4 s | ");
		assertThat(DOCS.resolve("overload.md")).content()
			.contains("1.005 requests per call", "4.000,", "recover 8.4 s");
	}

	@ParameterizedTest
	@CsvSource({ "startup, 17", "waiting, 17", "waiting, 25", "durable, 17" })
	void theOtherPagesHaveTheTablesThatTheirCommandWrote(String page, int jdk) throws IOException {
		assertThat(DOCS.resolve("measurements").resolve(page + ".md")).content()
			.containsPattern("<!-- figures: %s %d -->\n\nJDK %2$d[^<]+\\|\n\n<!-- end -->\n".formatted(page, jdk));
	}

	@Test
	void drawsWellFormedPictures() throws Exception {
		for (String picture : this.page.pictures().values()) {
			Element root = DocumentBuilderFactory.newInstance()
				.newDocumentBuilder()
				.parse(new InputSource(new StringReader(picture)))
				.getDocumentElement();
			assertThat(root.getTagName()).isEqualTo("svg");
			assertThat(picture).doesNotContain("NaN").doesNotContain("Infinity");
		}
	}

	@Test
	void saysWhichTableHasNoPlace() {
		assertThatThrownBy(() -> this.page.fill("# A page without places"))
			.hasMessage("No place for the figures of outage.");
	}

}
