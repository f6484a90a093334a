package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.policy.DegradedSettings;
import dev.backoff.spring.configuration.BackoffProperties;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.policy.DelayAssembler.Delays;
import dev.backoff.spring.policy.PolicyLevels.Ranked;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Make the raised delays of one policy, and report values that do not fit. They are in
 * effect if a cap or a base is set, and yield to a cap from a stronger level.
 */
final class DegradedAssembler {

	private static final List<PolicyKey> WHEN = List.of(PolicyKey.WHEN_DEGRADED_FAILURE_RATE,
			PolicyKey.WHEN_DEGRADED_WINDOW, PolicyKey.WHEN_DEGRADED_MINIMUM_CALLS);

	private final PolicyValues values;

	private final Delays delays;

	/* What decides on the cap that is not raised. */
	private final int capStrength;

	DegradedAssembler(PolicyValues values, Delays delays) {
		this.values = values;
		this.delays = delays;
		this.capStrength = Math.max(values.strength(PolicyKey.CAP), values
			.strength((delays.name() == BackoffProperties.ShapeName.LADDER) ? PolicyKey.LADDER : PolicyKey.BASE));
	}

	/** Return the settings, or null if the delays are never raised. */
	@Nullable DegradedSettings assemble() {
		Ranked cap = this.values.written(PolicyKey.WHEN_DEGRADED_CAP);
		Ranked base = this.values.written(PolicyKey.WHEN_DEGRADED_BASE);
		if (cap == null && base == null) {
			WHEN.forEach(this::rejectWithoutEffect);
			return null;
		}
		Duration raisedCap = (cap != null) ? cap(cap) : null;
		Duration raisedBase = (base != null) ? base(base, raisedCap) : null;
		double rate = this.values.<Double>read(PolicyKey.WHEN_DEGRADED_FAILURE_RATE);
		Duration window = this.values.read(PolicyKey.WHEN_DEGRADED_WINDOW);
		int minimum = this.values.<Integer>read(PolicyKey.WHEN_DEGRADED_MINIMUM_CALLS);
		return (raisedCap == null && raisedBase == null) ? null
				: new DegradedSettings(rate, window, minimum, raisedBase, raisedCap);
	}

	/* The defaults may say when for policies that say what. */
	private void rejectWithoutEffect(PolicyKey key) {
		Ranked written = this.values.written(key);
		if (written != null && this.values.isWrittenForIt(key)) {
			this.values.conflict(written.value(), "raises nothing without a raised cap or base",
					"Add when-degraded.cap or when-degraded.base, or remove it.");
		}
	}

	private @Nullable Duration cap(Ranked written) {
		Duration raised = written.value().value();
		long cap = Nanos.of(this.delays.cap());
		if (cap == Nanos.UNLIMITED) {
			if (written.strength() >= this.capStrength) {
				this.values.conflict(written.value(),
						"has no effect, because the ladder (" + this.values.origin(PolicyKey.LADDER)
								+ ") has no cap to raise",
						"Write when-degraded.base, which raises the rungs below it.");
			}
			return null;
		}
		if (Nanos.of(raised) >= cap) {
			this.values.note(PolicyKey.WHEN_DEGRADED_CAP);
			return raised;
		}
		if (!this.delays.capSet()) {
			if (this.values.isWrittenForIt(PolicyKey.WHEN_DEGRADED_CAP)) {
				this.values.advise("when-degraded.cap of " + written.value().text() + " counts as the built-in cap of "
						+ DurationText.exact(cap) + ", which is longer: set a cap below it");
			}
		}
		else if (written.strength() >= this.capStrength) {
			this.values.conflict(written.value(), "must not be below the cap (" + DurationText.exact(cap) + ")",
					"Raise it, or lower the cap (" + this.values.inEffect(PolicyKey.CAP).origin() + ").");
		}
		this.values.put(PolicyKey.WHEN_DEGRADED_CAP, DurationText.exact(cap),
				"raised to the cap, " + this.values.inEffect(PolicyKey.CAP).origin());
		return this.delays.cap();
	}

	private Duration base(Ranked written, @Nullable Duration raisedCap) {
		Duration raised = written.value().value();
		boolean halved = this.delays.jitter().replacesShape();
		long cap = Nanos.of((raisedCap != null) ? raisedCap : this.delays.cap());
		long most = halved ? cap / 2 : cap;
		if (Nanos.of(raised) <= most) {
			this.values.note(PolicyKey.WHEN_DEGRADED_BASE);
			return raised;
		}
		PolicyKey limit = (raisedCap != null) ? PolicyKey.WHEN_DEGRADED_CAP : PolicyKey.CAP;
		if (written.strength() >= Math.max(this.capStrength, this.values.strength(PolicyKey.WHEN_DEGRADED_CAP))) {
			this.values.conflict(written.value(),
					"must not be above " + (halved ? "half of " : "") + "the "
							+ ((raisedCap != null) ? "raised cap (" : "cap (") + DurationText.exact(cap) + ")"
							+ (halved ? " for decorrelated jitter (" + this.values.origin(PolicyKey.JITTER) + ")" : ""),
					"Lower it, or " + ((raisedCap != null)
							? "raise when-degraded.cap (" + this.values.inEffect(limit).origin() + ")."
							: "add a when-degraded.cap above the cap (" + this.values.inEffect(limit).origin() + ")."));
		}
		this.values.put(PolicyKey.WHEN_DEGRADED_BASE, DurationText.exact(most),
				"lowered to the cap, " + this.values.inEffect(limit).origin());
		return Duration.ofNanos(most);
	}

}
