package dev.backoff.spring;

import org.springframework.boot.SpringBootVersion;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** The version of Spring Boot that the tests run on. */
public final class BootVersion {

	private BootVersion() {
	}

	/** Skip the test on Spring Boot 4.0, and say what is missing there. */
	public static void assumeLaterThan40(String missing) {
		String version = SpringBootVersion.getVersion();
		assumeFalse(version.startsWith("4.0."), () -> "Spring Boot " + version + " " + missing);
	}

}
