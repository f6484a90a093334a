package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Lines of fields with a header. No field has a comma. Immutable. */
public final class Csv {

	private final List<String> header;

	private final List<List<String>> rows;

	private Csv(List<String> header, List<List<String>> rows) {
		this.header = List.copyOf(header);
		this.rows = List.copyOf(rows);
	}

	/**
	 * Read a file.
	 * @param file the file
	 * @return what it holds
	 * @throws IOException if it cannot be read
	 */
	public static Csv read(Path file) throws IOException {
		List<List<String>> lines = new ArrayList<>();
		for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
			lines.add(List.of(line.split(",", -1)));
		}
		return new Csv(lines.get(0), lines.subList(1, lines.size()));
	}

	/**
	 * Write a file.
	 * @param file the file
	 * @param header the names of the fields
	 * @param rows the fields of each line, separated by commas
	 * @throws IOException if it cannot be written
	 */
	public static void write(Path file, String header, List<String> rows) throws IOException {
		List<String> lines = new ArrayList<>();
		lines.add(header);
		lines.addAll(rows);
		Files.write(file, lines, StandardCharsets.UTF_8);
	}

	/**
	 * Return the rows whose field has the value.
	 * @param field the name of the field
	 * @param value the value
	 * @return some of the rows, in order
	 */
	public Csv where(String field, String value) {
		int index = index(field);
		return new Csv(this.header,
				this.rows.stream().filter((row) -> row.get(index).equals(value)).collect(Collectors.toList()));
	}

	/**
	 * Return a field of all rows.
	 * @param field the name of the field
	 * @return its texts, in order
	 */
	public List<String> texts(String field) {
		int index = index(field);
		return this.rows.stream().map((row) -> row.get(index)).collect(Collectors.toList());
	}

	/**
	 * Return a field of all rows as numbers.
	 * @param field the name of the field
	 * @return its numbers, in order
	 */
	public double[] numbers(String field) {
		return texts(field).stream().mapToDouble(Double::parseDouble).toArray();
	}

	/**
	 * Return a field of a row.
	 * @param row counted from 0
	 * @param field the name of the field
	 * @return its text
	 */
	public String text(int row, String field) {
		return Objects.requireNonNull(this.rows.get(row).get(index(field)));
	}

	/**
	 * Return a field of a row as a number.
	 * @param row counted from 0
	 * @param field the name of the field
	 * @return its number
	 */
	public double number(int row, String field) {
		return Double.parseDouble(text(row, field));
	}

	/**
	 * Return how many rows there are.
	 * @return the header excluded
	 */
	public int size() {
		return this.rows.size();
	}

	private int index(String field) {
		int index = this.header.indexOf(field);
		if (index < 0) {
			throw new IllegalArgumentException("Invalid field (" + field + "): must be one of " + this.header + ".");
		}
		return index;
	}

}
