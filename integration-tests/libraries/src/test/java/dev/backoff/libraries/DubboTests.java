package dev.backoff.libraries;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.dubbo.config.annotation.DubboReference;
import org.apache.dubbo.config.annotation.DubboService;
import org.apache.dubbo.config.spring.context.annotation.EnableDubbo;
import org.apache.dubbo.rpc.RpcException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Dubbo's codes, and a provider in this process that is called over a connection. The
 * protocol is not Triple, which needs a constructor that Spring Framework 7 has no more.
 */
class DubboTests {

	private final FailureClassifier classifier = new BuiltInFailureClassifiers(getClass().getClassLoader(),
			Clock.systemUTC(), false);

	@ParameterizedTest
	@CsvSource({ "UNKNOWN_EXCEPTION, null", "NETWORK_EXCEPTION, TRANSIENT (connect)",
			"TIMEOUT_EXCEPTION, TRANSIENT (timeout)", "BIZ_EXCEPTION, null", "FORBIDDEN_EXCEPTION, PERMANENT (other)",
			"SERIALIZATION_EXCEPTION, PERMANENT (other)", "NO_INVOKER_AVAILABLE_AFTER_FILTER, TRANSIENT (connect)",
			"LIMIT_EXCEEDED_EXCEPTION, THROTTLED (other)", "TIMEOUT_TERMINATE, PERMANENT (other)",
			"REGISTRY_EXCEPTION, null", "ROUTER_CACHE_NOT_BUILD, null", "METHOD_NOT_FOUND, PERMANENT (other)",
			"VALIDATION_EXCEPTION, PERMANENT (other)", "AUTHORIZATION_EXCEPTION, PERMANENT (other)" })
	void eachCodeIsClassified(String code, String expected) throws ReflectiveOperationException {
		RpcException failure = new RpcException(RpcException.class.getField(code).getInt(null), "x");
		FailureClassification answer = this.classifier.classify(new IllegalStateException(failure));
		assertThat(String.valueOf(answer)).isEqualTo(expected);
		assertThat(answer == null || !answer.isWithoutEffect()).isTrue();
	}

	@Test
	void theOutermostCodeThatIsKnownCountsElseTheCause() {
		Throwable failure = new RpcException(new RpcException(RpcException.FORBIDDEN_EXCEPTION, "x"));
		assertThat(this.classifier.classify(failure)).hasToString("PERMANENT (other)");
		assertThat(this.classifier.classify(new RpcException(new IOException("x")))).hasToString("TRANSIENT (io)");
		// as a directory says it while the last provider starts anew
		failure = new RpcException(RpcException.FORBIDDEN_EXCEPTION, "No provider available from registry x");
		assertThat(this.classifier.classify(failure)).hasToString("TRANSIENT (connect)");
	}

	@Test
	void aProviderIsCalledAgainWhereThatMayHelp() {
		run("dubbo.consumer.retries=2", (shops) -> {
			assertThat(stop(shops.shop, shops.patient, "forbidden")).isEqualTo("NOT_RETRYABLE after 1");
			assertThat(Provider.CALLS).hasValue(1);
			assertThat(stop(shops.shop, shops.patient, "down")).isEqualTo("ATTEMPTS_EXHAUSTED after 2");
			assertThat(Provider.CALLS).hasValue(3);
			assertThat(stop(shops.shop, shops.gone, "down")).isEqualTo("ATTEMPTS_EXHAUSTED after 2");
			assertThat(Provider.CALLS).hasValue(3);
		});
	}

	@ParameterizedTest
	@CsvSource({ "dubbo.consumer.check=false, 6", "dubbo.consumer.retries=0, 2" })
	void repeatsACallTwiceByItself(String property, int calls) {
		run(property, (shops) -> {
			assertThat(stop(shops.shop, shops.hasty, "slow")).isEqualTo("ATTEMPTS_EXHAUSTED after 2");
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Provider.CALLS.get() == calls);
		});
	}

	private static void run(String property, Consumer<Shops> test) {
		Provider.CALLS.set(0);
		Provider.END.drainPermits();
		int port = SocketServer.freePort();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withUserConfiguration(Shops.class)
			// closed without waits
			.withSystemProperties("dubbo.service.shutdown.wait=1")
			.withPropertyValues("dubbo.application.name=shop", "dubbo.application.qos-enable=false",
					"dubbo.registry.address=N/A", "dubbo.protocol.name=dubbo", "dubbo.protocol.port=" + port, property,
					"here=127.0.0.1:" + port, "nowhere=127.0.0.1:" + SocketServer.closedPort(),
					"backoff.policies.stock.max-attempts=2")
			.run((context) -> {
				try {
					test.accept(context.getBean(Shops.class));
				}
				finally {
					Provider.END.release(6);
				}
			});
	}

	private static String stop(Shop shop, Stock stock, String item) {
		Throwable failure = catchThrowable(() -> shop.reserve(stock, item));
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		assertThat(report).as(() -> String.valueOf(failure)).isNotNull();
		return report.reason() + " after " + report.attempts();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDubbo(scanBasePackageClasses = DubboTests.class)
	static class Shops {

		@DubboReference(url = "${here}", check = false, timeout = 60_000)
		Stock patient;

		@DubboReference(url = "${here}", check = false, timeout = 200)
		Stock hasty;

		@DubboReference(url = "${nowhere}", check = false)
		Stock gone;

		@Autowired
		Shop shop;

		@Bean
		static Shop shop() {
			return new Shop();
		}

		@Bean
		static VirtualTime time() {
			return new VirtualTime();
		}

	}

	public static class Shop {

		@Backoff("stock")
		public void reserve(Stock stock, String item) {
			stock.reserve(item);
		}

	}

	public interface Stock {

		void reserve(String item);

	}

	@DubboService
	public static class Provider implements Stock {

		static final AtomicInteger CALLS = new AtomicInteger();

		/* What slow calls wait for. */
		static final Semaphore END = new Semaphore(0);

		@Override
		public void reserve(String item) {
			CALLS.incrementAndGet();
			switch (item) {
				case "slow" -> END.acquireUninterruptibly();
				case "forbidden" -> throw new RpcException(RpcException.FORBIDDEN_EXCEPTION, "for others only");
				default -> throw new IllegalStateException(item);
			}
		}

	}

}
