package dev.backoff.policy;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/**
 * When a policy's delays are raised, and to what. Immutable and thread-safe.
 *
 * @param failureRate the share of failed attempts above which they are raised: above 0
 * and at most 1; below five sixths of it they are as before
 * @param window how far back attempts are counted, above zero
 * @param minimumCalls how many attempts the window must hold, 1 or more
 * @param base the raised base, or null to leave it
 * @param cap the raised cap, or null to leave it
 * @since 0.1
 */
public record DegradedSettings(double failureRate, Duration window, int minimumCalls, @Nullable Duration base,
		@Nullable Duration cap) {

	/**
	 * Check the settings.
	 * @param failureRate the share of failed attempts above which delays are raised
	 * @param window how far back attempts are counted
	 * @param minimumCalls how many attempts the window must hold
	 * @param base the raised base, or null to leave it
	 * @param cap the raised cap, or null to leave it
	 * @throws IllegalArgumentException if a number is out of its range, or neither base
	 * nor cap is given
	 */
	public DegradedSettings {
		if (!(failureRate > 0 && failureRate <= 1)) {
			throw new IllegalArgumentException(
					"Invalid failureRate (" + failureRate + "): must be above 0 and at most 1.");
		}
		Nanos.aboveZero("window", window);
		if (minimumCalls < 1) {
			throw new IllegalArgumentException("Invalid minimumCalls (" + minimumCalls + "): must be 1 or more.");
		}
		if (base == null && cap == null) {
			throw new IllegalArgumentException("Invalid degraded settings: must raise the base, the cap or both.");
		}
		if (base != null) {
			Nanos.notNegative("base", base);
		}
		if (cap != null) {
			Nanos.aboveZero("cap", cap);
		}
	}

}
