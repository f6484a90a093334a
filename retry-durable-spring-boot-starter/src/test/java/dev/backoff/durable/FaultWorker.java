package dev.backoff.durable;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/**
 * Durable methods that write down what they do. In a process of its own, with
 * {@code fault.place}, the process dies or stalls there.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, BackoffAutoConfiguration.class,
		DurableAutoConfiguration.class })
class FaultWorker {

	@Bean
	Work work(@Value("${fault.directory}") Path directory, @Value("${fault.place:}") String place) {
		return new Work(directory, place);
	}

	public static void main(String[] arguments) throws Exception {
		new SpringApplicationBuilder(FaultWorker.class).web(WebApplicationType.NONE).run(arguments);
		// the threads of attempts are daemons
		Thread.currentThread().join();
	}

	/** Work that fails on request. */
	static class Work {

		private final Path directory;

		private final String place;

		Work(Path directory, String place) {
			this.directory = directory;
			this.place = place;
		}

		@Backoff(value = "work", durable = "true", key = "#key", ladder = "20ms", maxAttempts = "2", breaker = "none",
				recover = "recover")
		public void make(String key, boolean failing) throws InterruptedException {
			note("attempt", key);
			passes("effect");
			while (this.place.equals("stall") && Files.notExists(this.directory.resolve("go"))) {
				Thread.sleep(10);
			}
			if (failing) {
				throw new IllegalStateException("down");
			}
		}

		void recover(String key, boolean failing) {
			note("recovery", key);
			passes("recovery");
		}

		@Backoff(value = "slots", durable = "true", schedule = "${fault.schedule:0 0 0 1 1 *}", maxAttempts = "1",
				breaker = "none")
		public void slot() {
			note("slot", Attempt.current().idempotencyKey());
			throw new IllegalStateException("down");
		}

		private void passes(String here) {
			if (this.place.equals(here)) {
				Runtime.getRuntime().halt(137);
			}
		}

		private void note(String what, String key) {
			String id = what.equals("attempt") ? " " + Attempt.current().idempotencyKey() : "";
			try {
				Files.writeString(this.directory.resolve("journal"), what + " " + key + id + "\n",
						StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** Return what was written down, by all processes. */
	static List<String> journal(Path directory) {
		try {
			Path journal = directory.resolve("journal");
			return Files.exists(journal) ? Files.readAllLines(journal) : List.of();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Dies after the dead letter of a slot is stored, and before the next slot is. */
	@Bean
	static BeanPostProcessor dyingBetweenLetterAndSlot(Environment environment) {
		boolean dying = "letter".equals(environment.getProperty("fault.place"));
		ThreadLocal<Boolean> letter = ThreadLocal.withInitial(() -> false);
		InvocationHandlers handlers = (target) -> (proxy, method, arguments) -> {
			if (method.getName().equals("prepareStatement")
					&& Thread.currentThread().getName().startsWith("backoff-slots-")) {
				String statement = ((String) arguments[0]).strip().toLowerCase(Locale.ROOT);
				if (statement.startsWith("insert")) {
					letter.set(true);
				}
				else if (letter.get() && statement.startsWith("update")) {
					Runtime.getRuntime().halt(137);
				}
			}
			return invoke(target, method, arguments);
		};
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return (dying && bean instanceof DataSource dataSource)
						? proxy(DataSource.class, (proxy, method, arguments) -> {
							Object result = invoke(dataSource, method, arguments);
							return (result instanceof Connection connection)
									? proxy(Connection.class, handlers.of(connection)) : result;
						}) : bean;
			}

		};
	}

	private static Object proxy(Class<?> type, InvocationHandler handler) {
		return Proxy.newProxyInstance(FaultWorker.class.getClassLoader(), new Class<?>[] { type }, handler);
	}

	private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	/** Makes the handler of a connection. */
	@FunctionalInterface
	private interface InvocationHandlers {

		InvocationHandler of(Object target);

	}

}
