package dev.backoff.spring.readme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.PropertySource;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.readme.PaymentCallbacks.Payment;
import dev.backoff.spring.readme.PaymentCallbacks.Receipt;
import dev.backoff.spring.readme.ShownMethods.Warehouse;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The README is short, and what it shows runs and is true. */
@ExtendWith(OutputCaptureExtension.class)
class ReadmeTests {

	private static final Page README = Page.of("README.md");

	private final AtomicInteger calls = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(RetryTime.class, VirtualTime::new)
		.withBean(RandomSource.class, () -> () -> 0.5)
		.withBean(PaymentCallbacks.Merchant.class, () -> this::notifyMerchant)
		.withBean(ShownMethods.Parked.class,
				() -> (payment, reason, attempts, key) -> new Receipt("parked " + reason + " after " + attempts))
		.withBean(ShownMethods.Partner.class, SlowPartner::new)
		.withBean(PaymentCallbacks.class)
		.withBean(ShownMethods.class);

	@Test
	void isShort() {
		assertThat(README.text().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(10_752);
	}

	@Test
	void theFirstSnippetNeedsNoConfiguration() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(RetryTime.class, VirtualTime::new)
			.withBean(PaymentCallbacks.Merchant.class, () -> this::notifyMerchant)
			.withBean(PaymentCallbacks.class)
			.run((context) -> assertThat(context.getBean(PaymentCallbacks.class).send(payment()).text())
				.isEqualTo("received at call 3"));
	}

	@Test
	void theConfigurationWorksAsDescribed() throws IOException {
		withReadmeYaml().run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(PaymentCallbacks.class).send(payment()).text()).isEqualTo("received at call 3");
			ShownMethods service = context.getBean(ShownMethods.class);
			service.syncStock(new Warehouse("north"));
			assertThat(service.reserve("sku")).isTrue();
			assertThat(service.awaitPayment("t-1").status()).isEqualTo(Payment.Status.PAID);
			assertThat(service.sendNow(payment()).text()).isEqualTo("received at call 4");
			assertThat(service.sendOnPool(payment())).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new Receipt("received at call 5"));
			assertThat(service.sendLater(payment())).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new Receipt("received at call 6"));
			assertThat(service.sendReactively(payment()).block(Duration.ofSeconds(30)))
				.isEqualTo(new Receipt("received at call 7"));
			assertThat(ShownMethods.withoutSpring()).isEqualTo("o-1 placed, o-2 placed later");
		});
	}

	@Test
	void theBreakerIsUsedByHand() throws IOException {
		withReadmeYaml().withPropertyValues("backoff.breakers.warehouse.minimum-calls=2").run((context) -> {
			ShownMethods service = context.getBean(ShownMethods.class);
			assertThat(service.stockAt("north")).isEqualTo(3);
			assertThatIOException().isThrownBy(() -> service.stockAt("nowhere"));
			assertThatThrownBy(() -> service.stockAt("north")).isInstanceOf(CircuitOpenException.class);
		});
	}

	@Test
	void recoverParksWhatCouldNotBeSent() throws IOException {
		this.calls.set(Integer.MIN_VALUE);
		withReadmeYaml().run((context) -> assertThat(context.getBean(ShownMethods.class).send(payment()))
			.isEqualTo(new Receipt("parked " + StopReason.ATTEMPTS_EXHAUSTED + " after 6")));
	}

	@Test
	void theLogLineAndTheMeterAreAsShown(CapturedOutput output) {
		VirtualTime time = new VirtualTime();
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffObservationAutoConfiguration.class))
			.withBean(RetryTime.class, () -> time)
			.withBean(RandomSource.class, () -> () -> 0.5)
			.withBean(MeterRegistry.class, () -> registry)
			.withBean(PaymentCallbacks.Merchant.class, () -> (payment, key) -> {
				time.advance(Duration.ofMillis(12));
				throw new ResourceAccessException("reset", new IOException("reset"));
			})
			.withBean(PaymentCallbacks.class)
			.run((context) -> {
				assertThatThrownBy(() -> context.getBean(PaymentCallbacks.class).send(payment()))
					.isInstanceOf(ResourceAccessException.class);
				assertThat(output).contains(shown("WARN ").replaceFirst(".* : ", ""));
				assertThat(registry.scrape()).contains(shown("backoff_calls"));
			});
	}

	@Test
	void theFirstCallIsAsShown() throws IOException {
		Page page = Page.of("docs/getting-started.md");
		PropertySource<?> yaml = Page.yaml(page.blocks("yaml").get(0));
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffObservationAutoConfiguration.class))
			.withBean(RetryTime.class, VirtualTime::new)
			.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(yaml))
			.withBean(MeterRegistry.class, () -> registry)
			.withBean(Greetings.class)
			.run((context) -> assertThat(page.blocks("console").get(0))
				.contains(context.getBean(Greetings.class).greet()));
		assertThat(registry.scrape().lines())
			.containsAll(page.blocks("console").get(0).lines().filter((line) -> line.startsWith("backoff_")).toList());
	}

	private static String shown(String start) {
		return README.blocks("").stream().filter((block) -> block.startsWith(start)).findFirst().orElseThrow().strip();
	}

	private ApplicationContextRunner withReadmeYaml() throws IOException {
		PropertySource<?> shown = Page.yaml(README.blocks("yaml").get(0));
		return this.runner.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(shown));
	}

	private Receipt notifyMerchant(Payment payment, String key) {
		int call = this.calls.incrementAndGet();
		if (call < 3) {
			throw new ResourceAccessException("reset", new IOException("reset"));
		}
		return new Receipt("received at call " + call);
	}

	private static Payment payment() {
		return new Payment("t-1", Payment.Status.PENDING);
	}

	private static final class SlowPartner implements ShownMethods.Partner {

		private int asked;

		@Override
		public void sync(Warehouse warehouse) {
		}

		@Override
		public boolean reserve(String sku) {
			return ++this.asked > 2;
		}

		@Override
		public int count(String warehouse) throws IOException {
			if (warehouse.equals("nowhere")) {
				throw new IOException(warehouse);
			}
			return 3;
		}

		@Override
		public Payment status(String trade) {
			return new Payment(trade, (++this.asked > 7) ? Payment.Status.PAID : Payment.Status.PENDING);
		}

	}

}
