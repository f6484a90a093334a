package dev.backoff.sample;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/** What the build publishes. */
class PublishedModulesTests {

	private static final Path ROOT = Path.of("..");

	@Test
	void areListedInTheBom() {
		List<String> published = find("<module>(.+)</module>", pom(ROOT)).stream()
			.filter((module) -> find("(<maven.deploy.skip>true|<packaging>pom)", pom(ROOT.resolve(module))).isEmpty())
			.toList();
		String listed = pom(ROOT.resolve("retry-bom")).split("<dependencies>", 2)[1];
		assertThat(find("<artifactId>(retry-.+)</artifactId>", listed)).hasSameElementsAs(published)
			.contains("retry-spring-boot-starter");
	}

	private static List<String> find(String pattern, String text) {
		return Pattern.compile(pattern).matcher(text).results().map((match) -> match.group(1)).toList();
	}

	private static String pom(Path directory) {
		return contentOf(directory.resolve("pom.xml").toFile(), StandardCharsets.UTF_8);
	}

}
