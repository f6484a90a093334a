package dev.backoff.benchmarks.report;

import java.io.IOException;

/**
 * The places of a page that a command fills with what it measured: each goes from a line
 * {@code <!-- figures: name -->} to the next {@code <!-- end -->}. The words between the
 * places are written by hand.
 */
public final class FigurePlaces {

	private static final String END = "<!-- end -->";

	private FigurePlaces() {
	}

	/**
	 * Return the text of a page with other figures in one of its places.
	 * @param text the page
	 * @param name the place
	 * @param figures what it is to hold
	 * @return the text
	 * @throws IOException if the page has no such place
	 */
	public static String fill(String text, String name, String figures) throws IOException {
		String begin = "<!-- figures: " + name + " -->\n";
		int from = text.indexOf(begin);
		int to = text.indexOf(END, from);
		if (from < 0 || to < 0) {
			throw new IOException("No place for the figures of " + name + ".");
		}
		return text.substring(0, from + begin.length()) + "\n" + figures + "\n" + text.substring(to);
	}

}
