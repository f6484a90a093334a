package dev.backoff.simulator;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.backoff.simulator.svg.SvgDrawing;
import dev.backoff.time.DurationText;

/** Plans and storms as one page, which needs no other file and no script. */
final class PlanPage {

	private static final String HEAD = """
			<!DOCTYPE html>
			<html lang="en">
			<head>
			<meta charset="utf-8">
			<meta name="viewport" content="width=device-width, initial-scale=1">
			<title>Plans of retries</title>
			<style>
			:root{color-scheme:light dark}
			body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
			h2{margin-top:3rem;border-top:1px solid #8886;padding-top:1rem}
			svg{width:100%;height:auto}
			table{border-collapse:collapse;margin:1rem 0}
			caption{text-align:left;font-weight:600;padding:.3rem 0}
			th,td{padding:.25rem .9rem .25rem 0;text-align:right;border-bottom:1px solid #8884}
			th:first-child,td:first-child{text-align:left}
			.tables{display:flex;align-items:flex-start;flex-wrap:wrap;gap:0 3rem}
			li b{display:inline-block;min-width:3.5rem}
			.error{color:#cf222e}.warn{color:#9a6700}.info{color:#57606a}
			@media (prefers-color-scheme:dark){.error{color:#ff7b72}.warn{color:#e3b341}.info{color:#8b949e}}
			</style>
			</head>
			<body>
			<h1>Plans of retries</h1>
			""";

	private static final int MOST_ROWS = 20;

	private final StringBuilder text = new StringBuilder(HEAD);

	void add(Plan plan, Storm storm) {
		String name = plan.policy().policy().name();
		this.text.append("<h2>" + escape(name) + "</h2>\n<p>" + escape(storm.scenario() + ":") + "</p>\n<ul>\n");
		Stream.concat(storm.findings().stream(), plan.findings().stream()).forEach((finding) -> {
			String severity = finding.severity().key();
			this.text.append("<li><b class=\"" + severity + "\">" + severity + "</b> "
					+ escape(finding.text()).replaceAll("`([^`]*)`", "<code>$1</code>") + "</li>\n");
		});
		this.text.append("</ul>\n" + Pictures.of(name, plan, storm) + "<div class=\"tables\">\n");
		table("The service", "|as configured|no budget, no breaker|no retries", storm(storm));
		table("Delays", "retry|least|mean|longest",
				plan.delays()
					.steps()
					.stream()
					.limit(MOST_ROWS)
					.map((step) -> step.retry() + "|" + DurationText.rounded(step.least()) + "|"
							+ DurationText.rounded(step.mean()) + "|" + DurationText.rounded(step.greatest())));
		table("Calls that survive an outage, if the budget pays", "of|if they begin with it|within it",
				plan.outages()
					.stream()
					.map((outage) -> DurationText.exact(outage) + "|" + Figures.percent(plan.survival(outage)) + "|"
							+ Figures.percent(plan.survivalWithin(outage))));
		table("Waits of a call that fails", "share of the calls|no longer than", Stream.of(0.01, 0.5, 0.9, 0.99)
			.map((share) -> Figures.percent(share) + "|" + Figures.text(plan.totalWait(share))));
		table("With one number changed", "change|mean wait|longest|half survive, if the budget pays",
				Stream.concat(Stream.of(Map.entry("as configured", plan)), plan.variants().entrySet().stream())
					.map((variant) -> variant.getKey() + "|" + Figures.text(variant.getValue().meanWait()) + "|"
							+ Figures.text(variant.getValue().longestWait()) + "|"
							+ Figures.text(variant.getValue().riddenOut(0.5))));
		this.text.append("</div>\n");
	}

	private static Stream<String> storm(Storm storm) {
		return Stream.of(row("requests per call in the fault", storm, (effect) -> Figures.text(effect.loadInFault())),
				row("in a minute", storm, (effect) -> Figures.text(effect.loadInMinute())),
				row("back after", storm, Effect::back),
				row("failed, of those begun in the fault", storm, (effect) -> Figures.percent(effect.failed())),
				row("retries refused by budgets", storm, (effect) -> "%,d".formatted(effect.refusedByBudget())),
				row("refused by breakers", storm, (effect) -> "%,d".formatted(effect.refusedByBreaker())),
				row("most calls at once", storm, (effect) -> "%,d".formatted(effect.mostUnderWay())));
	}

	private static String row(String name, Storm storm, Function<Effect, String> figure) {
		return Stream.of(storm.configured(), storm.unprotected(), storm.unretried())
			.map(figure)
			.collect(Collectors.joining("|", name + "|", ""));
	}

	/* The cells of a row are separated by bars. */
	private void table(String caption, String header, Stream<String> rows) {
		this.text.append("<table>\n<caption>" + caption + "</caption>\n" + cells(header, "th"));
		rows.forEach((row) -> this.text.append(cells(row, "td")));
		this.text.append("</table>\n");
	}

	private static String cells(String row, String kind) {
		return Stream.of(row.split("\\|", -1))
			.map((cell) -> "<" + kind + ">" + escape(cell) + "</" + kind + ">")
			.collect(Collectors.joining("", "<tr>", "</tr>\n"));
	}

	private static String escape(String text) {
		return SvgDrawing.escape(text);
	}

	@Override
	public String toString() {
		return this.text + "</body>\n</html>\n";
	}

}
