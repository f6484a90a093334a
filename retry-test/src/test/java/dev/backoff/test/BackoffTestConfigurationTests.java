package dev.backoff.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import dev.backoff.delay.RandomSource;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests for {@link BackoffTestConfiguration}. */
@ExtendWith(OutputCaptureExtension.class)
class BackoffTestConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.by-hand.base=1s")
		.withBean(Letters.class);

	private final ApplicationContextRunner tested = this.application
		.withUserConfiguration(BackoffTestConfiguration.class);

	private ApplicationContextRunner with(Class<?> annotated) {
		Supplier<BackoffTestConfiguration> configuration = () -> new BackoffTestConfiguration(
				annotated.getAnnotation(TestBackoff.class));
		return this.application.withBean(BackoffTestConfiguration.class, configuration);
	}

	private static FaultScript faults(ApplicationContext context, String name) {
		return context.getBean(BackoffFaults.class).of(name);
	}

	private static CallAssert calls(ApplicationContext context, String name) {
		return assertThat(context.getBean(BackoffCalls.class).of(name));
	}

	@Test
	void givesVirtualTimeAndTheMiddleChance(CapturedOutput output) {
		this.tested.run((context) -> {
			faults(context, "letters").fails(2);
			assertThat(context.getBean(Letters.class).send()).isEqualTo("sent");
			calls(context, "letters").attempts(3).waited("500ms", "1s");
			assertThat(context.getBean(VirtualTime.class).elapsed()).isEqualTo(Duration.ofMillis(1_500));
			assertThat(output).containsOnlyOnce("Backoff in this test: virtual time, chance 0.5 (retry-test)");
		});
	}

	@Test
	void letsFaultsOfAMethodComeBeforeThoseOfItsPolicy() {
		this.tested.run((context) -> {
			faults(context, "parcels").fails();
			faults(context, "Letters.ship").passes();
			assertThat(context.getBean(Letters.class).ship()).isEqualTo("shipped");
			faults(context, "Letters.ship").answers(503);
			assertThat(context.getBean(Letters.class).ship()).isEqualTo("kept after 3");
			context.getBean(BackoffFaults.class).clear();
			assertThat(context.getBean(Letters.class).ship()).isEqualTo("shipped");
		});
	}

	@Test
	void throwsOnlyWhatAMethodDeclares() {
		this.tested.run((context) -> {
			faults(context, "letters").fails();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(context.getBean(Letters.class)::send);
			faults(context, "parcels").fails();
			context.getBean(Letters.class).ship();
			calls(context, "parcels").failedWith(IOException.class).outcome(3, AttemptOutcome.TRANSIENT).recovered();
			// the work itself throws it
			faults(context, "sneaky").passes();
			assertThat(catchThrowable(context.getBean(Letters.class)::lose))
				.isInstanceOf(UndeclaredThrowableException.class)
				.hasRootCauseExactlyInstanceOf(IOException.class);
		});
	}

	@Test
	void refusesNamesThatNothingHas() {
		this.tested.run((context) -> {
			assertThatIllegalArgumentException().isThrownBy(() -> faults(context, "parcel"))
				.withMessage(
						"Invalid name (parcel): must be that of a method with @Backoff that has a proxy, or of its "
								+ "policy: Letters.lose, Letters.print, Letters.send, Letters.ship, letters, parcels, sneaky.");
			assertThatIllegalArgumentException().isThrownBy(() -> calls(context, "Leters.send"))
				.withMessageStartingWith("Invalid name (Leters.send): must be that of a policy or of a method with "
						+ "@Backoff: Letters.lose, ");
		});
	}

	@Test
	void knowsPoliciesOfProgrammaticCallsWithoutFaults() {
		this.tested.run((context) -> {
			calls(context, "by-hand").calls(0);
			assertThatIllegalArgumentException().isThrownBy(() -> faults(context, "by-hand"));
			assertThat(
					context.getBean(BackoffMethods.class).retry("by-hand").<String, RuntimeException>call(() -> "done"))
				.isEqualTo("done");
			calls(context, "by-hand").succeededOnFirstAttempt();
		});
	}

	@Test
	void leavesTheBeansOfTheApplication(CapturedOutput output) {
		BackoffCalls own = new BackoffCalls(RetryTime.system());
		this.tested.withBean("appTime", RetryTime.class, RetryTime::system)
			.withBean(RandomSource.class, () -> () -> 0)
			.withBean(BackoffCalls.class, () -> own)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(VirtualTime.class).hasSingleBean(RetryTime.class);
				assertThat(context.getBean(BackoffCalls.class)).isSameAs(own);
				faults(context, "letters").fails(1);
				context.getBean(Letters.class).send();
				calls(context, "letters").attempts(2).waited("0ms");
				assertThat(output).contains("Backoff in this test: the application's own (appTime) time, chance 0.5");
			});
	}

	@Test
	void takesTheApplicationsOwnVirtualTime(CapturedOutput output) {
		this.tested.withBean(VirtualTime.class).run((context) -> {
			assertThat(context).hasSingleBean(VirtualTime.class);
			assertThat(output).contains("virtual time, ").doesNotContain("WARN");
		});
	}

	@Test
	void doesNotStartWithASecondClock() {
		this.tested.withBean("appTime", RetryTime.class, RetryTime::system)
			.withBean(VirtualTime.class)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("appTime"));
	}

	@Test
	void addsNothingWithoutTheStarter(CapturedOutput output) {
		new ApplicationContextRunner().withUserConfiguration(BackoffTestConfiguration.class).run((context) -> {
			assertThat(context).doesNotHaveBean(BackoffCalls.class).doesNotHaveBean(RetryTime.class);
			assertThatNoException().isThrownBy(() -> BackoffTestConfiguration.reset(context));
			assertThat(output).doesNotContain("retry-test");
		});
	}

	@Test
	void worksInRealTime(CapturedOutput output) {
		with(Real.class).withPropertyValues("backoff.policies.letters.base=2ms").run((context) -> {
			assertThat(context).doesNotHaveBean(RetryTime.class);
			faults(context, "letters").hangs(Duration.ofMillis(1)).times(1).fails(1);
			assertThat(context.getBean(Letters.class).send()).isEqualTo("sent");
			calls(context, "letters").attempts(3).waited("1ms", "2ms");
			assertThat(output).contains("Backoff in this test: real time, chance 0.5 (retry-test)");
		});
	}

	@Test
	void drawsBySeed(CapturedOutput output) {
		with(Seeded.class).run((context) -> {
			faults(context, "Letters.print").fails(2);
			context.getBean(Letters.class).print();
			RandomSource draws = Chance.SEEDED.source(7);
			calls(context, "Letters.print").waited((long) (1_000_000_000 * draws.next()) + "ns",
					(long) (2_000_000_000 * draws.next()) + "ns");
			assertThat(output).contains("virtual time, chance SEEDED");
		});
	}

	@Test
	void saysWhenJobsRunInRealTime(CapturedOutput output) {
		this.tested.withUserConfiguration(Jobs.class)
			.run((context) -> assertThat(output)
				.contains("virtual time, chance 0.5, jobs in real time unless scheduling = true (retry-test)"));
	}

	@Test
	void letsFaultsHappenWhereRetriesAreSwitchedOff() {
		this.tested.withPropertyValues("backoff.enabled=false").run((context) -> {
			faults(context, "letters").fails();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(context.getBean(Letters.class)::send);
			calls(context, "letters").calls(0);
		});
	}

	@Test
	void runsJobsBesideSchedulersOfTheApplication() {
		with(Scheduling.class).withUserConfiguration(OwnSchedulers.class).run((context) -> {
			BackoffTestConfiguration.reset(context);
			context.getBean(VirtualTime.class).advance(Duration.ofHours(5));
			assertThat(context.getBean(OwnSchedulers.class).hours).hasValue(5);
			assertThat(context.getBean("taskScheduler")).isSameAs(context.getBean(TaskScheduler.class))
				.isInstanceOf(VirtualTaskScheduler.class);
		});
	}

	@EnableScheduling
	private static final class Jobs {

	}

	@TestBackoff(scheduling = true)
	private static final class Scheduling {

	}

	@EnableScheduling
	static class OwnSchedulers {

		final AtomicInteger hours = new AtomicInteger();

		@Bean
		@Primary
		ThreadPoolTaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

		@Bean
		ThreadPoolTaskScheduler night() {
			return new ThreadPoolTaskScheduler();
		}

		@Bean
		Object user(@Qualifier("realTaskScheduler") ThreadPoolTaskScheduler real, TaskScheduler primary) {
			return List.of(real, primary);
		}

		@Scheduled(cron = "0 0 * * * *")
		void hourly() {
			this.hours.incrementAndGet();
		}

		@Scheduled(cron = "0 0 * * * *", scheduler = "night")
		void nightly() {
			this.hours.incrementAndGet();
		}

	}

	@TestBackoff(virtualTime = false)
	private static final class Real {

	}

	@TestBackoff(chance = Chance.SEEDED, seed = 7)
	private static final class Seeded {

	}

}
