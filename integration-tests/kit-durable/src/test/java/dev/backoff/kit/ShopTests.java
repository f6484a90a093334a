package dev.backoff.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import dev.backoff.event.StopReason;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.verify;

/** The page for shops: its methods, under its configuration. */
@SpringBootTest(classes = { Notices.class, Shop.class })
@ContextConfiguration(initializers = ShopTests.ConfigurationOfThePage.class)
class ShopTests {

	@MockitoBean
	private Shop.Partners partners;

	@Autowired
	private BackoffCalls calls;

	@Test
	void showsWhatThePageSays(@Autowired Shop shop, @Autowired BackoffFaults faults, @Autowired VirtualTime time) {
		faults.of("order-creation").fails();
		assertThat(shop.place("o-1")).isEqualTo("released after 4 attempts");
		assertThat(this.calls.of("order-creation")).waited("100ms", "200ms", "300ms").recovered();
		faults.of("logistics-sync").fails(2);
		shop.syncShipments();
		assertThat(this.calls.of("logistics-sync")).waited("5s", "10s").succeeded();
		faults.of("merchant-callback").fails();
		given(this.partners.status("t-1")).willReturn("PENDING");
		shop.notifyMerchant("t-1");
		shop.watch("t-1");
		time.advance(Duration.ofDays(2));
		assertThat(this.calls.of("merchant-callback")).waited("4m", "10m", "10m", "1h", "2h", "6h", "15h")
			.took(Duration.ofHours(24).plusMinutes(24));
		verify(this.partners).park("t-1", 8);
		assertThat(this.calls.of("payment-watch")).stopped(StopReason.DEADLINE).recovered();
	}

	static class ConfigurationOfThePage implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			try {
				String page = Files.readString(Path.of("..", "..", "docs", "ecommerce.zh-CN.md"));
				String yaml = Pattern.compile("(?ms)^```yaml\n(.*?)^```$")
					.matcher(page)
					.results()
					.map((block) -> block.group(1))
					.collect(Collectors.joining("---\n"));
				new YamlPropertySourceLoader().load("page", new ByteArrayResource(yaml.getBytes()))
					.forEach(context.getEnvironment().getPropertySources()::addFirst);
			}
			catch (IOException ex) {
				throw new AssertionError(ex);
			}
		}

	}

}
