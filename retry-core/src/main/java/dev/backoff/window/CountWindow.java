package dev.backoff.window;

/**
 * Count over a number of calls, exactly: each call replaces the oldest.
 * <p>
 * That needs one order of all calls, so every record takes a lock for a few instructions.
 */
final class CountWindow implements OutcomeWindow {

	private static final byte FAILED = 1;

	private static final byte SLOW = 2;

	private final Object lock = new Object();

	private final byte[] calls;

	private int next;

	private int total;

	private int failed;

	private int slow;

	CountWindow(int calls) {
		this.calls = new byte[calls];
	}

	@Override
	public void record(boolean failed, boolean slow, long now) {
		byte call = (byte) ((failed ? FAILED : 0) | (slow ? SLOW : 0));
		synchronized (this.lock) {
			if (this.total == this.calls.length) {
				count(this.calls[this.next], -1);
			}
			count(call, 1);
			this.calls[this.next] = call;
			this.next = (this.next + 1) % this.calls.length;
		}
	}

	private void count(byte call, int by) {
		this.total += by;
		this.failed += ((call & FAILED) != 0) ? by : 0;
		this.slow += ((call & SLOW) != 0) ? by : 0;
	}

	@Override
	public Counts counts(long now) {
		synchronized (this.lock) {
			return new Counts(this.total, this.failed, this.slow);
		}
	}

}
