package dev.backoff.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/** The files of the page, as they are shipped. */
class PageFilesTests {

	private static final Path FOLDER = Path.of("src/main/resources/dev/backoff/console");

	private static final Pattern WORD = Pattern.compile("(?m)(?:^\\t| )(?:'([\\w-]+)'|(\\w+)): '([^']*)'");

	private static final Pattern PLACE = Pattern.compile("\\{\\w+}");

	private static final Pattern USED = Pattern.compile("\\bt\\('([\\w-]+)'");

	private static List<Path> files() throws IOException {
		try (Stream<Path> files = Files.list(FOLDER)) {
			return files.sorted().toList();
		}
	}

	private static String read(String name) throws IOException {
		return Files.readString(FOLDER.resolve(name));
	}

	/** The words of a language, each with the places that it leaves to be filled. */
	private static Map<String, List<String>> words(String file) throws IOException {
		Map<String, List<String>> words = new TreeMap<>();
		Matcher word = WORD.matcher(read(file));
		while (word.find()) {
			List<String> places = PLACE.matcher(word.group(3))
				.results()
				.map((place) -> place.group())
				.sorted()
				.toList();
			assertThat(words.put((word.group(1) != null) ? word.group(1) : word.group(2), places)).isNull();
		}
		return words;
	}

	@Test
	void areSmallTogether() throws IOException {
		long bytes = 0;
		for (Path file : files()) {
			bytes += Files.size(file);
		}
		assertThat(bytes).isLessThan(68 * 1024);
	}

	@Test
	void haveTheSameWordsInBothLanguages() throws IOException {
		assertThat(words("en.js")).hasSizeGreaterThan(100).isEqualTo(words("zh.js"));
	}

	@Test
	void useNoWordThatIsMissing() throws IOException {
		Map<String, List<String>> known = words("en.js");
		for (Path file : files()) {
			USED.matcher(Files.readString(file))
				.results()
				.forEach((word) -> assertThat(known).as(file.toString()).containsKey(word.group(1)));
		}
	}

	@Test
	void makeNoMarkupOfTextAndNoRequestToOthers() throws IOException {
		for (Path file : files()) {
			assertThat(Files.readString(file, StandardCharsets.UTF_8).replace("http://www.w3.org/2000/svg", ""))
				.as(file.toString())
				.doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
						"http:", "https:", "@import", "style=", "onclick");
		}
		assertThat(read("page.html")).contains("default-src 'none'; script-src 'self'; style-src 'self'; "
				+ "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'");
	}

	@Test
	void stayInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new ConsoleEndpoint.Files().registerHints(hints, null);
		assertThat(RuntimeHintsPredicates.resource().forResource("dev/backoff/console/console.js").test(hints))
			.isTrue();
	}

}
