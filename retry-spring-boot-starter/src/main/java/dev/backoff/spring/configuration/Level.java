package dev.backoff.spring.configuration;

import java.util.Comparator;

/**
 * How strong a value is. The ranks stand in their order, from the weakest on. What a
 * level's preset brings is just weaker than the level. An inherited value is weaker than
 * all that stands in the heir. Immutable.
 *
 * @param rank where the value is written
 * @param kind whether the level itself, its preset, or another value made it
 * @param distance how many policies away it is inherited from, or 0
 * @since 0.1
 */
public record Level(Rank rank, Kind kind, int distance) implements Comparable<Level> {

	/** A default. */
	public static final Level BUILT_IN = of(Rank.BUILT_IN);

	/** A default of durable policies. */
	public static final Level DURABLE_DEFAULT = of(Rank.DURABLE_DEFAULT);

	/** A live override. */
	public static final Level OVERRIDE = of(Rank.OVERRIDE);

	private static final Comparator<Level> STRENGTH = Comparator
		.comparing((Level level) -> level.rank.compareTo(Rank.ENTRY) >= 0)
		.thenComparing(Level::distance, Comparator.reverseOrder())
		.thenComparing(Level::rank)
		.thenComparing(Level::kind);

	/** Return the level of a value that is written at a rank. */
	public static Level of(Rank rank) {
		return new Level(rank, Kind.WRITTEN, 0);
	}

	/** Return the level of what a preset at this level brings. */
	public Level ofPreset() {
		return new Level(this.rank, Kind.PRESET, this.distance);
	}

	/** Return the level of a value that another value has changed. */
	public Level adjusted() {
		return new Level(this.rank, Kind.ADJUSTED, this.distance);
	}

	/** Return the same level of an ancestor. */
	public Level inherited(int distance) {
		return new Level(this.rank, this.kind, distance);
	}

	/** Return whether the value is in an annotation. */
	public boolean isOfAnnotation() {
		return this.rank == Rank.TYPE || this.rank == Rank.METHOD;
	}

	/** Return whether the value is written for one policy, not by a preset. */
	public boolean isOfOne() {
		return this.rank.compareTo(Rank.DEFAULTS) > 0 && this.kind != Kind.PRESET;
	}

	/** Return whether the value is at least as strong as another one. */
	public boolean isAtLeast(Level other) {
		return compareTo(other) >= 0;
	}

	@Override
	public int compareTo(Level other) {
		return STRENGTH.compare(this, other);
	}

	/** Where a value is written: the entry is that of a policy, a breaker or a budget. */
	public enum Rank {

		BUILT_IN, DURABLE_DEFAULT, DEFAULTS, TYPE, METHOD, ENTRY, OVERRIDE

	}

	/** What brings a value. */
	public enum Kind {

		PRESET, WRITTEN, ADJUSTED

	}

}
