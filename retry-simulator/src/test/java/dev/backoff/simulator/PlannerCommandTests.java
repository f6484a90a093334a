package dev.backoff.simulator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The command as it is typed. */
class PlannerCommandTests {

	@TempDir
	Path directory;

	private Path file;

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@BeforeEach
	void write() throws IOException {
		this.file = this.directory.resolve("application.yml");
		Files.writeString(this.file, """
				backoff:
				  budgets:
				    partners:
				      tokens: ${partner.tokens:2}
				  policies:
				    "[<b>]":
				      max-attempts: 2
				      budget: partners
				      retry-on: com.example.Hostile
				---
				spring.config.activate.on-profile: prod
				backoff.policies.other.budget: none
				""");
	}

	@Test
	void plansEachPolicyOfAFile() {
		assertThat(run(this.file.toString(), "--rate", "100")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8))
			.startsWith("In a stall of 3s, with 1 caller of 100 calls/s, of a service that does 125 requests a second:")
			.contains("<b>: exponential 100ms")
			.containsPattern(
					"\n  back after: [\\d.]+ s \\(without retries: [\\d.]+ s\\); requests per call in the fault: 1[.\\d]*\n")
			.contains("  info   outage-long     With 100 calls/s of a process and its budget, half of the calls ",
					"planned without the values of an annotation, for which --set stands.")
			.doesNotContain("other:", "warn");
		assertThat(this.err.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("Simulating <b> ...\n");
	}

	@Test
	void findingsAreTheExitCode() {
		assertThat(run(this.file.toString(), "--profile", "prod", "--policy", "other")).isEqualTo(1);
		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("  error  never-recovers  ");
		assertThat(run(this.file.toString(), "--profile=prod", "--policy=other", "--fail-on=never")).isZero();
		assertThat(run("--preset", "user-facing", "--rate", "100")).isZero();
		assertThat(run("--preset", "user-facing", "--fail-on", "warn")).isEqualTo(1);
	}

	@Test
	void aDurablePolicyHoldsNoThread() {
		assertThat(run("--preset", "critical", "--set", "durable=true", "--rate", "100", "--fail-on", "never"))
			.isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8)).doesNotContain("holds its thread");
	}

	@Test
	void valuesMayBeSet() {
		assertThat(run(this.file.toString(), "--policy", "<b>", "--set", "max-attempts=3", "--set", "jitter=none",
				"--rate=100", "--json"))
			.isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8)).startsWith("{\"policies\":[{\"plan\":{\"policy\":\"<b>\"")
			.contains("\"attempts\":\"3\"", "\"storm\":{", "\"recoverySeconds\":")
			.endsWith("}\n");
	}

	@Test
	void thePageAndThePicturesNeedNothingElseAndEscapeNames() throws IOException {
		Path page = this.directory.resolve("plan.html");
		assertThat(run(this.file.toString(), "--rate", "100", "--html", page.toString(), "--svg",
				this.directory.toString()))
			.isZero();
		assertThat(page).content()
			.startsWith("<!DOCTYPE html>")
			.contains("<h2>&lt;b&gt;</h2>", "<svg ")
			.doesNotContain("<b>&", "<script", "src=", "href=", "NaN", "Infinity")
			.endsWith("</html>\n");
		assertThat(this.directory.resolve("_b_.svg")).content().startsWith("<svg ").contains("&lt;b&gt;");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "--polcy x|Invalid option (--polcy): is not known.|Write --policy.",
			"--policy|Invalid option (--policy): must have a value.|Write it after the name.",
			"--rate 0|Invalid rate (0): must be a number above 0, at most 1000000000.|Write such a number.",
			"--fail-on info|Invalid fail-on (info): must be error, warn or never.|Write one of them.",
			"none.yml|Invalid file (none.yml): cannot be read.|Name a file, such as application.yml.",
			"a.yml b.yml|Invalid argument (b.yml): must be an option, after one file.|Write options as --name value.",
			"--set cap=5s --preset critical --set cap|Invalid set (cap): must be a key with its value, of one policy.|Write for instance --policy orders --set cap=5s.",
			"--preset critial|(critial) at the property source arguments: must be one of user-facing|Write critical.",
			"--preset critical --set cap=5|must have a unit.|Write 5ms or 5s.",
			"--preset user-facing --html /none/plan.html --rate 1|Invalid html (/none/plan.html): cannot be written (NoSuchFileException).|Name a file in a directory that exists.",
			"--preset user-facing --svg /none --rate 1|Invalid svg (/none/user-facing.svg): cannot be written (NoSuchFileException).|Name a file in a directory that exists.",
			"--policy orders|Policy orders: names a policy that is not defined.|Define",
			"--fail-on never|Invalid file (none): must have a policy.|Name a file with backoff.policies, or write --preset and one of user-facing" })
	void whatIsWrongIsReported(String line, String problem, String fix) {
		assertThat(run(line.split(" "))).isEqualTo(2);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("Retries cannot be planned:")
			.contains(problem)
			.contains("    " + fix);
	}

	@Test
	void helpNamesEachOption() {
		assertThat(run("--help")).isZero();
		assertThat(PlannerCommand.OPTIONS)
			.allSatisfy((option) -> assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("--" + option));
	}

	private int run(String... args) {
		return PlannerCommand.run(new PrintStream(this.out, true, StandardCharsets.UTF_8),
				new PrintStream(this.err, true, StandardCharsets.UTF_8), args);
	}

}
