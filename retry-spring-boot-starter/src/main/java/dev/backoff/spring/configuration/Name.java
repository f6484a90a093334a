package dev.backoff.spring.configuration;

import org.jspecify.annotations.Nullable;

/**
 * A name as it was written. Names are equal if their letters and digits are, whatever the
 * case of the letters. Immutable.
 *
 * @since 0.1
 */
public final class Name {

	/** The name in a section without names. */
	static final Name NONE = of("");

	private final String written;

	private final String letters;

	private Name(String written) {
		this.written = written;
		StringBuilder letters = new StringBuilder(written.length());
		for (int i = 0; i < written.length(); i = written.offsetByCodePoints(i, 1)) {
			int point = written.codePointAt(i);
			if (Character.isLetterOrDigit(point)) {
				letters.appendCodePoint(Character.toLowerCase(point));
			}
		}
		this.letters = letters.toString();
	}

	/** Return a name in any spelling. */
	public static Name of(String written) {
		return new Name(written);
	}

	/** Return the letters and digits, in lower case. */
	public String letters() {
		return this.letters;
	}

	/** Return whether a text is another spelling of this name. */
	public boolean is(String other) {
		return equals(of(other));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Name name && this.letters.equals(name.letters);
	}

	@Override
	public int hashCode() {
		return this.letters.hashCode();
	}

	@Override
	public String toString() {
		return this.written;
	}

}
