package dev.backoff.sample.ops;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import com.deque.html.axecore.selenium.AxeBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.TakesScreenshot;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.sample.ShopClient;
import dev.backoff.test.TestBackoff;

import static org.assertj.core.api.Assertions.assertThat;

/** The console in a real Chromium while partners fail; the tests share one page. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoint.backoff.access=unrestricted",
				"backoff.policies.payment-callback.base=100ms", "backoff.policies.payment-callback.cap=400ms",
				"backoff.policies.logistics-sync.ladder=20ms", "backoff.breakers.payment-gateway.open-for=10m",
				"shop.mail.every=2s", "shop.gateway.url=", "spring.datasource.url=jdbc:h2:mem:console" })
@ActiveProfiles({ "durable", "test" })
@TestBackoff(virtualTime = false, reset = false)
@Import(ShopClient.class)
@DirtiesContext
@Tag("browser")
@Tag("ci")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleTests {

	/** Where the pictures go: into the pages, if that is asked for. */
	private static final Path PICTURES = "write".equals(System.getProperty("docs")) ? Path.of("..", "docs", "console")
			: Path.of("target", "console");

	@Autowired
	private ShopClient shop;

	@Autowired
	private CircuitBreakers breakers;

	@LocalServerPort
	private int port;

	private ChromeDriver browser;

	@BeforeAll
	void open(@TempDir Path profile) {
		this.browser = Chromium.start(profile);
		resize(1200, 900);
		this.browser.get(page());
		await("#needs .well");
	}

	@AfterAll
	void close() {
		if (this.browser != null) {
			this.browser.quit();
		}
	}

	private String page() {
		return "http://localhost:" + this.port + "/actuator/backoffconsole";
	}

	private WebElement await(String selector) {
		return new WebDriverWait(this.browser, Duration.ofMinutes(1), Duration.ofMillis(50))
			.until(ExpectedConditions.presenceOfElementLocated(By.cssSelector(selector)));
	}

	private void await(String selector, String text) {
		new WebDriverWait(this.browser, Duration.ofMinutes(1), Duration.ofMillis(50))
			.until(ExpectedConditions.textToBePresentInElementLocated(By.cssSelector(selector), text));
	}

	private void click(String selector) {
		// as a script: a poll may replace what is under the pointer
		this.browser.executeScript("document.querySelector(arguments[0]).click()", selector);
	}

	private void resize(int width, int height) {
		this.browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	private void prefer(String scheme) {
		this.browser.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme),
						Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
	}

	private JsonNode shown(String path) {
		return this.shop.get("/actuator/backoff/" + path).getBody();
	}

	private static void photograph(String name, TakesScreenshot shown) throws IOException {
		Files.createDirectories(PICTURES);
		Files.write(PICTURES.resolve(name + ".png"), shown.getScreenshotAs(OutputType.BYTES));
	}

	@Test
	@Order(0)
	void tellsOfADeadLetter() {
		this.shop.fault("notifications?answer=503&times=2");
		this.shop.post("/payments/" + this.shop.trade() + "/callback");
		this.shop.fault("mails?answer=400&times=2");
		this.shop.order("pot");
		await("#needs", "mail-job: 1 dead");
		await("#durable", "Requeue 1");
		await("#durable", "BadRequest");
		click("#durable [data-body*='delete']");
		await("#dialog pre", "\"action\": \"delete\"");
		assertThat(this.browser.findElement(By.id("dialog")).getText())
			.contains("It holds for all processes: the calls are in the database.")
			.doesNotContain("gone after a restart");
		click("#dialog [data-dismiss]");
	}

	@Test
	@Order(1)
	void tellsOfTheOpenBreaker() {
		this.shop.fault("payments?answer=500&percent=100");
		while (this.breakers.get("payment-gateway").state() != BreakerState.OPEN) {
			this.shop.order("pot");
		}
		await("#needs", "Breaker payment-gateway is open.");
		assertThat(this.browser.findElement(By.id("breakers")).getText())
			.containsPattern("▲ open\\s+\\d\\d:\\d\\d:\\d\\d\\s+\\d+% of 1\\d");
		assertThat(this.browser.findElement(By.id("alarms")).getAttribute("textContent"))
			.contains("Breaker payment-gateway is open.");
		assertThat(this.browser.getTitle()).isEqualTo("(2) shop · Backoff");
	}

	@Test
	@Order(2)
	void tellsOfAStorm() {
		this.shop.fault("logistics?answer=500&percent=100");
		IntStream.range(0, 12).forEach((sync) -> this.shop.post("/logistics/sync"));
		await("#needs", "Policy logistics-sync puts");
		await("#needs", " × load on what it calls: ");
		await("#policies", "100% of 12");
		await("#stopped", "logistics-sync");
		assertThat(this.browser.findElement(By.id("stopped")).getText()).contains("attempts_exhausted",
				"InternalServerError");
	}

	@Test
	@Order(3)
	void previewsByTheKeyboardWhatTheSliderSays() {
		WebElement name = this.browser.findElement(By.cssSelector("button[data-open='payment-callback']"));
		name.sendKeys(Keys.ENTER);
		await("#policy-title", "payment-callback");
		await("#policy", "1 calls rescued by 2 retries");
		assertThat(this.browser.switchTo().activeElement().getAttribute("id")).isEqualTo("policy-title");
		WebElement slider = await("#choose-cap");
		slider.sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
		await("#policy pre", "backoff.policies.payment-callback.cap=750ms");
		assertThat(slider.getAttribute("aria-valuetext")).isEqualTo("750ms");
		await("#policy .legend", "previewed");
		List<String> previewed = shown("payment-callback/preview?cap=750ms").path("methods")
			.path("MerchantNotifier.send")
			.path("delays")
			.values()
			.stream()
			.map((delay) -> delay.path("greatestMs").asInt() + " ms")
			.toList();
		assertThat(previewed).hasSize(5).endsWith("750 ms");
		assertThat(this.browser.findElements(By.cssSelector("#policy details td:last-child"))
			.stream()
			.map((cell) -> cell.getAttribute("textContent"))
			.limit(5)).isEqualTo(previewed);
	}

	@Test
	@Order(4)
	void writesOnlyAfterAQuestionThatNamesTheRequest() throws IOException {
		prefer("dark");
		this.browser.executeScript("document.getElementById('policy').scrollIntoView()");
		photograph("policy", this.browser.findElement(By.id("policy")));
		click("#policy button.main");
		WebElement dialog = await("dialog[open]");
		assertThat(dialog.getText()).contains("POST /actuator/backoff/payment-callback", "\"cap\": \"750ms\"",
				"\"for\": \"30m\"");
		assertThat(shown("payment-callback").path("overrides").isEmpty()).isTrue();
		click("dialog [data-write]");
		await("dialog", "policy payment-callback: cap 400ms → 750ms");
		assertThat(shown("payment-callback").path("overrides").path("cap").path("value").asString()).isEqualTo("750ms");
		click("dialog [data-dismiss]");
		await("#needs", "payment-callback: cap 750ms, set by an operator until");
	}

	@Test
	@Order(5)
	void raisesBaseAndCapByOneRequestAndResetsThem() {
		click("#policy .title [data-method=POST]");
		assertThat(await("dialog[open] pre").getText()).isEqualTo("""
				POST /actuator/backoff/payment-callback
				{
				  "base": "5s",
				  "cap": "60s",
				  "for": "30m"
				}""");
		click("dialog [data-write]");
		await("dialog", "policy payment-callback: cap 750ms → 60s");
		click("dialog [data-dismiss]");
		click("#policy [data-method=DELETE]");
		await("dialog[open]", "DELETE /actuator/backoff/payment-callback");
		click("dialog [data-write]");
		await("dialog", "policy payment-callback: cap 60s → 400ms");
		click("dialog [data-dismiss]");
		assertThat(shown("payment-callback").path("overrides").isEmpty()).isTrue();
	}

	@Test
	@Order(6)
	void simulatesAStormWithTheValuesOfTheSliders() {
		this.browser.findElement(By.id("choose-max-attempts")).sendKeys(Keys.ARROW_LEFT);
		await("#policy pre", "max-attempts=5");
		WebElement callers = this.browser.findElement(By.id("storm-callers"));
		callers.clear();
		callers.sendKeys("20");
		click("[data-storm]");
		await("#policy .needs", "With 20 callers of 10 calls/s this puts");
		await("#policy path.configured");
	}

	@Test
	@Order(7)
	void isAccessibleInBothSchemesAndLanguages() {
		for (String language : List.of("English", "中文")) {
			for (String scheme : List.of("light", "dark")) {
				prefer(scheme);
				assertThat(new AxeBuilder().analyze(this.browser).getViolations()).as(language + ", " + scheme)
					.isEmpty();
			}
			click("[data-language]");
			await("#needs-title", language.equals("English") ? "需要处理" : "Needs attention");
		}
	}

	@Test
	@Order(8)
	void fitsANarrowScreen() throws IOException {
		click("[data-close]");
		prefer("light");
		this.browser.executeScript("window.scrollTo(0, 0)");
		photograph("console", this.browser);
		for (int width : new int[] { 320, 420 }) {
			resize(width, 800);
			assertThat(this.browser.executeScript("return [document.documentElement, ...document.querySelectorAll("
					+ "'.scroll, dialog')].filter((part) => part.scrollWidth > part.clientWidth).length"))
				.isEqualTo(0L);
		}
		resize(1200, 900);
	}

	@Test
	@Order(9)
	void logsNothingAndAsksNobodyElse() {
		assertThat(this.browser.manage().logs().get(LogType.BROWSER).getAll()).isEmpty();
		@SuppressWarnings("unchecked")
		List<String> requests = (List<String>) this.browser
			.executeScript("return performance.getEntriesByType('resource').map((entry) => entry.name)");
		assertThat(requests).isNotEmpty().allMatch((name) -> URI.create(name).getPort() == this.port);
	}

	@Test
	@Order(10)
	void hasNoButtonsForChangesWithoutAccessAndShowsNamesAsText() {
		Object script = this.browser.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				const real = window.fetch;
				window.fetch = async (...request) => {
					const answer = await real(...request);
					const view = await answer.json();
					if ('writable' in view) {
						[view.writable, view.application] = [false, null];
						const name = '<b onclick="alert(1)">bold</b>';
						view.policies[name] = { calls: { [name]: 1 }, attempts: 1, retries: 0, waiting: 0 };
						view.stopped[0] = { ...view.stopped[0], policy: name, failure: name, message: name };
					}
					return Response.json(view);
				};
				""")).get("identifier");
		this.browser.navigate().refresh();
		await("#head", "read-only");
		assertThat(this.browser.findElement(By.tagName("h1")).getText()).isEqualTo("Backoff");
		assertThat(this.browser.getTitle()).endsWith(") Backoff");
		assertThat(this.browser.findElements(By.cssSelector("[data-method]"))).isEmpty();
		assertThat(this.browser.findElement(By.id("policies")).getText()).contains("<b onclick=\"alert(1)\">bold</b>");
		assertThat(this.browser.findElement(By.id("stopped")).getText()).contains("<b onclick=\"alert(1)\">bold</b>");
		assertThat(this.browser.findElements(By.tagName("b"))).isEmpty();
		this.browser.executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", script));
	}

	@Test
	@Order(11)
	void saysInWordsWhyItIsRefused() {
		this.browser.navigate().refresh();
		await("#needs li");
		this.browser.executeScript("window.fetch = async () => new Response(null, { status: 401 })");
		await("[role=alert]", "Sign in to this application, then load the page again.");
		await("#head", "no answer since");
	}

	@Test
	@Order(12)
	void showsOnlyALinkInsideAnotherPage() {
		this.browser.get("http://localhost:" + this.port + "/actuator/backoff?view=activity");
		this.browser.executeScript("const frame = document.createElement('iframe'); frame.src = arguments[0]; "
				+ "document.body.append(frame)", page());
		this.browser.switchTo().frame(0);
		await("main", "This page does not work inside another page.");
		assertThat(this.browser.findElements(By.cssSelector("table, button"))).isEmpty();
	}

}
