package dev.backoff.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Classes of beans, each with one method that may be annotated and two that are not,
 * compiled into a directory together with an ordinary {@code application.yml}.
 */
final class GeneratedBeans {

	/** The name of the method that may be annotated. */
	static final String METHOD = "ask";

	private static final String PACKAGE = "dev.backoff.benchmarks.startup.beans";

	/** What the names of the classes begin with; a number follows. */
	static final String PREFIX = PACKAGE + ".Partner";

	private static final String APPLICATION_YML = """
			backoff:
			  defaults:
			    max-attempts: 5
			  policies:
			    partner:
			      base: 200ms
			      deadline: 5s
			""";

	private GeneratedBeans() {
	}

	/**
	 * Write and compile classes.
	 * @param annotation what their method is annotated with, or nothing
	 * @param number how many
	 * @param directory where to
	 * @param classPath what the annotation needs
	 */
	static void compile(String annotation, int number, Path directory, String classPath) throws IOException {
		Path sources = Files.createDirectories(directory.resolve("sources"));
		Path classes = Files.createDirectories(directory.resolve("classes"));
		Files.writeString(classes.resolve("application.yml"), APPLICATION_YML);
		List<Path> files = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			files.add(Files.writeString(sources.resolve("Partner" + i + ".java"), source(i, annotation)));
		}
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
			Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
			List<String> options = List.of("-d", classes.toString(), "-cp", classPath, "-proc:none", "-parameters");
			if (!compiler.getTask(null, manager, null, options, null, units).call()) {
				throw new IOException("Generated classes with " + annotation + " do not compile.");
			}
		}
	}

	private static String source(int number, String annotation) {
		return """
				package %s;

				public class Partner%d {

					private int asked;

					%s
					public String %s(String question) {
						this.asked++;
						return question;
					}

					public int asked() {
						return this.asked;
					}

					public void forget() {
						this.asked = 0;
					}

				}
				""".formatted(PACKAGE, number, annotation, METHOD);
	}

}
