package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.WaitingCalls;
import dev.backoff.spring.actuate.BackoffDescriptor.ActivityDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.CountersDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.StoppedDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.WaitingDescriptor;

/** Describes what calls have done and do. */
final class ActivityDescriptions {

	private static final int OLDEST = 10;

	private static final double MILLI = 1_000_000;

	private final WaitingCalls waiting;

	ActivityDescriptions(WaitingCalls waiting) {
		this.waiting = waiting;
	}

	ActivityDescriptor of(String policy) {
		List<WaitingDescriptor> oldest = this.waiting.oldest(policy, OLDEST)
			.stream()
			.map((call) -> new WaitingDescriptor(call.method(), call.attempt(), call.dueIn().toNanos() / MILLI))
			.toList();
		return new ActivityDescriptor(Map.of(), this.waiting.count(policy), oldest, List.of());
	}

	@Nullable CountersDescriptor counters(String policy, String method) {
		return null;
	}

	List<StoppedDescriptor> stopped(String policy, String method) {
		return List.of();
	}

}
