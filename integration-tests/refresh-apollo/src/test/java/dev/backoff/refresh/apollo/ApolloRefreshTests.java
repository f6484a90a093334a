package dev.backoff.refresh.apollo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import com.ctrip.framework.apollo.mockserver.ApolloTestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * An application with a client of Apollo, and Apollo's own server for tests, which the
 * client polls over HTTP. It is used by itself: its JUnit extension starts it only after
 * the application, and its rule is one of JUnit 4.
 */
@ExtendWith(OutputCaptureExtension.class)
class ApolloRefreshTests {

	private static final String NAMESPACE = "application";

	private static ApolloTestingServer apollo;

	private static ConfigurableApplicationContext shop;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		System.setProperty("apollo.longPollingInitialDelayInMills", "0");
		apollo = new ApolloTestingServer();
		apollo.start();
		shop = new SpringApplicationBuilder(ShopApplication.class).web(WebApplicationType.NONE)
			.run("--app.id=shop", "--apollo.bootstrap.enabled=true", "--apollo.bootstrap.namespaces=" + NAMESPACE,
					"--apollo.cacheDir=" + directory);
	}

	@AfterAll
	static void stop() {
		if (shop != null) {
			shop.close();
		}
		if (apollo != null) {
			apollo.close();
		}
	}

	@AfterEach
	void reset() {
		apollo.resetOverriddenProperties();
		awaitWaits(Shop::order, 1, 2);
	}

	@Test
	void putsChangedNumbersIntoEffect() {
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		apollo.addOrModifyProperty(NAMESPACE, "backoff.policies.orders.base", "3s");
		awaitWaits(Shop::order, 3, 6);
	}

	@Test
	void refusesTheWholeIfAValueIsWrong(CapturedOutput output) {
		apollo.addOrModifyProperty(NAMESPACE, "backoff.policies.mail.base", "2 parsecs");
		awaitRefusals(output, 1);
		assertThat(output).contains("Invalid backoff.policies.mail.base (2 parsecs) at ", "must be a duration");
		assertThat(waits(Shop::mail)).isEqualTo(seconds(2));
		// right by itself, but the other one still is not
		apollo.addOrModifyProperty(NAMESPACE, "backoff.policies.orders.base", "3s");
		awaitRefusals(output, 2);
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		apollo.addOrModifyProperty(NAMESPACE, "backoff.policies.mail.base", "4s");
		awaitWaits(Shop::mail, 4);
		awaitWaits(Shop::order, 3, 6);
	}

	private static void awaitRefusals(CapturedOutput output, int count) {
		String refusal = "Refused the configuration refreshed by ApolloConfigChangeEvent; what was in effect stays so:";
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.untilAsserted(() -> assertThat(output.getOut().split(refusal, -1)).hasSize(count + 1));
	}

	/* What the calls do, not what the configuration says: it is put into effect first. */
	private static void awaitWaits(Consumer<Shop> call, int... seconds) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> waits(call).equals(seconds(seconds)));
	}

	private static List<Duration> waits(Consumer<Shop> call) {
		return shop.getBean(VirtualTime.class)
			.delaysOf(() -> assertThat(catchThrowable(() -> call.accept(shop.getBean(Shop.class)))).hasMessage("down"));
	}

	private static List<Duration> seconds(int... seconds) {
		return Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
	}

	/** A client of Apollo. Waits take no time. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Shop.class, VirtualTime.class })
	static class ShopApplication {

	}

	/** Calls that fail. */
	public static class Shop {

		@Backoff("orders")
		public void order() {
			throw new IllegalStateException("down");
		}

		@Backoff("mail")
		public void mail() {
			throw new IllegalStateException("down");
		}

	}

}
