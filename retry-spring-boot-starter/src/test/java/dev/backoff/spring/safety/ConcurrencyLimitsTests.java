package dev.backoff.spring.safety;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Permits of a policy's attempts in an application. */
class ConcurrencyLimitsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				BackoffObservationAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withBean(Shop.class)
		.withPropertyValues("backoff.policies.orders.concurrency=1");

	private static ConcurrencyLimit attempts(ApplicationContext context) {
		return context.getBean(OverloadSafety.class).limit("orders");
	}

	private static double gauge(ApplicationContext context, String name) {
		return context.getBean(SimpleMeterRegistry.class).get(name).tag("policy", "orders").gauge().value();
	}

	@Test
	void areSharedByTheMethodsOfAPolicy() {
		this.runner.withPropertyValues("backoff.policies.orders.max-waiting=0").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			CompletableFuture<String> first = shop.order();
			assertThatThrownBy(shop::cancel).isInstanceOf(ConcurrencyExceededException.class);
			shop.answer("first");
			assertThat(first).isCompletedWithValue("first");
			assertThat(shop.cancel()).isEqualTo("cancelled");
		});
	}

	@Test
	void letTenCallsWaitForEach() {
		this.runner.run((context) -> assertThat(attempts(context).maxWaiting()).isEqualTo(10));
		this.runner.withPropertyValues("backoff.policies.orders.max-waiting=unlimited")
			.run((context) -> assertThat(attempts(context).maxWaiting()).isEqualTo(ConcurrencyLimit.UNLIMITED));
	}

	@Test
	void areNotThereWithoutTheKey() {
		this.runner.withPropertyValues("backoff.policies.orders.concurrency=none").run((context) -> {
			assertThat(attempts(context)).isNull();
			assertThat(context.getBean(SimpleMeterRegistry.class).find("backoff.concurrency.active").gauge()).isNull();
			assertThat(context.getBean(SimpleMeterRegistry.class)
				.find("backoff.calls")
				.tag("stop", "concurrency")
				.functionCounter()).isNull();
		});
	}

	@Test
	void ignoreANumberOfWaitingCallsFromAWeakerLevel() {
		this.runner.withPropertyValues("backoff.policies.orders.concurrency=none", "backoff.defaults.max-waiting=5")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void haveMeters() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(context.getBean(SimpleMeterRegistry.class)
				.get("backoff.calls")
				.tag("stop", "concurrency")
				.tag("method", "Shop.order")
				.functionCounter()
				.count()).isZero();
			CompletableFuture<String> first = shop.order();
			CompletableFuture<String> second = shop.order();
			assertThat(gauge(context, "backoff.concurrency.active")).isEqualTo(1);
			assertThat(gauge(context, "backoff.concurrency.waiting")).isEqualTo(1);
			shop.answer("first");
			assertThat(first).isCompletedWithValue("first");
			shop.answer("second");
			assertThat(second.join()).isEqualTo("second");
			assertThat(gauge(context, "backoff.concurrency.active")).isZero();
			assertThat(gauge(context, "backoff.concurrency.waiting")).isZero();
			assertThat(context.getBean(SimpleMeterRegistry.class)
				.get("backoff.concurrency.wait")
				.tag("policy", "orders")
				.timer()
				.count()).isEqualTo(1);
			assertThat(context.getBean(SimpleMeterRegistry.class).find("backoff.delay").timer()).isNull();
		});
	}

	@Test
	void followAnOverride() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			LiveConfiguration live = context.getBean(LiveConfiguration.class);
			ConcurrencyLimit before = attempts(context);
			List<CompletableFuture<String>> earlier = List.of(shop.order(), shop.order(), shop.order());
			assertThat(before.waiting()).isEqualTo(2);
			live.override("orders", Map.of("concurrency", "2"), null);
			assertThat(attempts(context)).isSameAs(before);
			assertThat(before.active()).isEqualTo(2);
			live.override("orders", Map.of("concurrency", "none"), null);
			assertThat(before.waiting()).isZero();
			assertThat(before.active()).isEqualTo(3);
			CompletableFuture<String> unlimited = shop.order();
			assertThat(before.active()).as("a call without a limit").isEqualTo(3);
			live.reset("orders");
			assertThat(before.permits()).isEqualTo(1);
			CompletableFuture<String> last = shop.order();
			assertThat(before.waiting()).isEqualTo(1);
			for (int i = 0; i < 4; i++) {
				assertThat(last).isNotDone();
				shop.answer("earlier");
			}
			shop.answer("last");
			assertThat(last.join()).isEqualTo("last");
			assertThat(unlimited).isCompleted();
			assertThat(earlier).allMatch(CompletableFuture::isDone);
			assertThat(before.active()).isZero();
		});
	}

	@Test
	void areKeptWhereAProgrammaticCallOfThePolicyHasNone() {
		this.runner.withPropertyValues("backoff.policies.mail.base=1s").withBean(Mail.class).run((context) -> {
			assertThat(context.getBean(BackoffMethods.class).retry("mail").policy().concurrency())
				.isEqualTo(ConcurrencyLimit.UNLIMITED);
			context.getBean(LiveConfiguration.class).override("mail", Map.of("base", "2s"), null);
			assertThat(context.getBean(OverloadSafety.class).limit("mail").permits()).isEqualTo(2);
		});
	}

	@Test
	void areNotMadeForADurablePolicy() {
		this.runner.withPropertyValues("backoff.policies.jobs.durable=true", "backoff.policies.jobs.concurrency=2")
			.run((context) -> {
				assertThat(context.getBean(BackoffMethods.class).retry("jobs").policy().concurrency())
					.isEqualTo(ConcurrencyLimit.UNLIMITED);
				assertThat(context.getBean(OverloadSafety.class).limit("jobs")).isNull();
			});
	}

	@Test
	void areTheSameForAllMethodsOfAPolicy() {
		this.runner.withPropertyValues("backoff.policies.mail.base=1s")
			.withBean(Mail.class)
			.withBean(OtherMail.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasMessageContaining("@Backoff on OtherMail.send(): invalid concurrency (3)")
				.hasMessageContaining("must be the same for all methods of policy mail, and is 2 for Mail.send")
				.hasMessageContaining("Write it once, as backoff.policies.mail.concurrency."));
	}

	@Test
	void areAdvisedAgainstBesideALimitOfTheFramework() {
		this.runner.withBean(Limited.class)
			.run((context) -> assertThat(advice(context, "Limited.order"))
				.contains("@org.springframework.resilience.annotation.ConcurrencyLimit is on the method too: "
						+ "an attempt that has its permit waits for another one there, without a deadline; remove it"));
	}

	private static List<String> advice(ApplicationContext context, String method) {
		return context.getBean(BackoffMethods.class)
			.uses()
			.stream()
			.filter((use) -> use.method().equals(method))
			.map(PolicyUse::advice)
			.findFirst()
			.orElseThrow();
	}

	static class Shop {

		private final List<CompletableFuture<String>> running = new ArrayList<>();

		@Backoff("orders")
		public synchronized CompletableFuture<String> order() {
			CompletableFuture<String> answer = new CompletableFuture<>();
			this.running.add(answer);
			notifyAll();
			return answer;
		}

		@Backoff("orders")
		public String cancel() {
			return "cancelled";
		}

		/* A later attempt begins on the executor. */
		void answer(String text) throws InterruptedException {
			CompletableFuture<String> next;
			synchronized (this) {
				while (this.running.isEmpty()) {
					wait();
				}
				next = this.running.remove(0);
			}
			next.complete(text);
		}

	}

	static class Mail {

		@Backoff(value = "mail", concurrency = "2")
		public void send() {
		}

	}

	static class OtherMail {

		@Backoff(value = "mail", concurrency = "3")
		public void send() {
		}

	}

	static class Limited {

		@Backoff("orders")
		@org.springframework.resilience.annotation.ConcurrencyLimit(3)
		public void order() {
		}

	}

}
