package dev.backoff.simulator.svg;

import java.util.Locale;

/**
 * A picture in SVG. It brings its own background, light or dark as the reader prefers, so
 * that it can be read on any page.
 */
public final class SvgDrawing {

	private static final String STYLE = """
			<style>
			.paper{fill:#fff}.grid{stroke:#d0d7de;stroke-width:1}.axis{stroke:#57606a;stroke-width:1}.shade{fill:#d0d7de;opacity:.45}
			text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
			.title{font-size:16px;font-weight:600}.minor{fill:#57606a}
			.line{fill:none;stroke-width:2.2;stroke-linejoin:round}
			.s0{stroke:#0969da}.s1{stroke:#cf222e}.s2{stroke:#1a7f37}.s3{stroke:#bc4c00}.s4{stroke:#8250df}
			.f0{fill:#0969da}.f1{fill:#cf222e}.f2{fill:#1a7f37}.f3{fill:#bc4c00}.f4{fill:#8250df}
			@media (prefers-color-scheme:dark){
			.paper{fill:#0d1117}.grid{stroke:#30363d}.shade{fill:#30363d}.axis{stroke:#8b949e}text{fill:#e6edf3}.minor{fill:#8b949e}
			.s0{stroke:#58a6ff}.s1{stroke:#ff7b72}.s2{stroke:#3fb950}.s3{stroke:#e3b341}.s4{stroke:#d2a8ff}
			.f0{fill:#58a6ff}.f1{fill:#ff7b72}.f2{fill:#3fb950}.f3{fill:#e3b341}.f4{fill:#d2a8ff}
			}
			</style>
			""";

	private final StringBuilder body = new StringBuilder();

	private final int width;

	private final int height;

	private final String title;

	public SvgDrawing(int width, int height, String title) {
		this.width = width;
		this.height = height;
		this.title = title;
		text(20, 28, "title", "start", title);
	}

	/** Draw a straight line. */
	public void line(String style, double x1, double y1, double x2, double y2) {
		this.body.append(format("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", style, x1, y1,
				x2, y2));
	}

	/** Draw a line through points, with a gap where a value is not a number. */
	public void path(String style, double[] x, double[] y) {
		StringBuilder points = new StringBuilder();
		boolean drawing = false;
		for (int i = 0; i < x.length; i++) {
			if (!Double.isNaN(y[i])) {
				points.append(format(drawing ? "L%.1f %.1f" : "M%.1f %.1f", x[i], y[i]));
			}
			drawing = !Double.isNaN(y[i]);
		}
		this.body.append(format("<path class=\"%s\" d=\"%s\"/>\n", style, points));
	}

	/** Draw a filled rectangle. */
	public void box(String style, double x, double y, double width, double height) {
		this.body.append(format("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", style, x,
				y, width, height));
	}

	/** Write a text that starts, ends or has its middle at a point. */
	public void text(double x, double y, String style, String anchor, String text) {
		this.body.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", style, x, y,
				anchor, escape(text)));
	}

	/** Write a text upwards, its middle at a point. */
	public void textUpwards(double x, double y, String style, String text) {
		this.body.append(format(
				"<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
				style, x, y, escape(text)));
	}

	/** Put another drawing into this one, without its background. */
	public void inset(double x, double y, SvgDrawing other) {
		this.body.append(format("<svg x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\">\n%s</svg>\n", x, y, other.width,
				other.height, other.body));
	}

	public static String format(String pattern, Object... args) {
		return String.format(Locale.ROOT, pattern, args);
	}

	/** Return a text for XML and HTML. */
	public static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

	@Override
	public String toString() {
		return format("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
				%s<rect class="paper" width="100%%" height="100%%"/>
				%s</svg>
				""", this.width, this.height, escape(this.title), STYLE, this.body);
	}

}
