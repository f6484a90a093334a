package dev.backoff.spring.minimal;

import java.io.IOException;
import java.util.concurrent.Callable;

import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.observation.CallStatistics;

/** The least that an application can be: it starts, calls one method and exits. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class MinimalApplication {

	/** What names a class that must be absent, among the arguments. */
	static final String ABSENT = "absent:";

	@Bean
	Orders orders() {
		return new Orders();
	}

	/** What there is where there is Reactor. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "reactor.core.publisher.Mono")
	static class Reactive {

		@Bean
		Callable<String> reactiveOrders(ReactiveOrders orders) {
			return () -> orders.place("o-2").block();
		}

		@Bean
		ReactiveOrders publishingOrders() {
			return new ReactiveOrders();
		}

	}

	public static void main(String[] arguments) throws Exception {
		for (String argument : arguments) {
			if (argument.startsWith(ABSENT)) {
				checkAbsent(argument.substring(ABSENT.length()));
			}
		}
		ConfigurableApplicationContext context = SpringApplication.run(MinimalApplication.class, arguments);
		System.out.println("RESULT " + context.getBean(Orders.class).place("o-1") + ", endpoint "
				+ context.containsBean("backoffEndpoint") + ", meters " + context.containsBean("backoffRecorders"));
		System.out.println("COUNTED " + context.getBean(CallStatistics.class).all());
		Callable<?> reactive = context.getBeanProvider(Callable.class).getIfAvailable(() -> () -> "none");
		System.out.println("REACTIVE " + reactive.call());
		System.exit(SpringApplication.exit(context));
	}

	private static void checkAbsent(String name) {
		try {
			Class.forName(name, false, MinimalApplication.class.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			System.out.println("ABSENT " + name);
			return;
		}
		throw new IllegalStateException(name + " is on the class path");
	}

	public static class Orders {

		@Backoff(base = "1ms")
		public String place(String order) throws IOException {
			int attempt = Attempt.current().number();
			if (attempt < 3) {
				throw new IOException("attempt " + attempt);
			}
			return order + " at attempt " + attempt;
		}

	}

	public static class ReactiveOrders {

		@Backoff(base = "1ms")
		public Mono<String> place(String order) {
			int attempt = Attempt.current().number();
			return (attempt < 3) ? Mono.error(new IOException("attempt " + attempt))
					: Mono.just(order + " at attempt " + attempt);
		}

	}

}
