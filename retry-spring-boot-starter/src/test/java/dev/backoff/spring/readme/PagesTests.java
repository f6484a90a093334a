package dev.backoff.spring.readme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/** What the pages show compiles and starts, and what they link to exists. */
class PagesTests {

	private static final List<String> SOURCES = List.of("src/test/%s/dev/backoff/spring/readme",
			"../integration-tests/kit-boot/src/test/%s/dev/backoff/kit",
			"../integration-tests/kit-plain/src/test/%s/dev/backoff/kit",
			"../integration-tests/kit-durable/src/test/%s/dev/backoff/kit",
			"../integration-tests/secured/src/test/%s/dev/backoff/secured",
			"../integration-tests/libraries/src/test/%s/dev/backoff/libraries",
			"../retry-benchmarks/src/test/%s/dev/backoff/benchmarks/moving",
			"../retry-durable-spring-boot-starter/src/test/%s/dev/backoff/durable",
			"../sample-app/src/main/%s/dev/backoff/sample/order",
			"../sample-app/src/main/%s/dev/backoff/sample/payment",
			"../sample-app/src/main/%s/dev/backoff/sample/logistics",
			"../integration-tests/rules-platform/src/main/%s/com/acme/platform",
			"../retry-simulator/src/test/%s/dev/backoff/simulator");

	private static final Pattern BLANK_LINE = Pattern.compile("\\n\\s*\\n");

	private static final Pattern VERSION = Pattern
		.compile("\\bretry-[a-z-]+(?:</artifactId>\\s*<version>|:|-)(\\d+(?:\\.\\d+)+(?:-SNAPSHOT)?)");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

	static List<Page> pages() {
		return Page.all();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void snippetsAreCompiled(Page page) throws IOException {
		assertCompiled(page.blocks("java"), "java");
		assertCompiled(page.blocks("kotlin").stream().filter((block) -> block.contains("fun ")).toList(), "kotlin");
	}

	@Test
	void snippetsAreFound() {
		assertThat(pages()).flatMap((page) -> page.blocks("java")).hasSizeGreaterThan(12);
		assertThat(pages()).flatMap((page) -> page.blocks("kotlin")).hasSizeGreaterThan(1);
	}

	private static void assertCompiled(List<String> snippets, String language) throws IOException {
		List<String> sources = new ArrayList<>();
		for (Path folder : SOURCES.stream().map((path) -> Path.of(path.formatted(language))).toList()) {
			try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
				for (Path file : files.toList()) {
					sources.add(squeezed(Files.readString(file)));
				}
			}
		}
		for (String snippet : snippets) {
			for (String chunk : chunks(snippet).toList()) {
				assertThat(sources).as(chunk).anyMatch((source) -> source.contains(squeezed(chunk)));
			}
		}
	}

	/* Imports one by one, because a source has others between them. */
	private static Stream<String> chunks(String snippet) {
		return BLANK_LINE.splitAsStream(snippet)
			.flatMap((chunk) -> chunk.startsWith("import ") ? chunk.lines() : Stream.of(chunk));
	}

	private static String squeezed(String text) {
		return Page.withoutComments(text).replaceAll("\\s+", " ").strip();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void configurationsStart(Page page) throws IOException {
		for (String block : page.blocks("yaml")) {
			if (!block.startsWith("backoff:") || block.contains("mode: aspectj")) {
				continue;
			}
			PropertySource<?> shown = Page.yaml(block);
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
				.withBean(PaymentCallbacks.Merchant.class, () -> (payment, key) -> new PaymentCallbacks.Receipt(key))
				.withBean(PaymentCallbacks.class)
				.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(shown))
				.run((context) -> assertThat(context).as(block).hasNotFailed());
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void linksResolve(Page page) throws IOException {
		Matcher link = LINK.matcher(page.prose());
		while (link.find()) {
			String[] target = link.group(1).split("#", 2);
			if (target[0].contains(":")) {
				continue;
			}
			Path file = target[0].isEmpty() ? page.path() : page.path().resolveSibling(target[0]);
			assertThat(file).as(link.group(1)).exists();
			if (target.length == 2) {
				assertThat(anchors(Files.readString(file))).as(link.group(1)).contains(target[1]);
			}
		}
	}

	@Test
	void versionsAreThoseOfTheBuild() {
		String pom = contentOf(Path.of("../pom.xml").toFile(), StandardCharsets.UTF_8);
		String version = pom.replaceFirst("(?s).*<revision>(.*)</revision>.*", "$1");
		assertThat(pages())
			.flatMap((page) -> VERSION.matcher(page.text()).results().map((match) -> match.group(1)).toList())
			.hasSizeGreaterThan(9)
			.containsOnly(version);
	}

	/** Return the names that GitHub gives to headings. */
	private static List<String> anchors(String text) {
		return text.lines()
			.filter((line) -> line.startsWith("#"))
			.map((line) -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
			.map((title) -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
			.toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "README", "docs/changing", "docs/configuration", "docs/durable", "docs/failures",
			"docs/getting-started", "docs/moving-in", "docs/numbers", "docs/pace", "docs/testing",
			"sample-app/README" })
	void chinesePagesShowTheSame(String name) {
		Page english = Page.of(name + ".md");
		Page chinese = Page.of(name + ".zh-CN.md");
		assertThat(chinese.blocks()).isEqualTo(english.blocks());
		assertThat(chinese.numbers()).isEqualTo(english.numbers());
		assertThat(anchors(chinese.prose())).hasSameSizeAs(anchors(english.prose()));
	}

	@Test
	void theChineseConfigurationHasTheKeysAndDefaults() {
		List<List<String>> keys = Page.of("docs/configuration.md").keys();
		assertThat(keys).contains(List.of("`base`&nbsp;@", "**`100ms`**"), List.of("`user-facing`"))
			.hasSizeGreaterThan(90);
		assertThat(Page.of("docs/configuration.zh-CN.md").keys()).isEqualTo(keys);
	}

	@Test
	void chinesePagesHaveOneTermForEachThing() {
		List<String> refused = Page.of("docs/internals/chinese.md")
			.text()
			.lines()
			.filter((line) -> line.startsWith("| "))
			.flatMap((line) -> Stream.of(line.split("\\|", -1)[3].strip().split("，", -1)))
			.filter((word) -> !word.isEmpty())
			.skip(2) // the head of the table
			.toList();
		assertThat(refused).isNotEmpty();
		assertThat(Stream
			.concat(pages().stream().filter((page) -> page.toString().contains("zh-CN")),
					Stream.of(Page.of("retry-console/src/main/resources/dev/backoff/console/zh.js")))
			.toList()).hasSizeGreaterThan(6)
			.allSatisfy((page) -> assertThat(page.text()).as(page.toString())
				.doesNotContain(refused.toArray(String[]::new)));
	}

	/* It is read whole, each time. */
	@Test
	void thePageForAssistantsHasFiveKilobytesAtMost() throws IOException {
		assertThat(Files.size(Page.of("docs/SKILL.md").path())).isLessThanOrEqualTo(5_120);
	}

	@Test
	void decisionsAreInTheirIndex() throws IOException {
		String index = Page.of("docs/decisions/README.md").text();
		try (Stream<Path> decisions = Files.list(Path.of("..", "docs", "decisions"))) {
			assertThat(decisions.map((path) -> path.getFileName().toString()))
				.filteredOn((name) -> !name.equals("README.md"))
				.isNotEmpty()
				.allSatisfy((name) -> assertThat(index).contains("](" + name + ")"));
		}
	}

}
