package dev.backoff;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the compiler does not check about the sources of all modules. */
class SourcesTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Pattern SOURCE = Pattern.compile(".*/src/\\w+/java/.*\\.java");

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (.+);$");

	private static final Pattern TYPE_OR_MEMBER = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?`");

	@Test
	void importInOrderAndNothingTwice() throws IOException {
		List<Path> sources = sources();
		assertThat(sources).hasSizeGreaterThan(900);
		for (Path source : sources) {
			for (String group : Files.readString(source).split("\n\n", -1)) {
				List<String> names = IMPORT.matcher(group).results().map((found) -> found.group(1)).toList();
				assertThat(names).as(source.toString()).containsExactlyElementsOf(new TreeSet<>(names));
			}
		}
	}

	@Test
	void haveWhatTheArchitecturePageNames() throws IOException {
		Map<String, Path> types = new TreeMap<>(Map.of("Duration", Path.of("")));
		sources().forEach((source) -> types.put(source.getFileName().toString().replace(".java", ""), source));
		String page = Files.readString(ROOT.resolve("docs/internals/architecture.md"));
		Map<String, String> members = new TreeMap<>();
		TYPE_OR_MEMBER.matcher(page).results().forEach((name) -> {
			assertThat(types).containsKey(name.group(1));
			if (name.group(2) != null) {
				members.put(name.group(1) + "." + name.group(2), name.group(2));
			}
		});
		assertThat(members).hasSizeGreaterThan(20);
		for (Map.Entry<String, String> member : members.entrySet()) {
			Path source = types.get(member.getKey().split("\\.", -1)[0]);
			// a method, a constant or a nested type
			assertThat(Files.readString(source)).as(member.getKey())
				.containsPattern("(?m)^\t+((?!return|throw)[^(=;\"]* )?" + member.getValue()
						+ "(\\(| = )|(class|record|interface) " + member.getValue() + "\\b");
		}
	}

	private static List<Path> sources() throws IOException {
		try (Stream<Path> files = Files.walk(ROOT)) {
			return files.filter((path) -> SOURCE.matcher(path.toString()).matches()).toList();
		}
	}

}
