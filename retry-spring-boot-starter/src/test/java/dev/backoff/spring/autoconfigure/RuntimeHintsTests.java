package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.annotation.AliasFor;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

/** What a native image is told to keep. */
class RuntimeHintsTests {

	@Nested
	class Methods {

		@Test
		void areKeptWithoutAPolicyWhereItIsBuilt() {
			assertThat(AotApplication.of(Undefined.class).hints()).satisfies(
					(hints) -> assertThat(RuntimeHintsPredicates.reflection().onType(Undefined.class)).accepts(hints));
		}

		@Test
		void haveTheExceptionsThatTheConfigurationNames() {
			RuntimeHints hints = AotApplication.of(Undefined.class)
				.builtWith("backoff.defaults.abort-on", "java.util.concurrent.TimeoutException")
				.builtWith("backoff.policies.nobody.retry-on", "java.io.UncheckedIOException, com.example.Unknown")
				.hints();
			assertThat(hints).satisfies(keeps(TimeoutException.class)).satisfies(keeps(UncheckedIOException.class));
			assertThat(hints.reflection().typeHints())
				.noneMatch((hint) -> hint.getType().getName().equals("com.example.Unknown"));
		}

	}

	@Nested
	class Proxies {

		@Test
		void areKeptOfInterfaces() {
			assertThat(RuntimeHintsPredicates.proxies()
				.forInterfaces(AopProxyUtils.completeJdkProxyInterfaces(Contract.class)))
				.accepts(AotApplication.of(ByContract.class).hints());
		}

		@Test
		void areKeptOfTheAnnotation() {
			RuntimeHints hints = AotApplication.of(Composed.class).hints();
			assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Backoff.class)).accepts(hints);
			assertThat(hints).satisfies(keeps(Backoff.class));
		}

	}

	@Nested
	class Libraries {

		/* Or a native image does not see that they are there. */
		@Test
		void areKeptWhereverTheyAreLookedForByName() throws IOException {
			RuntimeHints hints = new RuntimeHints();
			new BackoffRuntimeHints().registerHints(hints, getClass().getClassLoader());
			Set<String> lookedFor = lookedFor();
			assertThat(lookedFor).contains("reactor.core.publisher.Flux", "java.sql.SQLException");
			assertThat(lookedFor)
				.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)))
					.accepts(hints));
		}

		private static Set<String> lookedFor() throws IOException {
			Pattern call = Pattern.compile("(?:isPresent|addIfPresent|forName)\\(\\s*\"([\\w.$]+)\"");
			Pattern constant = Pattern.compile("new Bridge\\(\"([\\w.]+)\"");
			Set<String> found = new TreeSet<>();
			try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
				for (Path source : sources.filter((path) -> path.toString().endsWith(".java")).toList()) {
					String text = Files.readString(source);
					Stream.of(call, constant)
						.flatMap((pattern) -> pattern.matcher(text).results())
						.map((match) -> match.group(1))
						.forEach(found::add);
				}
			}
			return found;
		}

	}

	private static Consumer<RuntimeHints> keeps(Class<?> type) {
		return (hints) -> assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints);
	}

	public static class Undefined {

		@Backoff("undefined")
		public void call() {
		}

	}

	public interface Contract {

		@Backoff
		void call();

	}

	@Proxyable(ProxyType.INTERFACES)
	public static final class ByContract implements Contract {

		@Override
		public void call() {
		}

	}

	@Backoff
	@Retention(RetentionPolicy.RUNTIME)
	public @interface Patient {

		@AliasFor(annotation = Backoff.class)
		String maxAttempts() default "20";

	}

	public static class Composed {

		@Patient
		public void call() {
		}

	}

}
