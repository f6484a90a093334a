package dev.backoff.spring.safety;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.backoff.pace.Pace;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.PaceKey;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * The paces in use, by name. Each is made at its first use. The begin of a hold is
 * counted, and logged at most once a minute for each name. Thread-safe.
 */
public final class Paces {

	private static final Logger logger = LoggerFactory.getLogger(OverloadSafety.class);

	private static final long MINUTE = 60_000_000_000L;

	private final RetryTime time;

	private final Map<Name, Pace> paces = new ConcurrentHashMap<>();

	private final Map<String, Pace> byPolicy = new ConcurrentHashMap<>();

	private final Map<String, LongAdder> holds = new ConcurrentHashMap<>();

	private final Map<String, Long> logged = new ConcurrentHashMap<>();

	Paces(RetryTime time) {
		this.time = time;
	}

	/** Return the pace of a policy, or null if its attempts wait for no turn. */
	@Nullable Pace of(EffectivePolicy policy, BackoffConfiguration configuration) {
		String name = policy.pace();
		if (name == null) {
			this.byPolicy.remove(policy.name());
			return null;
		}
		Pace pace = this.paces.computeIfAbsent(Name.of(name),
				(made) -> new Pace(name, configuration.ofPace(name, PaceKey.MAX_HOLD),
						configuration.ofPace(name, PaceKey.MAX_WAITING), this.time, this::held));
		this.byPolicy.put(policy.name(), pace);
		return pace;
	}

	private void held(Pace pace, Duration hold) {
		holds(pace).increment();
		long now = this.time.nanoTime();
		Long before = this.logged.get(pace.name());
		boolean due = (before == null) ? this.logged.putIfAbsent(pace.name(), now) == null
				: now - before >= MINUTE && this.logged.replace(pace.name(), before, now);
		if (!due) {
			return;
		}
		Pace.Status status = pace.status();
		boolean slow = status.perSecond() * 10 < status.unlimited();
		logger.atLevel(slow ? Level.WARN : Level.INFO)
			.addKeyValue("backoff.pace", pace.name())
			.log("Pace " + pace.name() + " is held for " + DurationText.rounded(Nanos.of(hold))
					+ " by a hint of the server; waiting calls: " + status.waiting()
					+ (slow ? "; one attempt in " + DurationText.rounded((long) (1e9 / status.perSecond()))
							+ " is less than a tenth of the rate before the first refusal: "
							+ "are there several quotas behind this name?" : ""));
	}

	/** Return how many holds have begun, those of keys included. */
	public LongAdder holds(Pace pace) {
		return this.holds.computeIfAbsent(pace.name(), (name) -> new LongAdder());
	}

	/** Return the pace that a policy uses, or null. */
	public @Nullable Pace of(String policy) {
		return this.byPolicy.get(policy);
	}

	/** Return what a pace and those of its keys do now. */
	public static List<Pace.Status> statuses(Pace pace) {
		Stream<Pace> keys = (pace.keys() != null) ? pace.keys().values().values().stream() : Stream.of();
		return Stream.concat(Stream.of(pace), keys).map(Pace::status).toList();
	}

	void change(BackoffConfiguration configuration) {
		forEach((pace) -> pace.change(configuration.ofPace(pace.name(), PaceKey.MAX_HOLD),
				configuration.ofPace(pace.name(), PaceKey.MAX_WAITING)));
	}

	void forEach(Consumer<Pace> action) {
		this.paces.values().forEach(action);
	}

}
