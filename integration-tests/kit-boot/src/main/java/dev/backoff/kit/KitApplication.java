package dev.backoff.kit;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

/** An application that calls a merchant. */
@SpringBootApplication
@EnableAsync
@EnableScheduling
public class KitApplication {

	public static void main(String[] args) {
		SpringApplication.run(KitApplication.class, args);
	}

}
