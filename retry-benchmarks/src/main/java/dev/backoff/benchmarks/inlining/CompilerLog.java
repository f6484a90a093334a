package dev.backoff.benchmarks.inlining;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What C2 says in a log of {@code -XX:+LogCompilation}: the code that it made last of
 * each method, with the calls in it that it inlined or did not.
 */
final class CompilerLog {

	/* Elements are one a line. Of tasks, those without a level are of C2. */
	private static final Pattern ELEMENT = Pattern.compile("<(/?[a-z_]+)(.*?)/?>");

	private static final Pattern ATTRIBUTE = Pattern.compile("([a-z_]+)='([^']*)'");

	private static final String C2 = "4";

	private final Map<String, Code> codes;

	private CompilerLog(Map<String, Code> codes) {
		this.codes = codes;
	}

	/**
	 * Read a log.
	 * @param lines its lines
	 * @return what it says
	 */
	static CompilerLog parse(Iterable<String> lines) {
		Map<String, Code> codes = new LinkedHashMap<>();
		Reading reading = new Reading();
		for (String line : lines) {
			Matcher element = ELEMENT.matcher(line);
			if (element.lookingAt()) {
				reading.element(element.group(1), attributes(element.group(2))).ifPresent((code) -> {
					codes.remove(code.method());
					codes.put(code.method(), code);
				});
			}
		}
		return new CompilerLog(codes);
	}

	private static Map<String, String> attributes(String text) {
		Map<String, String> attributes = new HashMap<>();
		Matcher attribute = ATTRIBUTE.matcher(text);
		while (attribute.find()) {
			attributes.put(attribute.group(1), attribute.group(2).replace("&lt;", "<").replace("&gt;", ">"));
		}
		return attributes;
	}

	/**
	 * Return the code of a method.
	 * @param method its class and name, without parameters
	 * @return what was made last of it
	 */
	Optional<Code> find(String method) {
		return Optional.ofNullable(this.codes.get(method));
	}

	/** Return the methods that have code of their own. */
	List<String> methods(Predicate<String> which) {
		return this.codes.keySet().stream().filter(which).toList();
	}

	/** How far the log is read. */
	private static final class Reading {

		private static final Called NOTHING = new Called("?", 0, "");

		private final Map<String, String> types = new HashMap<>();

		private final Map<String, Called> methods = new HashMap<>();

		private final List<Call> calls = new ArrayList<>();

		/* What is inlined into what, at this place. */
		private final List<String> within = new ArrayList<>();

		private String method = "";

		private int bytes;

		private Called called = NOTHING;

		private double count;

		Optional<Code> element(String name, Map<String, String> attributes) {
			switch (name) {
				case "task" -> begin(attributes);
				case "klass" -> this.types.put(text(attributes, "id"), text(attributes, "name"));
				case "method" -> this.methods.put(text(attributes, "id"),
						new Called(
								this.types.getOrDefault(text(attributes, "holder"), "?") + "."
										+ text(attributes, "name"),
								(int) number(attributes, "bytes"), text(attributes, "id")));
				case "call" -> {
					this.called = called(attributes);
					this.count = number(attributes, "count");
				}
				case "parse" -> this.within.add(called(attributes).unique());
				case "/parse" -> this.within.remove(this.within.size() - 1);
				case "inline_success" -> add(true, attributes);
				case "inline_fail" -> add(false, attributes);
				case "/task" -> {
					return end();
				}
				default -> {
				}
			}
			return Optional.empty();
		}

		private void begin(Map<String, String> attributes) {
			this.types.clear();
			this.methods.clear();
			this.calls.clear();
			this.within.clear();
			String[] words = text(attributes, "method").split(" ", -1);
			boolean full = attributes.getOrDefault("level", C2).equals(C2) && words.length > 1;
			this.method = full ? words[0] + "." + words[1] : "";
			this.bytes = (int) number(attributes, "bytes");
		}

		private Called called(Map<String, String> attributes) {
			return this.methods.getOrDefault(text(attributes, "method"), NOTHING);
		}

		private void add(boolean inlined, Map<String, String> attributes) {
			List<String> path = new ArrayList<>(this.within);
			path.add(this.called.unique());
			this.calls.add(new Call(this.called.method(), this.called.bytes(), this.count, inlined,
					text(attributes, "reason"), path));
		}

		private Optional<Code> end() {
			String made = this.method;
			this.method = "";
			return made.isEmpty() ? Optional.empty() : Optional.of(new Code(made, this.bytes, this.calls));
		}

		private static String text(Map<String, String> attributes, String name) {
			return attributes.getOrDefault(name, "");
		}

		private static double number(Map<String, String> attributes, String name) {
			String number = attributes.getOrDefault(name, "");
			return number.isEmpty() ? 0 : Double.parseDouble(number);
		}

		private record Called(String method, int bytes, String id) {

			/* There may be several of a name. */
			String unique() {
				return this.method + "#" + this.id;
			}

		}

	}

	/**
	 * What was made of a method.
	 *
	 * @param method its class and name
	 * @param bytes the length of its bytecode
	 * @param calls the calls in it and in what is inlined into it
	 */
	record Code(String method, int bytes, List<Call> calls) {

		Code {
			calls = List.copyOf(calls);
		}

	}

	/**
	 * A call of a method.
	 *
	 * @param method the class and name of what is called
	 * @param bytes the length of its bytecode
	 * @param count how often it had been called there before
	 * @param inlined whether it was inlined
	 * @param reason why it was or was not
	 * @param path what is inlined into what at this place, from the outermost method to
	 * this one, each with a number that tells it from others of its name
	 */
	record Call(String method, int bytes, double count, boolean inlined, String reason, List<String> path) {

		Call {
			path = List.copyOf(path);
		}

	}

}
