package dev.backoff.refresh.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.config.server.EnableConfigServer;

/** Serve configuration from files. */
@SpringBootApplication
@EnableConfigServer
public class ConfigServer {

	/**
	 * Run the server.
	 * @param args properties, among them where the files are
	 */
	public static void main(String[] args) {
		SpringApplication.run(ConfigServer.class, args);
	}

}
