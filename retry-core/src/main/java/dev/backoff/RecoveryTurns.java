package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.throttle.Throttle;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.WakeSignal;

/**
 * Let a limited number of a policy's recoveries run at once. The others wait for their
 * turn, first come, first served; none is dropped. A recovery inside another one of the
 * policy, on the same thread, needs no turn of its own. Thread-safe.
 */
record RecoveryTurns(Throttle throttle) {

	/** Run a recovery on this thread when its turn has come. */
	<R extends @Nullable Object, X extends Throwable> R run(Operation<R, X> recovery) throws X {
		Throttle.Place turn = enter();
		if (turn == null) {
			return recovery.run();
		}
		try {
			await(turn);
			return within(recovery);
		}
		finally {
			turn.leave();
		}
	}

	/** Return a turn, or a place in the queue for it; null where none is needed. */
	Throttle.@Nullable Place enter() {
		Running running = CallStack.ofThread().recovering;
		while (running != null && running.throttle() != this.throttle) {
			running = running.outer();
		}
		return (running != null) ? null : this.throttle.enter();
	}

	/* An interruption ends no recovery before it has begun. The thread keeps its flag. */
	private static void await(Throttle.Place turn) {
		WakeSignal signal = new WakeSignal();
		turn.whenGranted(signal::raise);
		boolean interrupted = false;
		while (!turn.isGranted()) {
			try {
				RetryTime.system().sleep(Nanos.UNLIMITED, signal);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Run a recovery, or what starts it, that has its turn. */
	<R extends @Nullable Object, X extends Throwable> R within(Operation<R, X> recovery) throws X {
		CallStack stack = CallStack.ofThread();
		Running outer = stack.recovering;
		stack.recovering = new Running(this.throttle, outer);
		try {
			return recovery.run();
		}
		finally {
			stack.recovering = outer;
		}
	}

	/** A recovery that runs on a thread, with those around it. */
	record Running(Throttle throttle, @Nullable Running outer) {
	}

}
