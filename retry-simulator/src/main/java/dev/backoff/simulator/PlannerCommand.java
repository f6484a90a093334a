package dev.backoff.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.json.JsonWriter;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import dev.backoff.policy.Preset;
import dev.backoff.simulator.Finding.Severity;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * A command that plans and simulates the policies of a configuration file:
 *
 * <pre>
 * java -jar retry-simulator-cli.jar [application.yml] [--policy name] [--set cap=5s] [--callers 200] [--html plan.html]
 * </pre>
 *
 * The file is read as Spring Boot reads it. The command does not know annotations;
 * {@code --set} sets their values. The exit code is 0, or 1 for findings at or above
 * {@code --fail-on} (error, unless set), or 2 for a wrong argument or configuration.
 *
 * @since 0.1
 */
public final class PlannerCommand {

	private static final String HELP = """
			Usage: java -jar retry-simulator-cli.jar [application.yml] [options]

			Policies, by default all of the file:
			  --policy NAME      only this one
			  --preset NAME      with this preset; no file is needed
			  --profile NAME     with this profile of Spring Boot
			  --set KEY=VALUE    with this key of the one policy; may be repeated

			Storm, described in docs/planning.md:
			  --callers 200 --rate 10 --capacity 2500 --latency 20ms --timeout 1s --horizon 120s --seeds 5
			  --fault 'stall 3s' | 'outage 16s' | 'timeouts 60s' | 'throttle 10s' | 'slow 30s' | 'errors 30%'

			Output, by default findings:
			  --json             all figures
			  --html FILE        a page
			  --svg DIRECTORY    a picture of each policy
			  --fail-on WHAT     exit with 1 for a finding that is an error (default), a warn or worse, or never
			  --help             this text
			""";

	private static final String NO_ANNOTATIONS = "planned without the values of an annotation, for which --set "
			+ "stands";

	static final List<String> OPTIONS = Stream
		.concat(Stream.of("profile", "policy", "preset", "set", "html", "svg", "json", "fail-on", "help"),
				Scenario.PARAMETERS.stream())
		.toList();

	private final Map<String, List<String>> options = new LinkedHashMap<>();

	private @Nullable String file;

	private PlannerCommand(String... args) {
		for (int i = 0; i < args.length; i++) {
			if (!args[i].startsWith("--")) {
				if (this.file != null) {
					throw Scenario.refusal("argument", args[i], "must be an option, after one file",
							"Write options as --name value.");
				}
				this.file = args[i];
				continue;
			}
			String[] option = args[i].substring(2).split("=", 2);
			if (!OPTIONS.contains(option[0])) {
				String near = Nearest.of(option[0], OPTIONS);
				throw Scenario.refusal("option", args[i], "is not known",
						"Write " + ((near != null) ? "--" + near : "one of --" + String.join(", --", OPTIONS)) + ".");
			}
			boolean flag = List.of("json", "help").contains(option[0]);
			if (option.length == 1 && !flag && i + 1 == args.length) {
				throw Scenario.refusal("option", args[i], "must have a value", "Write it after the name.");
			}
			this.options.computeIfAbsent(option[0], (name) -> new ArrayList<>())
				.add((option.length == 2) ? option[1] : flag ? "" : args[++i]);
		}
	}

	/**
	 * Run the command and exit.
	 * @param args a file and options
	 */
	public static void main(String[] args) {
		// without it, Logback would write every step of Spring Boot
		LoggingSystem.get(PlannerCommand.class.getClassLoader()).beforeInitialize();
		System.exit(run(System.out, System.err, args));
	}

	static int run(PrintStream out, PrintStream err, String... args) {
		try {
			return new PlannerCommand(args).run(out, err);
		}
		catch (InvalidBackoffException ex) {
			err.println("Retries cannot be planned:");
			for (Problem problem : ex.problems()) {
				err.println(System.lineSeparator() + "    " + problem.message() + System.lineSeparator() + "    "
						+ problem.fix());
			}
			return 2;
		}
		catch (RuntimeException ex) {
			err.println("Retries cannot be planned: " + ex.getMessage());
			return 2;
		}
	}

	private int run(PrintStream out, PrintStream err) {
		if (this.options.containsKey("help")) {
			out.print(HELP);
			return 0;
		}
		Severity failOn = failOn(option("fail-on", "error"));
		Map<String, String> parameters = new LinkedHashMap<>();
		Scenario.PARAMETERS.stream()
			.filter(this.options::containsKey)
			.forEach((name) -> parameters.put(name, option(name, "")));
		Scenario scenario = Scenario.of(parameters);
		List<Map<String, Object>> figures = new ArrayList<>();
		PlanPage page = new PlanPage();
		StringBuilder text = new StringBuilder();
		boolean failed = false;
		for (SimulatedPolicy policy : policies()) {
			err.println("Simulating " + Problem.oneLine(policy.policy().name()) + " ...");
			Plan plan = Plan.of(policy, scenario.rate());
			Storm storm = Storm.of(policy, scenario);
			figures.add(new Figures().put("plan", plan.figures()).put("storm", storm.figures()).map());
			page.add(plan, storm);
			if (this.options.containsKey("svg")) {
				String name = policy.policy().name();
				write("svg", Path.of(option("svg", ""), name.replaceAll("[^\\w.-]", "_") + ".svg"),
						Pictures.of(name, plan, storm));
			}
			text.append("%n%s: %s%n".formatted(Problem.oneLine(policy.policy().name()), policy.policy().rule()));
			text.append("  back after: %s (without retries: %s); requests per call in the fault: %s%n".formatted(
					storm.configured().back(), storm.unretried().back(),
					Figures.rounded(storm.configured().loadInFault(), 2)));
			for (Finding finding : Stream.concat(storm.findings().stream(), plan.findings().stream()).toList()) {
				text.append("  %-5s  %-14s  %s%n".formatted(finding.severity().key(), finding.id(), finding.text()));
				failed |= failOn != null && finding.severity().compareTo(failOn) >= 0;
			}
		}
		out.print(this.options.containsKey("json")
				? JsonWriter.standard().withNewLineAtEnd().writeToString(Map.of("policies", figures))
				: scenario + ":" + System.lineSeparator() + text);
		if (this.options.containsKey("html")) {
			write("html", Path.of(option("html", "")), page.toString());
		}
		return failed ? 1 : 0;
	}

	private static void write(String option, Path file, String text) {
		try {
			Files.writeString(file, text);
		}
		catch (IOException ex) {
			throw Scenario.refusal(option, file.toString(), "cannot be written (" + ex.getClass().getSimpleName() + ")",
					"Name a file in a directory that exists.");
		}
	}

	private static @Nullable Severity failOn(String text) {
		return switch (text) {
			case "error" -> Severity.ERROR;
			case "warn" -> Severity.WARN;
			case "never" -> null;
			default -> throw Scenario.refusal("fail-on", text, "must be error, warn or never", "Write one of them.");
		};
	}

	private String option(String name, String otherwise) {
		List<String> values = this.options.getOrDefault(name, List.of(otherwise));
		return values.get(values.size() - 1);
	}

	private List<SimulatedPolicy> policies() {
		String preset = option("preset", "");
		String policy = option("policy", preset);
		StandardEnvironment environment = environment(policy, preset);
		BackoffConfiguration configuration = BackoffConfiguration.read(environment);
		if (!configuration.problems().isEmpty()) {
			throw new InvalidBackoffException(configuration.problems());
		}
		BackoffPolicies policies = new BackoffPolicies(configuration, environment, new UnknownFailures());
		List<String> names = policy.isEmpty() ? configuration.names(Section.POLICIES) : List.of(policy);
		if (names.isEmpty()) {
			throw Scenario.refusal("file", (this.file != null) ? this.file : "none", "must have a policy",
					"Name a file with backoff.policies, or write --preset and one of "
							+ String.join(", ", Stream.of(Preset.values()).map(Preset::key).toList()) + ".");
		}
		return names.stream()
			.map((name) -> SimulatedPolicy.of(policies.resolve(name), configuration))
			.map((simulated) -> (this.file != null) ? simulated.withAdvice(NO_ANNOTATIONS) : simulated)
			.toList();
	}

	private StandardEnvironment environment(String policy, String preset) {
		Map<String, Object> set = new LinkedHashMap<>();
		if (!preset.isEmpty()) {
			set.put("backoff.policies.[" + policy + "].preset", preset);
		}
		for (String value : this.options.getOrDefault("set", List.of())) {
			String[] entry = value.split("=", 2);
			if (entry.length == 1 || policy.isEmpty()) {
				throw Scenario.refusal("set", value, "must be a key with its value, of one policy",
						"Write for instance --policy orders --set cap=5s.");
			}
			set.put("backoff.policies.[" + policy + "]." + entry[0], entry[1]);
		}
		StandardEnvironment environment = new StandardEnvironment();
		if (this.file != null) {
			if (!Files.isReadable(Path.of(this.file))) {
				throw Scenario.refusal("file", this.file, "cannot be read", "Name a file, such as application.yml.");
			}
			set.put("spring.config.location", Path.of(this.file).toUri().toString());
		}
		environment.getPropertySources().addFirst(new MapPropertySource("arguments", set));
		if (this.file != null) {
			ConfigDataEnvironmentPostProcessor.applyTo(environment, null, null,
					this.options.getOrDefault("profile", List.of()));
		}
		return environment;
	}

	/*
	 * The exceptions of an application are not on the class path of this command, and
	 * which failures are retried plays no part: an exception stands for each of them.
	 */
	private static final class UnknownFailures extends ClassLoader {

		UnknownFailures() {
			super(PlannerCommand.class.getClassLoader());
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (name.indexOf('.') < 0) {
				throw new ClassNotFoundException(name);
			}
			ClassWriter type = new ClassWriter(0);
			type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, "java/lang/Exception", null);
			byte[] bytes = type.toByteArray();
			return defineClass(name, bytes, 0, bytes.length);
		}

	}

}
