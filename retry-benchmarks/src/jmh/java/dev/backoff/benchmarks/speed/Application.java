package dev.backoff.benchmarks.speed;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import org.springframework.context.ConfigurableApplicationContext;

import dev.backoff.budget.RetryBudget;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.RetryBudgets;
import dev.backoff.time.RetryTime;

/** A started {@link Contender}, warmed up until it does what it is measured for. */
final class Application implements AutoCloseable {

	/* More than the meters, maps and caches of any contender need to be filled. */
	private static final int FIRST_CALLS = 100;

	private final ConfigurableApplicationContext context;

	private final Partner partner;

	/**
	 * Start an application.
	 * @param contender who is measured
	 * @param failures how often a call fails before it succeeds
	 * @param call what is measured
	 */
	Application(Contender contender, int failures, Function<Partner, String> call) {
		this.context = contender.start(failures);
		this.partner = this.context.getBean(Partner.class);
		if (contender == Contender.BACKOFF_REFILLED) {
			RetryBudget budget = this.context.getBean(RetryBudgets.class).get("partner");
			while (budget.tryWithdraw()) {
				// until it is empty
			}
		}
		for (int i = 0; i < FIRST_CALLS; i++) {
			if (succeeds(call) != (failures <= 2 && (failures == 0 || retries(contender)))) {
				throw new IllegalStateException(contender + " does not do what is to be measured.");
			}
		}
		if (contender == Contender.BACKOFF_PACE_TOLD) {
			Pace pace = Objects.requireNonNull(this.context.getBean(OverloadSafety.class).paces().of("partner"));
			pace.told(RetryTime.system().nanoTime(),
					List.of(new QuotaReading("requests", 1L << 50, 1L << 49, Duration.ofDays(1), true, true),
							new QuotaReading("tokens", 1L << 60, 1L << 59, Duration.ofDays(1), false, true)));
		}
	}

	private static boolean retries(Contender contender) {
		return switch (contender) {
			case PLAIN, PROXY, FLOOR, BACKOFF_DISABLED -> false;
			default -> true;
		};
	}

	private boolean succeeds(Function<Partner, String> call) {
		try {
			return call.apply(this.partner).equals("?");
		}
		catch (Partner.Failure ex) {
			return false;
		}
	}

	Partner partner() {
		return this.partner;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
