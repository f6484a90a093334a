package dev.backoff.spring.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every kind of bad configuration and its report. The table {@code reports.txt} has a
 * name, an {@code application.yml} and the report of each, or one line of a policy, a
 * breaker or a budget.
 */
class ReportTableTests {

	static Stream<Row> rows() throws IOException {
		try (InputStream table = ReportTableTests.class.getResourceAsStream("reports.txt")) {
			String text = new String(Objects.requireNonNull(table).readAllBytes(), StandardCharsets.UTF_8);
			return Stream.of(text.split("(?m)^## ")).skip(1).flatMap(Row::of).toList().stream();
		}
	}

	@ParameterizedTest
	@MethodSource("rows")
	void isReported(Row row) throws IOException {
		assertThat(row.reported()).isEqualTo(row.report());
	}

	record Row(String name, String yaml, String report) {

		private static final String REPORT = "----\n";

		/*
		 * A section of the table is a row, or a file with %s in place of each of its
		 * lines.
		 */
		static Stream<Row> of(String section) {
			int name = section.indexOf('\n');
			int report = section.indexOf(REPORT);
			String yaml = section.substring(name + 1, report);
			String text = section.substring(report + REPORT.length()).strip();
			if (!yaml.contains("%s")) {
				return Stream.of(new Row(section.substring(0, name), yaml, text));
			}
			long place = yaml.substring(0, yaml.indexOf("%s")).lines().count();
			return text.lines().map((line) -> {
				String[] cells = line.split(" \\| ", -1);
				return new Row(cells[0], yaml.replace("%s", cells[0]), "Invalid " + section.substring(0, name).strip()
						+ cells[1].replaceFirst("\\): ", ") at application.yml:" + place + ": ") + "\n  " + cells[2]);
			});
		}

		String reported() throws IOException {
			StandardEnvironment environment = new StandardEnvironment();
			new YamlPropertySourceLoader().load("file [application.yml]", new File(this.yaml))
				.forEach(environment.getPropertySources()::addFirst);
			StringBuilder report = new StringBuilder();
			for (Problem problem : ConfigurationReaderTests.report(environment)) {
				report.append(problem.message()).append("\n  ").append(problem.fix()).append('\n');
			}
			return report.toString().strip();
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	private static final class File extends ByteArrayResource {

		File(String text) {
			super(text.getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public String getFilename() {
			return "application.yml";
		}

	}

}
