package dev.backoff.simulator.svg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A chart of lines over a common axis. */
public final class LineChart {

	private static final int LEFT = 70;

	private static final int TICKS = 6;

	private final String title;

	private final String xLabel;

	private final String yLabel;

	private final List<Series> lines = new ArrayList<>();

	private int width = 760;

	private int height = 420;

	private int top = 96;

	private boolean logarithmic;

	private double shadeFrom;

	private double shadeTo;

	private String shadeLabel = "";

	public LineChart(String title, String xLabel, String yLabel) {
		this.title = title;
		this.xLabel = xLabel;
		this.yLabel = yLabel;
	}

	/** Add a line. */
	public LineChart line(String label, double[] x, double[] y) {
		this.lines.add(new Series(label, x, y));
		return this;
	}

	/** Use a logarithmic vertical scale, from 1 on. */
	public LineChart logarithmic() {
		this.logarithmic = true;
		return this;
	}

	/** Mark a part of the axis. */
	public LineChart shade(double from, double to, String label) {
		this.shadeFrom = from;
		this.shadeTo = to;
		this.shadeLabel = label;
		return this;
	}

	/** Use a smaller size than 760 by 420, with one row for the legend. */
	public LineChart size(int width, int height) {
		this.width = width;
		this.height = height;
		this.top = 74;
		return this;
	}

	/** Draw the chart. */
	public String draw() {
		return drawing().toString();
	}

	/** Draw the chart, to be put into another drawing. */
	public SvgDrawing drawing() {
		SvgDrawing drawing = new SvgDrawing(this.width, this.height, this.title);
		Scale x = Scale.linear(least(), greatest(true), LEFT, right());
		Scale y = this.logarithmic ? Scale.logarithmic(greatest(false), bottom(), this.top)
				: Scale.linear(0, greatest(false) * 1.05, bottom(), this.top);
		if (!this.shadeLabel.isEmpty()) {
			drawing.box("shade", x.at(this.shadeFrom), this.top, x.at(this.shadeTo) - x.at(this.shadeFrom),
					bottom() - this.top);
			drawing.text((x.at(this.shadeFrom) + x.at(this.shadeTo)) / 2, this.top + 16.0, "minor", "middle",
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
		return drawing;
	}

	private int right() {
		return this.width - 20;
	}

	private int bottom() {
		return this.height - 54;
	}

	private void legend(SvgDrawing drawing) {
		double x = LEFT;
		double y = 52;
		for (int i = 0; i < this.lines.size(); i++) {
			String label = this.lines.get(i).label;
			double width = 40 + 7.0 * label.length();
			if (x + width > this.width) {
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
			drawing.line("grid", LEFT, y.at(tick), right(), y.at(tick));
			drawing.text(LEFT - 8.0, y.at(tick) + 4, "minor", "end", number(tick));
		}
		for (double tick : x.ticks(2 * TICKS)) {
			drawing.line("axis", x.at(tick), bottom(), x.at(tick), bottom() + 5.0);
			drawing.text(x.at(tick), bottom() + 20.0, "minor", "middle", number(tick));
		}
		drawing.line("axis", LEFT, bottom(), right(), bottom());
		drawing.text((LEFT + right()) / 2.0, this.height - 14.0, "", "middle", this.xLabel);
		drawing.textUpwards(20, (this.top + bottom()) / 2.0, "", this.yLabel);
	}

	private double least() {
		return this.lines.stream().flatMapToDouble((series) -> Arrays.stream(series.x)).min().orElse(0);
	}

	private double greatest(boolean across) {
		return this.lines.stream()
			.flatMapToDouble((series) -> Arrays.stream(across ? series.x : series.y))
			.filter(Double::isFinite)
			.max()
			.orElse(1);
	}

	public static String number(double value) {
		for (int decimals = 0; decimals < 3; decimals++) {
			double scaled = value * Math.pow(10, decimals);
			if (Math.abs(scaled - Math.rint(scaled)) < 1e-6) {
				return SvgDrawing.format("%,." + decimals + "f", value);
			}
		}
		return SvgDrawing.format("%.3f", value);
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
