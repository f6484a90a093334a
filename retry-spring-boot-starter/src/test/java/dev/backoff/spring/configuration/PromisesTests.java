package dev.backoff.spring.configuration;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/**
 * The types and keys under promise are listed, so that no change of them goes unnoticed.
 */
class PromisesTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern LIST = Pattern.compile("(?m)^(types|keys) of (\\S+): ((?:.*\\n)(?: +.*\\n)*)");

	private static final Pattern EXCLUDED = Pattern.compile("<exclude>(dev\\.backoff\\.[^<#]+)</exclude>");

	private static final Pattern PUBLIC = Pattern.compile("(?m)^public ");

	@Test
	void haveEveryPublicTypeThatAnApplicationMayUse() throws IOException {
		List<String> excluded = EXCLUDED.matcher(text("pom.xml")).results().map((match) -> match.group(1)).toList();
		List<String> types = publicTypes();
		assertThat(
				promised("types").flatMap((list) -> Stream.of(words(list)).map((type) -> list.group(2) + "." + type)))
			.as("List a public type in docs/promises.txt. If only our modules use it, exclude it in the profile api of "
					+ "pom.xml. SECURITY.md says what the removal of a listed type needs.")
			.containsExactlyInAnyOrderElementsOf(types.stream()
				.filter((type) -> excluded.stream().noneMatch((name) -> isIn(name).test(type)))
				.toList());
	}

	@Test
	void haveEveryKey() {
		Map<String, List<String>> keys = new TreeMap<>();
		keys.put("backoff", Section.SETTINGS.keyTexts());
		Section.NAMED.forEach((section) -> keys.put("backoff." + section.key() + ".<name>", section.keyTexts()));
		Map<String, List<String>> promised = new TreeMap<>();
		promised("keys").forEach((list) -> promised.put(list.group(2), List.of(words(list))));
		assertThat(promised.keySet()).isEqualTo(keys.keySet());
		keys.forEach((owner, names) -> assertThat(promised.get(owner))
			.as("keys of " + owner + " in docs/promises.txt. SECURITY.md says what the removal of a key needs.")
			.containsExactlyInAnyOrderElementsOf(names));
	}

	private static Stream<MatchResult> promised(String kind) {
		return LIST.matcher(text("docs/promises.txt")).results().filter((list) -> list.group(1).equals(kind));
	}

	private static String[] words(MatchResult list) {
		return list.group(3).strip().split("\\s+", -1);
	}

	private static List<String> publicTypes() throws IOException {
		List<String> types = new ArrayList<>();
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path module : modules.filter((path) -> Files.exists(path.resolve("pom.xml"))).toList()) {
				Path sources = module.resolve("src/main/java");
				if (contentOf(module.resolve("pom.xml").toFile()).contains("<maven.deploy.skip>true<")
						|| Files.notExists(sources)) {
					continue;
				}
				try (Stream<Path> files = Files.walk(sources)) {
					files.filter((file) -> file.toString().endsWith(".java"))
						.filter((file) -> PUBLIC.matcher(contentOf(file.toFile(), StandardCharsets.UTF_8)).find())
						.forEach((file) -> types.add(nameOf(sources.relativize(file))));
				}
			}
		}
		return types;
	}

	private static String nameOf(Path file) {
		return file.toString().replaceAll("[/\\\\]", ".").replaceFirst("\\.java$", "");
	}

	private static Predicate<String> isIn(String typeOrPackage) {
		return (type) -> type.equals(typeOrPackage) || type.substring(0, type.lastIndexOf('.')).equals(typeOrPackage);
	}

	private static String text(String path) {
		return contentOf(ROOT.resolve(path).toFile(), StandardCharsets.UTF_8);
	}

}
