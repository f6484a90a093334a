package dev.backoff.simulator.svg;

import java.util.ArrayList;
import java.util.List;

/** A chart of horizontal bars with their values. */
public final class BarChart {

	private static final int WIDTH = 760;

	private static final int TOP = 48;

	private static final int ROW = 34;

	private static final int LEFT = 210;

	private static final int RIGHT = 690;

	private final String title;

	private final String unit;

	private final List<Bar> bars = new ArrayList<>();

	public BarChart(String title, String unit) {
		this.title = title;
		this.unit = unit;
	}

	/** Add a bar in a colour, with its value as it shall be written. */
	public BarChart bar(String label, double value, String written, int colour) {
		this.bars.add(new Bar(label, value, written, colour));
		return this;
	}

	/** Draw the chart. */
	public String draw() {
		int bottom = TOP + ROW * this.bars.size();
		SvgDrawing drawing = new SvgDrawing(WIDTH, bottom + 40, this.title);
		double greatest = this.bars.stream().mapToDouble(Bar::value).max().orElse(1);
		Scale scale = Scale.linear(0, greatest, LEFT, RIGHT);
		for (int i = 0; i < this.bars.size(); i++) {
			Bar bar = this.bars.get(i);
			double y = TOP + (double) ROW * i;
			drawing.text(LEFT - 10.0, y + 22, "", "end", bar.label());
			drawing.box("f" + bar.colour(), LEFT, y + 6, Math.max(1, scale.at(bar.value()) - LEFT), ROW - 12.0);
			drawing.text(scale.at(bar.value()) + 8, y + 22, "", "start", bar.written());
		}
		drawing.line("axis", LEFT, TOP, LEFT, bottom);
		drawing.text((LEFT + RIGHT) / 2.0, bottom + 24.0, "minor", "middle", this.unit);
		return drawing.toString();
	}

	private record Bar(String label, double value, String written, int colour) {
	}

}
