package dev.backoff.spring.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The {@code RateLimit} response field (draft-ietf-httpapi-ratelimit-headers): a list of
 * policies, each with what remains of its quota ({@code r}) and the seconds until it is
 * filled again ({@code t}), for instance {@code "minute";r=0;t=12, "day";r=41;t=7200}.
 * <p>
 * Only a policy that is used up makes anyone wait, and a call passes only when none is:
 * so the longest {@code t} among those with {@code r=0} counts. As with every structured
 * field (RFC 9651), one malformed member makes the whole field void; numbers alone are
 * read leniently, since one too large for the format still means "long".
 */
final class RateLimitField {

	private static final String KEY_MARKS = "_-.*";

	private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~:/";

	private final String text;

	private int at;

	private @Nullable Duration longest;

	private RateLimitField(String text) {
		this.text = text;
	}

	/** Return how long to wait until no policy is used up. */
	static @Nullable Duration wait(String text) {
		RateLimitField field = new RateLimitField(text);
		return field.readList() ? field.longest : null;
	}

	private boolean readList() {
		do {
			skip(" \t");
			if (!readPolicy()) {
				return false;
			}
			skip(" \t");
		}
		while (accept(','));
		return this.at == this.text.length();
	}

	private boolean readPolicy() {
		if (readItem() == null) {
			return false;
		}
		String remaining = "";
		String seconds = "";
		while (accept(';')) {
			skip(" ");
			String key = readWord(KEY_MARKS);
			String value = (!key.isEmpty() && accept('=')) ? readItem() : "?1";
			if (key.isEmpty() || value == null) {
				return false;
			}
			remaining = key.equals("r") ? value : remaining;
			seconds = key.equals("t") ? value : seconds;
		}
		Duration wait = ServerWait.ofSeconds(seconds);
		if (wait != null && Duration.ZERO.equals(ServerWait.ofSeconds(remaining))
				&& (this.longest == null || wait.compareTo(this.longest) > 0)) {
			this.longest = wait;
		}
		return true;
	}

	/*
	 * A string or byte sequence keeps its marks, so that neither is taken for a number.
	 */
	private @Nullable String readItem() {
		int start = this.at;
		for (char mark : new char[] { '"', ':' }) {
			if (accept(mark)) {
				return skipPast(mark) ? this.text.substring(start, this.at) : null;
			}
		}
		if (accept('?')) {
			return (accept('0') || accept('1')) ? this.text.substring(start, this.at) : null;
		}
		String word = readWord(TOKEN_MARKS);
		return word.isEmpty() ? null : word;
	}

	private boolean skipPast(char mark) {
		while (this.at < this.text.length() && this.text.charAt(this.at) != mark) {
			this.at += (this.text.charAt(this.at) == '\\') ? 2 : 1;
		}
		return accept(mark);
	}

	private String readWord(String marks) {
		int start = this.at;
		while (this.at < this.text.length() && isWord(this.text.charAt(this.at), marks)) {
			this.at++;
		}
		return this.text.substring(start, this.at);
	}

	private static boolean isWord(char c, String marks) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.indexOf(c) >= 0;
	}

	private boolean accept(char expected) {
		boolean accepted = this.at < this.text.length() && this.text.charAt(this.at) == expected;
		this.at += accepted ? 1 : 0;
		return accepted;
	}

	private void skip(String blanks) {
		while (this.at < this.text.length() && blanks.indexOf(this.text.charAt(this.at)) >= 0) {
			this.at++;
		}
	}

}
