package dev.backoff.spring.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.diagnostics.FailureAnalysis;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/** An application with bad input, and the whole report that stops its start. */
record ReportRow(String name, SmallApplication application, List<String> problems) {

	private static final String REPORT = "----\n";

	/** Read the reports of a table by their headings; a line is a problem or its fix. */
	static Map<String, List<String>> reports(String table) {
		return sections(table)
			.collect(Collectors.toMap((section) -> section.substring(0, section.indexOf('\n')), ReportRow::report));
	}

	/** Read the rows of a table that have a file. */
	static Stream<ReportRow> files(String table) {
		return sections(table).filter((section) -> section.contains(REPORT)).map((section) -> {
			int name = section.indexOf('\n');
			String yaml = section.substring(name + 1, section.indexOf(REPORT));
			return new ReportRow(section.substring(0, name), shop().yaml(yaml), report(section));
		});
	}

	private static Stream<String> sections(String table) {
		String text = contentOf(Objects.requireNonNull(ReportRow.class.getResource(table)), StandardCharsets.UTF_8);
		return Stream.of(text.split("(?m)^## ")).skip(1);
	}

	private static List<String> report(String section) {
		String text = section.substring(section.indexOf(section.contains(REPORT) ? REPORT : "\n"));
		return text.lines().skip(1).map(String::strip).toList();
	}

	/** An application with one method, which uses the policy called orders. */
	static SmallApplication shop() {
		return SmallApplication.of(Shop.class);
	}

	void check() {
		FailureAnalysis analysis = new InvalidBackoffFailureAnalyzer().analyze(this.application.failure());
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).isEqualTo(description());
		assertThat(analysis.getAction()).isEqualTo(action());
	}

	private String description() {
		int count = this.problems.size() / 2;
		StringBuilder text = new StringBuilder(
				"Retries cannot work as configured" + ((count == 1) ? ":" : ", for " + count + " reasons:"));
		for (int i = 0; i < count; i++) {
			text.append("\n\n    ").append((count == 1) ? "" : (i + 1) + ". ").append(this.problems.get(2 * i));
		}
		return text.toString();
	}

	private String action() {
		int count = this.problems.size() / 2;
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			lines.add(((count == 1) ? "" : (i + 1) + ". ") + this.problems.get(2 * i + 1));
		}
		return String.join("\n", lines);
	}

	@Override
	public String toString() {
		return this.name;
	}

	public static class Shop {

		@Backoff("orders")
		public String place(String order) {
			return order;
		}

	}

}
