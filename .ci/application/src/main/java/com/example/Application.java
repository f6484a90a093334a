package com.example;

import java.net.ConnectException;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;

import dev.backoff.annotation.Backoff;

/** An application with one call, which fails twice. */
@SpringBootApplication
public class Application {

	public static void main(String[] arguments) {
		SpringApplication.run(Application.class, arguments);
	}

	/** The service that calls. */
	@Component
	public static class Orders {

		private int attempts;

		@Backoff
		public String place() throws ConnectException {
			if (++this.attempts < 3) {
				throw new ConnectException("refused");
			}
			return "placed";
		}

	}

}
