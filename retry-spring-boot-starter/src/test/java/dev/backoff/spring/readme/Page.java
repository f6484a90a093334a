package dev.backoff.spring.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.contentOf;

/** A Markdown page of the project. */
record Page(Path path, String text) {

	private static final Path ROOT = Path.of("..");

	private static final Pattern FENCED = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");

	private static final Pattern COMMENT = Pattern.compile("(?m)(^|\\s+)(//|#) .*$");

	/* The two cells before the last of a row, or the words that a list explains. */
	private static final Pattern KEYS = Pattern.compile("(?m)^\\|.*?([^|]*\\|[^|]*)\\|[^|]*\\|$|^- (`.+?`)[:：]");

	private static final Pattern CODE = Pattern.compile("(\\*\\*)?`[^`]+`(\\*\\*)?(&nbsp;@)?");

	private static final Pattern NUMBER = Pattern.compile("(?<![A-Za-z\\d.])\\d+(?:\\.\\d+)*");

	static Page of(String path) {
		return read(ROOT.resolve(path));
	}

	/** Return all pages, those of modules and decisions too. */
	static List<Page> all() {
		try (Stream<Path> top = Files.list(ROOT);
				Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
				Stream<Path> sample = Files.list(ROOT.resolve("sample-app"))) {
			return Stream.of(top, docs, sample)
				.flatMap((paths) -> paths)
				.filter((path) -> path.toString().endsWith(".md"))
				.map(Page::read)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Page read(Path path) {
		return new Page(path, contentOf(path.toFile(), StandardCharsets.UTF_8));
	}

	/** Return the fenced blocks of a language, or of none if it is empty. */
	List<String> blocks(String language) {
		return FENCED.matcher(this.text)
			.results()
			.filter((block) -> block.group(1).equals(language))
			.map((block) -> block.group(2))
			.toList();
	}

	/** Return what a block of the language yaml configures. */
	static PropertySource<?> yaml(String block) throws IOException {
		return new YamlPropertySourceLoader()
			.load("shown.yml", new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8)))
			.get(0);
	}

	/** Return all fenced blocks, without the comments in their code. */
	List<String> blocks() {
		return FENCED.matcher(this.text).results().map(MatchResult::group).map(Page::withoutComments).toList();
	}

	/**
	 * Return code without its comments to the end of a line, which a page may translate.
	 */
	static String withoutComments(String code) {
		return COMMENT.matcher(code).replaceAll("");
	}

	/** Return the numbers of the prose, sorted as text. */
	List<String> numbers() {
		return NUMBER.matcher(prose()).results().map(MatchResult::group).sorted().toList();
	}

	/**
	 * Return the keys of the tables in their order, each with its values and its default.
	 */
	List<List<String>> keys() {
		return KEYS.matcher(prose())
			.results()
			.map((row) -> CODE.matcher((row.group(1) != null) ? row.group(1) : row.group(2))
				.results()
				.map(MatchResult::group)
				.toList())
			.toList();
	}

	/** Return the text without its fenced blocks. */
	String prose() {
		return FENCED.matcher(this.text).replaceAll("");
	}

	@Override
	public String toString() {
		return this.path.toString();
	}

}
