package dev.backoff.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lines over a common axis. */
final class LineChart {

	private static final int WIDTH = 760;

	private static final int HEIGHT = 420;

	private static final int LEFT = 70;

	private static final int RIGHT = 740;

	private static final int TOP = 96;

	private static final int BOTTOM = 366;

	private static final int TICKS = 6;

	private final String title;

	private final String xLabel;

	private final String yLabel;

	private final List<Series> lines = new ArrayList<>();

	private boolean logarithmic;

	private double shadeFrom;

	private double shadeTo;

	private String shadeLabel = "";

	LineChart(String title, String xLabel, String yLabel) {
		this.title = title;
		this.xLabel = xLabel;
		this.yLabel = yLabel;
	}

	/** Add a line. */
	LineChart line(String label, double[] x, double[] y) {
		this.lines.add(new Series(label, x, y));
		return this;
	}

	/** Let each step upwards mean ten times as much, from 1 on. */
	LineChart logarithmic() {
		this.logarithmic = true;
		return this;
	}

	/** Mark a part of the axis. */
	LineChart shade(double from, double to, String label) {
		this.shadeFrom = from;
		this.shadeTo = to;
		this.shadeLabel = label;
		return this;
	}

	/** Draw it. */
	String draw() {
		SvgDrawing drawing = new SvgDrawing(WIDTH, HEIGHT, this.title);
		Scale x = Scale.linear(least(), greatest(true), LEFT, RIGHT);
		Scale y = this.logarithmic ? Scale.logarithmic(greatest(false), BOTTOM, TOP)
				: Scale.linear(0, greatest(false) * 1.05, BOTTOM, TOP);
		if (!this.shadeLabel.isEmpty()) {
			drawing.box("shade", x.at(this.shadeFrom), TOP, x.at(this.shadeTo) - x.at(this.shadeFrom), BOTTOM - TOP);
			drawing.text((x.at(this.shadeFrom) + x.at(this.shadeTo)) / 2, TOP + 16.0, "minor", "middle",
					this.shadeLabel);
		}
		axes(drawing, x, y);
		// the first one last, so that it lies above the others
		for (int i = this.lines.size() - 1; i >= 0; i--) {
			Series series = this.lines.get(i);
			drawing.path("line s" + i, Arrays.stream(series.x).map(x::at).toArray(),
					Arrays.stream(series.y).map(y::at).toArray());
		}
		legend(drawing);
		return drawing.toString();
	}

	private void legend(SvgDrawing drawing) {
		double x = LEFT;
		double y = 52;
		for (int i = 0; i < this.lines.size(); i++) {
			String label = this.lines.get(i).label;
			double width = 40 + 7.0 * label.length();
			if (x + width > WIDTH) {
				x = LEFT;
				y += 22;
			}
			drawing.box("f" + i, x, y - 6, 14, 4);
			drawing.text(x + 20, y, "", "start", label);
			x += width;
		}
	}

	private void axes(SvgDrawing drawing, Scale x, Scale y) {
		for (double tick : y.ticks(TICKS)) {
			drawing.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
			drawing.text(LEFT - 8.0, y.at(tick) + 4, "minor", "end", number(tick));
		}
		for (double tick : x.ticks(2 * TICKS)) {
			drawing.line("axis", x.at(tick), BOTTOM, x.at(tick), BOTTOM + 5.0);
			drawing.text(x.at(tick), BOTTOM + 20.0, "minor", "middle", number(tick));
		}
		drawing.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
		drawing.text((LEFT + RIGHT) / 2.0, HEIGHT - 14.0, "", "middle", this.xLabel);
		drawing.textUpwards(20, (TOP + BOTTOM) / 2.0, "", this.yLabel);
	}

	private double least() {
		return this.lines.stream().flatMapToDouble((series) -> Arrays.stream(series.x)).min().orElse(0);
	}

	private double greatest(boolean across) {
		return this.lines.stream()
			.flatMapToDouble((series) -> Arrays.stream(across ? series.x : series.y))
			.max()
			.orElse(1);
	}

	static String number(double value) {
		return (value == Math.rint(value)) ? SvgDrawing.format("%,.0f", value) : SvgDrawing.format("%.1f", value);
	}

	private static final class Series {

		private final String label;

		private final double[] x;

		private final double[] y;

		Series(String label, double[] x, double[] y) {
			this.label = label;
			this.x = x;
			this.y = y;
		}

	}

}
