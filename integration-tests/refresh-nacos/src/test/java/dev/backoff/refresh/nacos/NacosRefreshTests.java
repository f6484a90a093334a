package dev.backoff.refresh.nacos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
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
 * An application with a client of Nacos, and a server that says what one of Nacos does.
 */
@ExtendWith(OutputCaptureExtension.class)
class NacosRefreshTests {

	private static final String AT_FIRST = """
			backoff:
			  defaults:
			    jitter: none
			    budget: none
			  policies:
			    orders: { base: 1s, max-attempts: 3 }
			    mail: { base: 2s, max-attempts: 2 }
			""";

	private static NacosServer nacos;

	private static ConfigurableApplicationContext shop;

	@BeforeAll
	static void start(@TempDir Path directory) {
		System.setProperty("JM.LOG.PATH", directory.toString());
		System.setProperty("JM.SNAPSHOT.PATH", directory.toString());
		System.setProperty("nacos.server.grpc.port.offset", "0");
		nacos = new NacosServer(AT_FIRST);
		shop = new SpringApplicationBuilder(ShopApplication.class).web(WebApplicationType.NONE)
			.run("--spring.application.name=shop", "--spring.config.import=nacos:shop.yml?refreshEnabled=true",
					"--spring.cloud.nacos.config.server-addr=127.0.0.1:" + nacos.port());
	}

	@AfterAll
	static void stop() {
		if (shop != null) {
			shop.close();
		}
		if (nacos != null) {
			nacos.close();
		}
	}

	@Test
	void putsChangesIntoEffectOrRefusesThemAsAWhole(CapturedOutput output) {
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		nacos.publish(AT_FIRST.replace("1s", "3s"));
		awaitWaits(Shop::order, 3, 6);
		nacos.publish(AT_FIRST.replace("1s", "5s").replace("2s", "2 parsecs"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.untilAsserted(() -> assertThat(output)
				.contains("Refused the configuration refreshed by EnvironmentChangeEvent; what was in effect stays so:")
				.contains("Invalid backoff.policies.mail.base (2 parsecs) at ", "must be a duration"));
		assertThat(waits(Shop::order)).isEqualTo(seconds(3, 6));
		assertThat(waits(Shop::mail)).isEqualTo(seconds(2));
		nacos.publish(AT_FIRST.replace("1s", "5s").replace("2s", "4s"));
		awaitWaits(Shop::mail, 4);
		awaitWaits(Shop::order, 5, 10);
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

	/** A client of Nacos. Waits take no time. */
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
