package dev.backoff.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.diagnostics.FailureAnalysis;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with bad input, and the whole report that stops its start.
 *
 * @param name what is bad
 * @param application the application
 * @param problems each problem, followed by its fix
 */
record ReportRow(String name, SmallApplication application, List<String> problems) {

	static ReportRow of(String name, SmallApplication application, String... problems) {
		return new ReportRow(name, application, List.of(problems));
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
