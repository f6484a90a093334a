package dev.backoff.spring.http;

import java.io.IOException;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

/** The service that is called, a process of its own: what it needs never works. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Downstream {

	/** What it says of its port, on a line of its own. */
	static final String PORT = "PORT ";

	public static void main(String[] arguments) {
		SpringApplication.run(Downstream.class, arguments);
	}

	@EventListener
	void started(WebServerInitializedEvent event) {
		System.out.println(PORT + event.getWebServer().getPort());
	}

	@Bean
	Storage storage() {
		return new Storage();
	}

	/** What is called over HTTP; being nested, it is found. */
	@RestController
	public static class Work {

		private static final Logger logger = LoggerFactory.getLogger(Work.class);

		private final Storage storage;

		Work(Storage storage) {
			this.storage = storage;
		}

		@GetMapping("/ready")
		public String ready() {
			return "ready";
		}

		/** Fail the caller's first attempt, and retry at its second. */
		@GetMapping("/work")
		public String work() {
			logger.info("working");
			if ("1".equals(MDC.get("backoff.attempt"))) {
				throw new ResponseStatusException(HttpStatus.INTERNAL_SERVER_ERROR);
			}
			try {
				return this.storage.read();
			}
			catch (IOException ex) {
				RetriesStoppedException report = (RetriesStoppedException) Stream.of(ex.getSuppressed())
					.filter(RetriesStoppedException.class::isInstance)
					.findFirst()
					.orElseThrow();
				return report.reason() + " " + report.elapsed().toMillis();
			}
		}

	}

	/** What the service needs. */
	public static class Storage {

		@Backoff(base = "10m", cap = "10m", jitter = "none", deadline = "2h")
		public String read() throws IOException {
			throw new IOException("down");
		}

	}

}
