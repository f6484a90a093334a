package dev.backoff.durable;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a row may do, all that the model does and the kill harness may see. Each constant
 * is a change of one row by one statement.
 */
enum RowStep {

	SUBMITTED, PICKED, AGAIN, PUT_BACK, LOST, DIED, REQUEUED, REVIVED, TAKEN, REMOVED, HEARTBEAT;

	/** Return the step from one state of a row to the next, or null if none may do it. */
	static @Nullable RowStep of(@Nullable Row before, @Nullable Row after) {
		if (before == null) {
			return (after != null && after.equals(Row.submitted(after.id()))) ? SUBMITTED : null;
		}
		if (after == null) {
			// dead letters stay, until an operator deletes them
			return before.dead() ? null : REMOVED;
		}
		if (!before.id().equals(after.id())) {
			return null;
		}
		if (before.equals(after)) {
			return HEARTBEAT;
		}
		if (before.dead() != after.dead()) {
			boolean replaced = before.by() != null && after.by() == null && after.version() == 1
					&& after.fence() == before.fence() + before.version();
			boolean anew = after.attempts() == 0 && after.losses() == 0;
			return !replaced ? null
					: after.dead() ? (after.losses() == before.losses() ? DIED : null) : anew ? REVIVED : null;
		}
		if (after.version() != before.version() + 1 || after.fence() != before.fence()) {
			return null;
		}
		boolean kept = after.attempts() == before.attempts() && after.losses() == before.losses();
		if (before.by() == null) {
			return !kept ? null : (after.by() != null) ? PICKED : REQUEUED;
		}
		if (after.by() != null) {
			return null;
		}
		if (before.dead()) {
			return kept ? TAKEN : null;
		}
		if (kept) {
			return PUT_BACK;
		}
		if (after.attempts() == before.attempts() + 1 && after.losses() == before.losses()) {
			return AGAIN;
		}
		return (after.attempts() == before.attempts() && after.losses() == before.losses() + 1) ? LOST : null;
	}

	/**
	 * A row.
	 *
	 * @param dead whether it is a dead letter
	 * @param by the process that has picked it, or null
	 */
	record Row(boolean dead, String id, long version, long fence, @Nullable String by, int attempts, int losses) {

		static Row submitted(String id) {
			return new Row(false, id, 1, 0, null, 0, 0);
		}

		Row picked(String process) {
			return new Row(this.dead, this.id, this.version + 1, this.fence, process, this.attempts, this.losses);
		}

		Row free(int attempts, int losses) {
			return new Row(this.dead, this.id, this.version + 1, this.fence, null, attempts, losses);
		}

		/** Return the row that takes its place, whose version begins again. */
		Row replaced(boolean dead, int attempts, int losses) {
			return new Row(dead, this.id, 1, this.fence + this.version, null, attempts, losses);
		}

		/**
		 * Return whether this is the row that was read, by the guard or by the engine
		 * alone.
		 */
		boolean isStill(Row read, boolean owned, boolean guarded) {
			return this.version == read.version && (!guarded || (this.id.equals(read.id) && this.fence == read.fence
					&& (!owned || Objects.equals(this.by, read.by))));
		}

	}

}
