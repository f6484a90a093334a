package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.backoff.simulator.svg.LineChart;
import dev.backoff.simulator.svg.SvgDrawing;

/**
 * Draw panels of the dashboard from the answers of Prometheus, which
 * {@code ops/picture.sh} collects.
 */
public final class DashboardPicture {

	private static final int WIDTH = 560;

	private static final int HEIGHT = 280;

	private static final int TOP = 44;

	/* The units of Grafana that the panels use. */
	private static final Map<String, String> UNITS = Map.of("percentunit", "%", "ops", "per second", "s", "seconds");

	private DashboardPicture() {
	}

	/**
	 * Draw the picture.
	 * @param args the file with the figures, the file of the picture, and the seconds at
	 * which the outage begins and ends
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String[] args) throws IOException {
		Csv figures = Csv.read(Path.of(args[0]));
		String picture = draw(figures, Double.parseDouble(args[2]), Double.parseDouble(args[3]));
		Files.createDirectories(Path.of(args[1]).toAbsolutePath().getParent());
		Files.writeString(Path.of(args[1]), picture, StandardCharsets.UTF_8);
	}

	static String draw(Csv figures, double outageBegins, double outageEnds) {
		List<String> panels = List.copyOf(distinct(figures, "panel"));
		SvgDrawing picture = new SvgDrawing(2 * WIDTH, TOP + (panels.size() + 1) / 2 * HEIGHT,
				"The sample shop in an outage of two partners, and after it");
		for (int i = 0; i < panels.size(); i++) {
			Csv panel = figures.where("panel", panels.get(i));
			picture.inset(i % 2 * WIDTH, TOP + i / 2 * HEIGHT,
					chart(panels.get(i), panel).shade(outageBegins / 60, outageEnds / 60, "outage").drawing());
		}
		return picture.toString();
	}

	private static LineChart chart(String title, Csv panel) {
		String unit = panel.text(0, "unit");
		LineChart chart = new LineChart(title, "minutes", UNITS.getOrDefault(unit, "")).size(WIDTH, HEIGHT);
		double factor = unit.equals("percentunit") ? 100 : 1;
		for (String series : distinct(panel, "series")) {
			Csv points = panel.where("series", series);
			double[] values = Arrays.stream(points.numbers("value")).map((value) -> factor * value).toArray();
			// what never changes would only hide the rest
			if (Arrays.stream(values).filter(Double::isFinite).distinct().count() > 1) {
				chart.line(series, Arrays.stream(points.numbers("seconds")).map((second) -> second / 60).toArray(),
						values);
			}
		}
		return chart;
	}

	private static Set<String> distinct(Csv figures, String field) {
		return new LinkedHashSet<>(figures.texts(field));
	}

}
