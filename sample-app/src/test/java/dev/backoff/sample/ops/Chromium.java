package dev.backoff.sample.ops;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A Chromium without a window, which asks nothing of other servers. */
final class Chromium {

	private static final String MISSING = "Chromium is not installed: install it, on Debian the packages chromium and "
			+ "chromium-driver, to test the console";

	/**
	 * Start it. If it is not installed, abort the test, or fail with
	 * {@code -Dbrowser.required=true}.
	 */
	static ChromeDriver start(Path profile) {
		Optional<Path> browser = find("chromium");
		Optional<Path> driver = find("chromedriver");
		boolean installed = browser.isPresent() && driver.isPresent();
		if (Boolean.getBoolean("browser.required")) {
			assertThat(installed).as(MISSING).isTrue();
		}
		assumeTrue(installed, MISSING);
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(browser.orElseThrow().toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
				"--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en",
				"--user-data-dir=" + profile);
		options.setExperimentalOption("prefs", Map.of("intl.accept_languages", "en"));
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		return new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(driver.orElseThrow().toFile()).build(),
				options);
	}

	private static Optional<Path> find(String program) {
		List<String> folders = List
			.of(System.getenv().getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1));
		return Stream.concat(folders.stream(), Stream.of("/usr/bin"))
			.map((folder) -> Path.of(folder, program))
			.filter(Files::isExecutable)
			.findFirst();
	}

}
