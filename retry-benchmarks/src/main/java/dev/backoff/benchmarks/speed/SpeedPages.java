package dev.backoff.benchmarks.speed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.benchmarks.report.FigurePlaces;

/**
 * The pages of {@code docs/measurements} that show what JMH measured: one with all tables
 * for each JDK, and {@code speed.md} and {@code pace.md}, which have short tables of the
 * JDK that everything is compiled for.
 */
public final class SpeedPages {

	private static final String PUBLISH = "--publish=";

	private static final String SHOWN_JDK = "17";

	private static final String SUCCESS = "SuccessBenchmark";

	private static final String PACE = "PaceBenchmark";

	private final SpeedResults results;

	private final SpeedTable table;

	SpeedPages(SpeedResults results, int cores) {
		this.results = results;
		this.table = new SpeedTable(results, cores);
	}

	/**
	 * Print the tables.
	 * @param args the files that JMH wrote, and {@code --publish=<directory>} of the
	 * project where the pages are to be written again, or only {@code pace.md} if nothing
	 * else was measured
	 * @throws IOException if a file cannot be read or written
	 * @throws IllegalArgumentException if a contender has no success
	 */
	public static void main(String[] args) throws IOException {
		List<String> runs = new ArrayList<>();
		List<Path> projects = new ArrayList<>();
		for (String arg : args) {
			if (arg.startsWith(PUBLISH)) {
				projects.add(Path.of(arg.substring(PUBLISH.length())));
			}
			else {
				runs.add(Files.readString(Path.of(arg), StandardCharsets.UTF_8));
			}
		}
		SpeedPages pages = new SpeedPages(SpeedResults.parse(runs), Runtime.getRuntime().availableProcessors());
		System.out.print(pages.table.write());
		if (!projects.isEmpty() && !pages.hasOnlyPace()) {
			pages.requireAll();
		}
		for (Path project : projects) {
			pages.publish(project);
		}
	}

	/* A contender that has failed leaves no result. */
	private void requireAll() {
		List<String> missing = new ArrayList<>(SpeedTable.SUCCEEDING);
		this.results.of(SUCCESS).forEach((figure) -> missing.remove(figure.parameter()));
		if (!missing.isEmpty()) {
			throw new IllegalArgumentException("Invalid results (no success of " + String.join(", ", missing)
					+ "): to be published, there must be one of each.");
		}
	}

	private boolean hasOnlyPace() {
		return this.results.figures().stream().allMatch((figure) -> figure.benchmark().equals(PACE));
	}

	/** Write the pages of a project. */
	void publish(Path project) throws IOException {
		Path pages = project.resolve("docs").resolve("measurements");
		boolean shown = this.results.feature().equals(SHOWN_JDK);
		if (shown && !this.results.of(PACE).isEmpty()) {
			fill(pages.resolve("pace.md"), "pace", PACE);
		}
		if (hasOnlyPace()) {
			return;
		}
		if (shown) {
			fill(pages.resolve("speed.md"), "speed", SUCCESS);
		}
		Path figures = pages.resolve("speed-figures-" + this.results.feature() + ".md");
		Files.writeString(figures, figures(), StandardCharsets.UTF_8);
	}

	private void fill(Path page, String place, String benchmark) throws IOException {
		String text = Files.readString(page, StandardCharsets.UTF_8);
		Files.writeString(page, FigurePlaces.fill(text, place, this.table.writeShort(benchmark)),
				StandardCharsets.UTF_8);
	}

	private String figures() {
		return "# What a call costs on JDK " + this.results.feature() + "\n\n"
				+ "Written by `retry-benchmarks/jmh.sh --publish`. [What a call costs, measured](speed.md) says how it was "
				+ "measured and what the\nfigures mean; *ns* is a call's time on its thread, in the fastest "
				+ "iteration.\n\n" + this.table.write();
	}

}
