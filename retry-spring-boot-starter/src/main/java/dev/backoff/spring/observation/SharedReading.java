package dev.backoff.spring.observation;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The value of a meter whose registry several application contexts share: the sum of
 * their states, or the greatest. Registries refer to it weakly, so it is kept here as
 * long as its registry. It refers to states weakly too: keep them. Lock-free and
 * thread-safe.
 */
final class SharedReading {

	/* No reading refers to its registry, which can therefore be collected. */
	private static final Map<MeterRegistry, Map<List<String>, SharedReading>> ALL = Collections
		.synchronizedMap(new WeakHashMap<>());

	private final DoubleBinaryOperator merge;

	private final AtomicReference<Parts> parts = new AtomicReference<>(new Parts(List.of(), 0));

	private SharedReading(DoubleBinaryOperator merge) {
		this.merge = merge;
	}

	/** Return the reading of a meter, which is new if no context has it. */
	static SharedReading of(MeterRegistry registry, BackoffMeters meter, DoubleBinaryOperator merge,
			String... tagValues) {
		return ALL.computeIfAbsent(registry, (key) -> new ConcurrentHashMap<>())
			.computeIfAbsent(key(meter, tagValues), (key) -> new SharedReading(merge));
	}

	private static List<String> key(BackoffMeters meter, String... tagValues) {
		return Stream.concat(Stream.of(meter.getName()), Stream.of(tagValues)).toList();
	}

	/** Forget the reading of a meter, which no context has any more. */
	static void forget(MeterRegistry registry, BackoffMeters meter, String... tagValues) {
		ALL.getOrDefault(registry, Map.of()).remove(key(meter, tagValues));
	}

	/** Add a state; return false if it is there already. */
	@SuppressWarnings("unchecked") // a part hands its own state to the function
	<S> boolean add(S state, ToDoubleFunction<S> value) {
		Part part = new Part(new WeakReference<>(state), (ToDoubleFunction<Object>) value);
		Parts before = this.parts.getAndUpdate((parts) -> parts.has(state) ? parts : parts.with(part));
		return !before.has(state);
	}

	/** Leave a state out, its count kept or not; return whether it was the last. */
	boolean remove(Object state, boolean kept) {
		return this.parts.updateAndGet((parts) -> parts.without(state, kept)).living().isEmpty();
	}

	double value() {
		Parts read = Objects.requireNonNull(this.parts.get());
		return read.living().stream().mapToDouble(Part::value).reduce(read.ended(), this.merge);
	}

	private record Part(WeakReference<@Nullable Object> state, ToDoubleFunction<Object> function) {

		double value() {
			Object state = this.state.get();
			return (state != null) ? this.function.applyAsDouble(state) : 0;
		}

	}

	/** The states that are read, and the counts of those that have ended. */
	private record Parts(List<Part> living, double ended) {

		boolean has(Object state) {
			return this.living.stream().anyMatch((part) -> part.state().refersTo(state));
		}

		Parts with(Part part) {
			return new Parts(Stream.concat(this.living.stream(), Stream.of(part)).toList(), this.ended);
		}

		/* Collected states go too. */
		Parts without(Object state, boolean kept) {
			double ended = this.ended;
			List<Part> others = new ArrayList<>();
			for (Part part : this.living) {
				if (part.state().refersTo(state)) {
					ended += kept ? part.value() : 0;
				}
				else if (!part.state().refersTo(null)) {
					others.add(part);
				}
			}
			return new Parts(others, ended);
		}

	}

}
