package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.backoff.simulator.svg.BarChart;
import dev.backoff.simulator.svg.LineChart;
import dev.backoff.simulator.svg.SvgDrawing;

/**
 * The tables of {@code docs/measurements/overload.md}, and the pictures beside the
 * figures they are made from.
 */
public final class OverloadPage {

	private static final List<String> SHOWN_LIMITS = List.of("default budget", "no budget", "no retries");

	private static final String OURS = "Backoff (default)";

	/* Seconds as long as the longest bar may be. */
	private static final double NEVER = 150;

	private final Path figures;

	private OverloadPage(Path figures) {
		this.figures = figures;
	}

	/**
	 * Make a page.
	 * @param figures the directory that holds the figures
	 * @return the page
	 */
	public static OverloadPage of(Path figures) {
		return new OverloadPage(figures);
	}

	/**
	 * Write the tables into the page and the pictures beside the figures.
	 * @param docs the directory of all pages
	 * @throws IOException if a file is missing or cannot be written
	 */
	public void write(Path docs) throws IOException {
		for (Map.Entry<String, String> picture : pictures().entrySet()) {
			Files.writeString(this.figures.resolve(picture.getKey()), picture.getValue(), StandardCharsets.UTF_8);
		}
		Path page = docs.resolve("measurements").resolve("overload.md");
		Files.writeString(page, fill(Files.readString(page, StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
	}

	/** Return the text with the tables as the figures have them now. */
	String fill(String text) throws IOException {
		String filled = text;
		for (Map.Entry<String, String> table : tables().entrySet()) {
			filled = FigurePlaces.fill(filled, table.getKey(), table.getValue());
		}
		return filled;
	}

	private Map<String, String> tables() throws IOException {
		Map<String, String> tables = new LinkedHashMap<>();
		tables.put("outage", outage());
		tables.put("footprint", footprint());
		tables.put("stall", stall());
		tables.put("stall-real", realStall());
		tables.put("fleet-stall", fleetStall());
		tables.put("fleet", fleet());
		tables.put("layers", layers());
		tables.put("herd", herd());
		tables.put("refusals", refusals());
		return tables;
	}

	private String outage() throws IOException {
		Csv totals = csv("outage.csv");
		List<String> rows = new ArrayList<>();
		for (int row = 0; row < totals.size(); row++) {
			rows.add(SvgDrawing.format("%s | %,.0f | %,.0f | %.3f", totals.text(row, "contender"),
					totals.number(row, "calls"), totals.number(row, "requests"),
					totals.number(row, "requests_per_call")));
		}
		return table("contender | calls | requests | requests per call", rows);
	}

	private String refusals() throws IOException {
		Csv refusals = csv("refusals.csv");
		List<String> rows = new ArrayList<>();
		for (int row = 0; row < refusals.size(); row++) {
			rows.add(SvgDrawing.format("%s | %.1f µs | %.1f µs | %.1f µs", refusals.text(row, "by"),
					refusals.number(row, "median_us"), refusals.number(row, "p99_us"),
					refusals.number(row, "p9999_us")));
		}
		return table("refused by | median | 99 % | 99.99 %", rows);
	}

	private String footprint() throws IOException {
		Csv totals = csv("outage.csv");
		List<String> rows = new ArrayList<>();
		for (int row = 0; row < totals.size(); row++) {
			rows.add(SvgDrawing.format("%s | %s, %s, %s | %.0f, %.0f, %.0f MB | %.0f ms", totals.text(row, "contender"),
					totals.text(row, "threads_begin"), totals.text(row, "threads_peak"),
					totals.text(row, "threads_end"), totals.number(row, "heap_begin_mb"),
					totals.number(row, "heap_peak_mb"), totals.number(row, "heap_end_mb"),
					totals.number(row, "mean_call_ms")));
		}
		return table("contender | threads: begin, peak, end | heap: begin, peak, end | mean time of a call", rows);
	}

	private String stall() throws IOException {
		Csv stall = csv("stall.csv");
		Csv shown = stall.where("utilisation", "0.8");
		List<String> rows = new ArrayList<>();
		for (String limit : shown.texts("limit")) {
			Csv of = stall.where("limit", limit);
			rows.add(limit + " | " + seconds(of.where("utilisation", "0.6"), "median_seconds") + " | "
					+ seconds(of.where("utilisation", "0.8"), "median_seconds") + " | "
					+ seconds(of.where("utilisation", "0.9"), "median_seconds") + " | "
					+ SvgDrawing.format("%.2f", of.where("utilisation", "0.8").number(0, "load")));
		}
		return table("retries | recovers at 60 % in | at 80 % | at 90 % | load at 80 %", rows);
	}

	private String realStall() throws IOException {
		Csv stall = csv("stall-real.csv");
		Csv simulated = csv("stall-real-simulated.csv");
		List<String> utilisations = stall.texts("utilisation").stream().distinct().toList();
		List<String> rows = new ArrayList<>();
		for (String limit : stall.texts("limit").stream().distinct().toList()) {
			Csv of = stall.where("limit", limit);
			StringBuilder row = new StringBuilder(limit);
			for (String utilisation : utilisations) {
				row.append(" | ")
					.append(seconds(of.where("utilisation", utilisation), "seconds"))
					.append(" (")
					.append(seconds(simulated.where("limit", limit).where("utilisation", utilisation), "seconds"))
					.append(")");
			}
			rows.add(row + SvgDrawing.format(" | %.2f", of.where("utilisation", "0.8").number(0, "load")));
		}
		StringBuilder header = new StringBuilder("retries");
		for (String utilisation : utilisations) {
			header.append(SvgDrawing.format(" | at %.0f %%", 100 * Double.parseDouble(utilisation)));
		}
		return table(header + " | load at 80 %", rows);
	}

	private String fleetStall() throws IOException {
		Csv real = csv("fleet-stall.csv");
		Csv simulated = csv("fleet-stall-simulated.csv");
		List<String> rows = new ArrayList<>();
		for (int row = 0; row < simulated.size(); row++) {
			String processes = simulated.text(row, "processes");
			Csv measured = real.where("contender", OURS).where("processes", processes);
			rows.add(SvgDrawing.format("%s | %s | %s | %s | %s | %.2f", OURS, processes,
					(measured.size() > 0) ? seconds(measured, "seconds") : "",
					seconds(simulated.where("processes", processes), "seconds"),
					seconds(simulated.where("processes", processes), "seconds_without_retries"),
					simulated.number(row, "load")));
		}
		for (int row = 0; row < real.size(); row++) {
			if (!real.text(row, "contender").equals(OURS)) {
				rows.add(SvgDrawing.format("%s | %s | %s | | | %.2f", real.text(row, "contender"),
						real.text(row, "processes"),
						seconds(real.where("contender", real.text(row, "contender")), "seconds"),
						real.number(row, "load")));
			}
		}
		return table("contender | processes | recovers in | simulated | without retries | load", rows);
	}

	private String fleet() throws IOException {
		Csv fleet = csv("fleet.csv");
		Csv real = csv("fleet-real.csv");
		return table(
				"bucket of each caller | load in an outage of 16 s | measured | of a minute | success of 1 call/s | over ten minutes | attempts of 1 call/min",
				IntStream.range(0, fleet.size())
					.mapToObj((row) -> SvgDrawing.format("%s | %.2f | %.2f | %.2f | %.1f %% | %.1f %% | %.2f",
							fleet.text(row, "bucket"), fleet.number(row, "load_16s"), real.number(row, "load_16s"),
							fleet.number(row, "load_60s"), 100 * fleet.number(row, "success_120s"),
							100 * fleet.number(row, "success_600s"), fleet.number(row, "attempts_of_rare_calls")))
					.toList());
	}

	private static String seconds(Csv csv, String field) {
		double seconds = csv.number(0, field);
		return Double.isInfinite(seconds) ? "**never**" : SvgDrawing.format("%.1f s", seconds);
	}

	private String layers() throws IOException {
		Csv layers = csv("layers.csv");
		return table("contender | calls of the leaf",
				IntStream.range(0, layers.size())
					.mapToObj((row) -> layers.text(row, "contender") + " | " + layers.text(row, "leaf_calls"))
					.toList());
	}

	private String herd() throws IOException {
		Csv herd = csv("herd.csv");
		return table("jitter | clients in the fullest 10 ms after 0.5 s",
				IntStream.range(0, herd.size())
					.mapToObj((row) -> SvgDrawing.format("`%s` | %.1f %%", herd.text(row, "jitter"),
							100 * herd.number(row, "fullest_bin_share")))
					.toList());
	}

	static String table(String header, List<String> rows) {
		StringBuilder table = new StringBuilder("| " + header + " |\n|");
		table.append(" --- |".repeat(header.split("\\|").length)).append('\n');
		rows.forEach((row) -> table.append("| ").append(row).append(" |\n"));
		return table.toString();
	}

	/** Return the pictures by their file names. */
	Map<String, String> pictures() throws IOException {
		Map<String, String> pictures = new LinkedHashMap<>();
		pictures.put("fleet-stall.svg", fleetBars());
		pictures.put("outage.svg", outageBars());
		pictures.put("outage-seconds.svg", outageLines());
		pictures.put("stall.svg", stallLines("stall-seconds.csv", "Successes after a stall, simulated", SHOWN_LIMITS,
				"goodput", "successes per call"));
		pictures.put("stall-load.svg", stallLines("stall-seconds.csv", "Requests after a stall, simulated",
				SHOWN_LIMITS, "load", "requests per call"));
		pictures.put("stall-real.svg", stallLines("stall-real-seconds.csv", "Successes after a stall, real server",
				SHOWN_LIMITS, "goodput", "successes per call"));
		pictures.put("layers.svg", layersBars());
		pictures.put("herd.svg", herdLines());
		return pictures;
	}

	/* Measured where that was done, else simulated; the longest bar is never. */
	private String fleetBars() throws IOException {
		Csv real = csv("fleet-stall.csv");
		Csv simulated = csv("fleet-stall-simulated.csv");
		BarChart chart = new BarChart("A stall of 3 s: seconds until calls succeed again, by number of processes",
				"seconds after the stall");
		for (int row = 0; row < simulated.size(); row++) {
			String processes = simulated.text(row, "processes");
			Csv measured = real.where("contender", OURS).where("processes", processes);
			double seconds = (measured.size() > 0) ? measured.number(0, "seconds") : simulated.number(row, "seconds");
			chart.bar(SvgDrawing.format("Backoff, %s%s", processes, (measured.size() > 0) ? "" : " (simulated)"),
					seconds, SvgDrawing.format("%.1f s", seconds), 0);
		}
		for (int row = 0; row < real.size(); row++) {
			double seconds = real.number(row, "seconds");
			if (!real.text(row, "contender").equals(OURS)) {
				chart.bar(real.text(row, "contender") + ", " + real.text(row, "processes"), Math.min(NEVER, seconds),
						Double.isInfinite(seconds) ? "never" : SvgDrawing.format("%.1f s", seconds), 1);
			}
		}
		return chart.draw();
	}

	private String outageBars() throws IOException {
		Csv totals = csv("outage.csv");
		BarChart chart = new BarChart("Total outage: requests that the server gets per call", "requests per call");
		for (int row = 0; row < totals.size(); row++) {
			double perCall = totals.number(row, "requests_per_call");
			chart.bar(totals.text(row, "contender"), perCall, SvgDrawing.format("%.3f", perCall), (row == 0) ? 0 : 1);
		}
		return chart.draw();
	}

	private String outageLines() throws IOException {
		Csv seconds = csv("outage-seconds.csv");
		// not the tail after it, in which calls only end
		int shown = (int) csv("outage.csv").number(0, "seconds");
		LineChart chart = new LineChart("Total outage: requests in each second", "seconds since the outage began",
				"requests per second");
		for (String contender : seconds.texts("contender").stream().distinct().toList()) {
			Csv of = seconds.where("contender", contender);
			chart.line(contender, Arrays.copyOf(of.numbers("second"), shown),
					Arrays.copyOf(of.numbers("attempts"), shown));
		}
		return chart.draw();
	}

	private String stallLines(String file, String title, List<String> limits, String field, String unit)
			throws IOException {
		Csv seconds = csv(file);
		LineChart chart = new LineChart(title + " (80 % used)", "seconds since the stall ended", unit).shade(-3, 0,
				"stall");
		for (String limit : limits) {
			Csv of = seconds.where("limit", limit);
			chart.line(limit, of.numbers("second"), of.numbers(field));
		}
		return chart.draw();
	}

	private String layersBars() throws IOException {
		Csv layers = csv("layers.csv");
		BarChart chart = new BarChart("Three layers of three attempts: calls of the leaf", "calls of the leaf");
		for (int row = 0; row < layers.size(); row++) {
			chart.bar(layers.text(row, "contender"), layers.number(row, "leaf_calls"), layers.text(row, "leaf_calls"),
					(row == 0) ? 0 : 1);
		}
		return chart.draw();
	}

	private String herdLines() throws IOException {
		Csv bins = csv("herd-bins.csv");
		double[] seconds = Arrays.stream(bins.numbers("milliseconds")).map((millis) -> millis / 1_000).toArray();
		return new LineChart("10,000 clients fail at once: requests in each 10 ms", "seconds since they failed",
				"requests, logarithmic")
			.logarithmic()
			.line("full jitter (default)", seconds, bins.numbers("full"))
			.line("no jitter", seconds, bins.numbers("none"))
			.draw();
	}

	private Csv csv(String name) throws IOException {
		return Csv.read(this.figures.resolve(name));
	}

}
