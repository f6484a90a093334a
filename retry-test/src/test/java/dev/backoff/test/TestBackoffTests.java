package dev.backoff.test;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import dev.backoff.CallRegistry;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.RandomSource;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests for {@link TestBackoff} in contexts that several tests share. */
class TestBackoffTests {

	/* The common pool has one thread on two cores, which a call that waits keeps. */
	private static void start(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
	}

	/** What each test does to the application that it shares with the others. */
	@SpringJUnitConfig(Letters.class)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	@TestPropertySource(
			properties = { "backoff.breakers.letters.minimum-calls=6", "backoff.policies.letters.pace=post" })
	abstract static class SharedContext {

		@Autowired
		Letters letters;

		@Autowired
		BackoffCalls calls;

		@Autowired
		BackoffFaults faults;

		@Autowired
		VirtualTime time;

		@Autowired
		RandomSource random;

		@Autowired
		LiveConfiguration configuration;

		@Autowired
		CircuitBreakers breakers;

		@Autowired
		RetryBudgets budgets;

		@Autowired
		OverloadSafety safety;

		@AfterEach
		void leaveTraces() {
			this.faults.of("letters").fails();
			Throwable unused = catchThrowable(this.letters::send);
			unused = catchThrowable(this.letters::send);
			this.breakers.get("letters").forceOpen();
			this.configuration.override("letters", Map.of("max-attempts", "1"), null);
			assertThat(this.random.next()).isNotNegative();
			assertThat(this.budgets.get("letters").balance()).isLessThan(50);
			long now = this.time.nanoTime();
			Objects.requireNonNull(this.safety.paces().of("letters"))
				.throttled(now, Duration.ofSeconds(20).toNanos(), now);
		}

	}

	@Nested
	@TestBackoff(chance = Chance.SEEDED, seed = 3)
	@DirtiesContext // its clock is held at the end, and would warn of that in a later
					// test
	class ByDefault extends SharedContext {

		private static @Nullable CompletableFuture<String> left;

		@Autowired
		CallRegistry waiting;

		@AfterEach
		@Override
		void leaveTraces() {
			super.leaveTraces();
			// the thread of the call that is left may get no core for long
			VirtualTime.Hold unused = this.time.patience(Duration.ofSeconds(9)).hold();
			this.breakers.get("letters").reset();
			this.configuration.reset();
			left = CompletableFuture.supplyAsync(this.letters::send, TestBackoffTests::start);
			while (this.waiting.waiting() == 0) {
				Thread.onSpinWait();
			}
		}

		@RepeatedTest(3)
		void eachTestBeginsAnew() {
			assertThat(this.waiting.waiting()).isZero();
			assertThat(this.calls.all()).isEmpty();
			if (left != null) {
				// the call has ended; its thread may be about to tell
				assertThat(left).failsWithin(Duration.ofMinutes(1));
				assertThat(this.calls.all()).isEmpty();
			}
			assertThat(this.time.elapsed()).isZero();
			assertThat(this.random.next()).isEqualTo(Chance.SEEDED.source(3).next());
			assertThat(this.breakers.get("letters").state()).isEqualTo(BreakerState.CLOSED);
			assertThat(this.breakers.get("letters").counts().total()).isZero();
			assertThat(this.budgets.find("letters").map(RetryBudget::balance).orElse(50.0)).isEqualTo(50);
			this.faults.of("letters").fails(1);
			assertThat(this.letters.send()).isEqualTo("sent");
			assertThat(this.calls.of("letters")).attempts(2);
			assertThat(this.time.elapsed()).as("without a hold or a rate").isLessThanOrEqualTo(Duration.ofSeconds(1));
		}

	}

	@Nested
	@TestBackoff(reset = false)
	class WithoutReset extends SharedContext {

		private static int tests;

		@RepeatedTest(2)
		void eachTestGoesOn() {
			CircuitBreaker breaker = this.breakers.get("letters");
			assertThat(breaker.state()).isEqualTo((tests++ == 0) ? BreakerState.CLOSED : BreakerState.FORCED_OPEN);
			assertThat(this.calls.all()).hasSize((tests == 1) ? 0 : 2);
			breaker.reset();
			this.calls.clear();
		}

	}

	@Nested
	@SpringJUnitConfig(Letters.class)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	class Contexts {

		private static ApplicationContext shared;

		@Nested
		class Plain {

			@Test
			void areShared(@Autowired ApplicationContext context) {
				shared = context;
				assertThat(context.getBeansOfType(VirtualTime.class)).hasSize(1);
			}

		}

		@Nested
		@TestBackoff(virtualTime = false)
		class Real {

			@Test
			void areNotSharedWithOtherTimes(@Autowired ApplicationContext context) {
				assertThat(context).isNotSameAs(shared);
				assertThat(context.getBeansOfType(VirtualTime.class)).isEmpty();
			}

		}

	}

	@Nested
	@SpringJUnitConfig(Letters.class)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	@Import(BackoffTestConfiguration.class)
	@TestBackoff(chance = Chance.LEAST)
	@ExtendWith(OutputCaptureExtension.class)
	class AtTheEdges {

		@Test
		void anImportOfTheConfigurationChangesNothing(@Autowired RandomSource random) {
			assertThat(random.next()).isZero();
		}

		@Test
		void aCallThatStillWorksIsWaitedForAndNamed(@Autowired Letters letters, @Autowired BackoffFaults faults,
				@Autowired VirtualTime time, @Autowired ApplicationContext context, CapturedOutput output)
				throws Exception {
			time.patience(Duration.ofMillis(20));
			CountDownLatch begun = new CountDownLatch(1);
			CountDownLatch ended = new CountDownLatch(1);
			faults.of("letters").fails(1, () -> {
				begun.countDown();
				try {
					ended.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				return new IllegalArgumentException("at last");
			});
			CompletableFuture<String> call = CompletableFuture.supplyAsync(letters::send, TestBackoffTests::start);
			begun.await();
			BackoffTestConfiguration.reset(context);
			assertThat(output).contains("WARN", "Letters.send (policy letters) began before this test and still works");
			ended.countDown();
			assertThat(call).failsWithin(Duration.ofMinutes(1));
		}

	}

	@Nested
	@SpringJUnitConfig
	class WithoutTheStartersBeans {

		@Test
		void nothingIsAdded(@Autowired ApplicationContext context) {
			assertThat(context.getBeansOfType(BackoffCalls.class)).isEmpty();
		}

	}

}
