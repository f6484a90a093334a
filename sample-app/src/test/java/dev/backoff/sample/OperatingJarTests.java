package dev.backoff.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The commands that change values, typed at the shop, print what its page shows. */
@Execution(ExecutionMode.CONCURRENT)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are for a shell of Unix")
@Tag("ci")
class OperatingJarTests {

	/* Measured milliseconds, which differ in each run. */
	private static final Pattern MEASURED = Pattern.compile("(\"(?:dueInMs|elapsedMs)\"):[\\d.]+");

	private static final String OUTPUT = "output.txt";

	@TempDir
	private Path directory;

	@Test
	void showsWhatThePageShows() throws Exception {
		assumeTrue(run("curl --help all | grep -q -e --json && command -v jq") == 0,
				"Install curl 7.82 or later, and jq, to check the commands of the README");
		String section = section("Changing values");
		List<Command> commands = commands(section);
		assertThat(commands).hasSizeGreaterThan(8);
		try (ShopProcess shop = ShopProcess.start(this.directory,
				List.of("--spring.profiles.active=demo", "--management.endpoint.backoff.access=unrestricted"))) {
			assertThat(type(shop, commands)).containsExactlyElementsOf(commands);
			List<String> log = blocks(section, "").stream()
				.flatMap(String::lines)
				.filter((line) -> line.startsWith("INFO "))
				.map((line) -> line.substring(line.indexOf(" : ")))
				.toList();
			assertThat(log).hasSize(1)
				.allSatisfy((told) -> assertThat(shop.lines()).anyMatch((line) -> line.endsWith(told)));
		}
	}

	private static String section(String title) throws IOException {
		Matcher section = Pattern.compile("(?ms)^## " + title + "\\n(.*?)^## ")
			.matcher(Files.readString(Path.of("README.md")));
		assertThat(section.find()).as(title).isTrue();
		return section.group(1);
	}

	private static List<String> blocks(String section, String language) {
		return Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$")
			.matcher(section)
			.results()
			.filter((block) -> block.group(1).equals(language))
			.map((block) -> block.group(2))
			.toList();
	}

	private static List<Command> commands(String section) {
		List<Command> commands = new ArrayList<>();
		for (String part : String.join("", blocks(section, "console")).split("(?m)^\\$ ", -1)) {
			String[] lines = part.split("\n", 2);
			if (lines.length == 2) {
				commands.add(new Command(lines[0], comparable(lines[1])));
			}
		}
		return commands;
	}

	/* Answers end without a line break, which the page adds. */
	private static String comparable(String output) {
		return MEASURED.matcher(output.strip().replace("\n", "")).replaceAll("$1:…");
	}

	/** Run all commands in one shell, one after the other. */
	private List<Command> type(ShopProcess shop, List<Command> commands) throws Exception {
		StringBuilder script = new StringBuilder();
		commands.forEach(
				(command) -> script.append(shop.reached(onceItWaits(command.typed()))).append("\nprintf '\\036'\n"));
		assertThat(run(script.toString())).isZero();
		String[] outputs = Files.readString(this.directory.resolve(OUTPUT)).split("\036", -1);
		List<Command> typed = new ArrayList<>();
		for (int i = 0; i < commands.size(); i++) {
			typed.add(new Command(commands.get(i).typed(), comparable(outputs[i])));
		}
		return typed;
	}

	/* The page waits five seconds, a busy machine until the call waits as on the page. */
	private static String onceItWaits(String typed) {
		return typed.replace("sleep 5",
				"until curl -s $A/payment-callback | grep -q '\"attempt\":4'; do sleep 0.1; done");
	}

	private int run(String script) throws IOException, InterruptedException {
		Process shell = new ProcessBuilder("sh", "-c", script).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.directory.resolve(OUTPUT).toFile())
			.start();
		try {
			assertThat(shell.waitFor(2, TimeUnit.MINUTES)).isTrue();
			return shell.exitValue();
		}
		finally {
			shell.destroyForcibly();
		}
	}

	/** A command and its output. */
	private record Command(String typed, String output) {

	}

}
