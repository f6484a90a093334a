package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.actuate.BackoffEndpoint.BackoffDescriptor;
import dev.backoff.spring.actuate.PlanDescriptor.DelayDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.PolicyDescriptor;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What the endpoint announces is what callers wait. */
class PlannedDelaysTests {

	private static final int RETRIES = 12;

	private static final int CALLS = 500;

	private static final long SEED = 20_261_120;

	/* In milliseconds. */
	private static final double NANO = 1e-6;

	private static final double ROUNDING = 1e-8;

	/* Of a mean, in standard errors: one sound mean in two million is further off. */
	private static final double DEVIATIONS = 5;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffEndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=backoff", "backoff.defaults.budget=none")
		.withBean(VirtualTime.class)
		.withBean(Chance.class)
		.withBean(Orders.class);

	static Stream<Arguments> shapesAndJitters() {
		return Stream.of("fixed", "linear", "exponential", "ladder")
			.flatMap(
					(shape) -> Stream.of("none", "full", "equal", "20%", "90%", "decorrelated", "beta", "beta 0.3..0.7")
						.map((jitter) -> Arguments.of(shape, jitter)))
			// refused at start-up with another shape, for it replaces the shape
			.filter((pair) -> pair.get()[0].equals("exponential") || !pair.get()[1].equals("decorrelated"));
	}

	@ParameterizedTest
	@MethodSource("shapesAndJitters")
	void agreeWithTheDelaysOfCalls(String shape, String jitter) {
		String numbers = shape.equals("ladder") ? "backoff.policies.orders.ladder=50ms,100ms x2,700ms,2s"
				: "backoff.policies.orders.base=100ms";
		this.runner
			.withPropertyValues("backoff.policies.orders.shape=" + shape, "backoff.policies.orders.jitter=" + jitter,
					"backoff.policies.orders.cap=1500ms", "backoff.policies.orders.max-attempts=" + (RETRIES + 1),
					numbers)
			.run((context) -> {
				PlanDescriptor plan = plan(context);
				assertThat(plan.delays()).extracting(DelayDescriptor::retry)
					.containsExactlyElementsOf(IntStream.rangeClosed(1, 10).boxed().toList());
				List<Double> least = drawn(context, RandomSources.least(), 1);
				List<Double> greatest = drawn(context, RandomSources.greatest(), 1);
				assertThat(plan.delays()).extracting(DelayDescriptor::leastMs)
					.containsExactlyElementsOf(least.subList(0, 10));
				assertThat(plan.delays()).extracting(DelayDescriptor::greatestMs)
					.usingElementComparator(PlannedDelaysTests::compareBound)
					.containsExactlyElementsOf(greatest.subList(0, 10));
				assertThat(plan.waits().worstMs()).usingComparator(PlannedDelaysTests::compareBound)
					.isEqualTo(sum(greatest));
				checkMeans(plan, drawn(context, RandomSources.seeded(SEED), CALLS));
			});
	}

	/*
	 * The bound itself is never drawn, and a decorrelated delay is up to three times the
	 * last one. Where the density of beta vanishes, neighbouring draws are far apart.
	 */
	private static int compareBound(double planned, double drawn) {
		double below = planned - drawn;
		return (below >= -ROUNDING && below <= 50 * NANO + 1e-8 * planned) ? 0 : (below < 0) ? -1 : 1;
	}

	private static void checkMeans(PlanDescriptor plan, List<Double> drawn) {
		for (DelayDescriptor planned : plan.delays()) {
			double[] delays = IntStream.range(0, CALLS)
				.mapToDouble((call) -> drawn.get(call * RETRIES + planned.retry() - 1))
				.toArray();
			assertThat(DoubleStream.of(delays).min().orElseThrow()).isGreaterThanOrEqualTo(planned.leastMs());
			assertThat(DoubleStream.of(delays).max().orElseThrow()).isLessThanOrEqualTo(planned.greatestMs());
			checkMean("mean of retry " + planned.retry(), delays, planned.meanMs());
		}
		double[] waits = IntStream.range(0, CALLS)
			.mapToDouble((call) -> sum(drawn.subList(call * RETRIES, (call + 1) * RETRIES)))
			.toArray();
		checkMean("mean of all waits", waits, plan.waits().meanMs());
	}

	private static void checkMean(String name, double[] drawn, double planned) {
		double mean = DoubleStream.of(drawn).average().orElseThrow();
		double squares = DoubleStream.of(drawn).map((delay) -> (delay - mean) * (delay - mean)).sum();
		double error = Math.sqrt(squares / drawn.length / drawn.length);
		assertThat(mean).as(name).isCloseTo(planned, within(DEVIATIONS * error + 1e-5));
	}

	@Test
	void endWithTheAttempts() {
		this.runner.withPropertyValues("backoff.policies.orders.max-attempts=4", "backoff.policies.orders.jitter=equal")
			.run((context) -> {
				PlanDescriptor plan = plan(context);
				assertThat(plan.delays()).extracting(DelayDescriptor::greatestMs)
					.usingElementComparator(PlannedDelaysTests::compareBound)
					.containsExactlyElementsOf(drawn(context, RandomSources.greatest(), 1))
					.hasSize(3);
				assertThat(plan.waits().meanMs()).isEqualTo(75 + 150 + 300);
			});
	}

	@Test
	void areNoneWithoutRetries() {
		this.runner.withPropertyValues("backoff.policies.orders.max-attempts=1").run((context) -> {
			PlanDescriptor plan = plan(context);
			assertThat(plan.delays()).isEmpty();
			assertThat(plan.waits().worstMs()).isZero();
			assertThat(drawn(context, RandomSources.greatest(), 1)).isEmpty();
		});
	}

	@Test
	void neverSumUpToMoreThanTheDeadline() {
		this.runner
			.withPropertyValues("backoff.policies.orders.max-attempts=8", "backoff.policies.orders.jitter=none",
					"backoff.policies.orders.deadline=1s")
			.run((context) -> {
				assertThat(plan(context).waits().worstMs()).isEqualTo(1_000);
				assertThat(sum(drawn(context, RandomSources.greatest(), 1))).isEqualTo(100 + 200 + 400);
			});
	}

	@Test
	void haveNoSumWithoutAnEnd() {
		this.runner.withPropertyValues("backoff.policies.orders.max-attempts=unlimited").run((context) -> {
			assertThat(plan(context).waits()).isNull();
			assertThat(plan(context).delays()).hasSize(10);
		});
	}

	private static PolicyDescriptor orders(AssertableApplicationContext context) {
		Object all = context.getBean(BackoffEndpoint.class).policies(null);
		return ((BackoffDescriptor) all).policies().get("orders");
	}

	private static PlanDescriptor plan(AssertableApplicationContext context) {
		return orders(context).methods().get("Orders.place");
	}

	/** Return the waits of calls that fail to the end, in order, in milliseconds. */
	private static List<Double> drawn(AssertableApplicationContext context, RandomSource source, int calls) {
		VirtualTime time = context.getBean(VirtualTime.class);
		context.getBean(Chance.class).source = source;
		int before = time.delays().size();
		Orders orders = context.getBean(Orders.class);
		for (int call = 0; call < calls; call++) {
			assertThat(fails(orders)).isTrue();
		}
		List<Duration> delays = time.delays();
		return delays.subList(before, delays.size()).stream().map((delay) -> delay.toNanos() / 1e6).toList();
	}

	private static boolean fails(Orders orders) {
		try {
			orders.place();
			return false;
		}
		catch (Failure expected) {
			return true;
		}
	}

	private static double sum(List<Double> delays) {
		return delays.stream().mapToDouble(Double::doubleValue).sum();
	}

	/** A source that can be exchanged. */
	static final class Chance implements RandomSource {

		private volatile RandomSource source = RandomSources.middle();

		@Override
		public double next() {
			return this.source.next();
		}

	}

	public static class Orders {

		@Backoff("orders")
		public void place() throws Failure {
			throw new Failure();
		}

	}

	/** Cheap enough to be thrown by the hundred thousand. */
	public static final class Failure extends Exception {

		private static final long serialVersionUID = 1L;

		Failure() {
			super("down", null, true, false);
		}

	}

}
