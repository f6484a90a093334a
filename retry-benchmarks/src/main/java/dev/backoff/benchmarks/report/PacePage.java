package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.backoff.simulator.svg.BarChart;
import dev.backoff.simulator.svg.SvgDrawing;

/**
 * The measured table of {@code docs/measurements/pace.md}, and the pictures beside its
 * figures.
 */
public final class PacePage {

	private final Path figures;

	private PacePage(Path figures) {
		this.figures = figures;
	}

	/**
	 * Make a page.
	 * @param figures the file of the figures
	 * @return the page
	 */
	public static PacePage of(Path figures) {
		return new PacePage(figures);
	}

	/**
	 * Write the table into the page and the pictures beside the figures.
	 * @param docs the directory of all pages
	 * @throws IOException if a file is missing or cannot be written
	 */
	public void write(Path docs) throws IOException {
		for (Map.Entry<String, String> picture : pictures().entrySet()) {
			Files.writeString(this.figures.resolveSibling(picture.getKey()), picture.getValue(),
					StandardCharsets.UTF_8);
		}
		Path page = docs.resolve("measurements").resolve("pace.md");
		Files.writeString(page, fill(Files.readString(page, StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
	}

	/** Return the text with the table as the figures have it now. */
	String fill(String text) throws IOException {
		Csv quota = Csv.read(this.figures);
		List<String> rows = quota.where("counts", "false")
			.texts("contender")
			.stream()
			.map((contender) -> contender + " | " + cell(quota, contender, "false") + " | "
					+ cell(quota, contender, "true"))
			.toList();
		return FigurePlaces.fill(text, "quota",
				OverloadPage.table("contender | refused requests are free | they count", rows)
						+ SvgDrawing.format("\nEach part lasted %s s, with a load average of %.1f and %.1f.\n",
								quota.text(0, "seconds"), quota.number(0, "load"), quota.number(rows.size(), "load")));
	}

	private static String cell(Csv quota, String contender, String counts) {
		Csv of = quota.where("contender", contender).where("counts", counts);
		return SvgDrawing.format("%.1f · %.1f · %.1f / %.2f", 100 * of.number(0, "goodput"),
				100 * of.number(0, "refused") / of.number(0, "requests"), lost(of, 0), of.number(0, "worst"));
	}

	private static double lost(Csv quota, int row) {
		return 100 * quota.number(row, "lost") / quota.number(row, "calls");
	}

	/** Return the pictures by their file names. */
	Map<String, String> pictures() throws IOException {
		Csv counts = Csv.read(this.figures).where("counts", "true");
		BarChart lost = new BarChart("Calls lost, where refused requests count against the quota", "% of the calls");
		BarChart goodput = new BarChart("Goodput, where refused requests count against the quota", "% of the quota");
		for (int row = 0; row < counts.size(); row++) {
			String contender = counts.text(row, "contender");
			int colour = contender.startsWith("Backoff with pace") ? 0 : 1;
			add(lost, contender, lost(counts, row), colour);
			add(goodput, contender, 100 * counts.number(row, "goodput"), colour);
		}
		return Map.of("quota-lost.svg", lost.draw(), "quota-goodput.svg", goodput.draw());
	}

	private static void add(BarChart chart, String contender, double percent, int colour) {
		chart.bar(contender, percent, SvgDrawing.format("%.1f %%", percent), colour);
	}

}
