package dev.backoff.durable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.durable.RowStep.Row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * All that two processes can do with two calls of one key, statement by statement, in
 * each order. Whatever takes long, such as a stop by a signal, a late heartbeat or a
 * pause, is a step that comes late. So a process may be taken for dead at any time.
 */
@Tag("long")
@Tag("ci")
class DurableModelTests {

	/* Crashes, false losses, put back, repeated statements, requeues and ends, in all. */
	private static final int FAULTS = Integer.getInteger("model.faults", 3);

	private static final int MOST_ATTEMPTS = 2;

	private static final int MAX_LOSSES = 1;

	@Test
	void noCallIsLostAndEachCallEnds() {
		Model model = new Model(EnumSet.noneOf(Weakness.class), FAULTS);
		model.explore();
		assertThat(model.stuck()).isEmpty();
		assertThat(model.steps).isEqualTo(EnumSet.complementOf(EnumSet.of(RowStep.HEARTBEAT)));
		System.out.printf("%d states of durable calls: none lost, none stuck%n", model.inOrder.size());
	}

	@ParameterizedTest
	@EnumSource
	void withoutAPartOfTheDesignItFails(Weakness weakness) {
		assertThatThrownBy(new Model(EnumSet.of(weakness), FAULTS)::explore).isInstanceOf(Violation.class);
	}

	/** A part of the design that is left out. */
	enum Weakness {

		RESULT_WITHOUT_GUARD, LOSS_WITHOUT_GUARD, END_WITHOUT_GUARD, GUARD_WITHOUT_ID, GUARD_WITHOUT_FENCE,
		LETTER_WITHOUT_FENCE, REFUSAL_WITHOUT_GUARD

	}

	/** What a process has done with a row: its next statement ends that. */
	enum Phase {

		SEEN, PICKED, HELD, REFUSED, STORED

	}

	enum Outcome {

		DONE, AGAIN, DEAD, PUT_BACK

	}

	/** What a process is about to do with a row that it has read. */
	record Work(Phase phase, Row row, @Nullable Outcome outcome) {
	}

	/**
	 * All rows and processes.
	 *
	 * @param due a bit for each dead letter that is requeued
	 * @param works what each process does
	 * @param losing a row that is taken for lost
	 * @param ending a row whose call is about to be ended
	 * @param ended a bit for each call that has ended
	 * @param numbers the number of the last attempt of each call
	 * @param faults how many may still come
	 */
	record State(@Nullable Row live, List<@Nullable Row> letters, int due, List<@Nullable Work> works,
			@Nullable Row losing, @Nullable Row ending, int submitted, int ended, List<Long> numbers, int faults) {

		/** Return the row that has the name and key of one. */
		@Nullable Row stored(Row read) {
			return read.dead() ? this.letters.get(number(read)) : this.live;
		}

		List<Row> rows() {
			List<Row> rows = new ArrayList<>(this.letters);
			rows.add(this.live);
			rows.removeIf(Objects::isNull);
			return rows;
		}

		State with(@Nullable Row next, List<@Nullable Row> lettersNext, int dueNext) {
			return new State(next, lettersNext, dueNext, this.works, this.losing, this.ending, this.submitted,
					this.ended, this.numbers, this.faults);
		}

		State work(int node, @Nullable Work work) {
			return new State(this.live, this.letters, this.due, set(this.works, node, work), this.losing, this.ending,
					this.submitted, this.ended, this.numbers, this.faults);
		}

		State operators(@Nullable Row losingNext, @Nullable Row endingNext) {
			return new State(this.live, this.letters, this.due, this.works, losingNext, endingNext, this.submitted,
					this.ended, this.numbers, this.faults);
		}

		State calls(int submittedNext, int endedNext) {
			return new State(this.live, this.letters, this.due, this.works, this.losing, this.ending, submittedNext,
					endedNext, this.numbers, this.faults);
		}

		State began(int call, long number) {
			return new State(this.live, this.letters, this.due, this.works, this.losing, this.ending, this.submitted,
					this.ended, set(this.numbers, call, number), this.faults);
		}

		State fault() {
			return new State(this.live, this.letters, this.due, this.works, this.losing, this.ending, this.submitted,
					this.ended, this.numbers, this.faults - 1);
		}

	}

	private static int number(Row row) {
		return Integer.parseInt(row.id());
	}

	private static <T> List<T> set(List<T> list, int index, T value) {
		List<T> changed = new ArrayList<>(list);
		changed.set(index, value);
		return changed;
	}

	/** Something that must not happen. */
	static final class Violation extends RuntimeException {

		private static final long serialVersionUID = 1;

		Violation(String message) {
			super(message);
		}

	}

	static final class Model {

		private static final List<String> PROCESSES = List.of("a", "b");

		/* A process that has crashed; the one that takes its place has another name. */
		private static final String CRASHED = "x";

		final List<State> inOrder = new ArrayList<>();

		final Set<RowStep> steps = EnumSet.noneOf(RowStep.class);

		private final Map<State, Integer> states = new HashMap<>();

		private final Set<Weakness> weak;

		private final int faults;

		private int[] edges = new int[1 << 20];

		private int edgeCount;

		private int from;

		Model(Set<Weakness> weak, int faults) {
			this.weak = weak;
			this.faults = faults;
		}

		void explore() {
			reach(new State(null, Arrays.asList(null, null), 0, Arrays.asList(null, null), null, null, 0, 0,
					List.of(0L, 0L), this.faults));
			for (this.from = 0; this.from < this.inOrder.size(); this.from++) {
				State state = this.inOrder.get(this.from);
				if (state.live() == null && state.submitted() < 2) {
					Row row = Row.submitted(String.valueOf(state.submitted()));
					this.steps.add(Objects.requireNonNull(RowStep.of(null, row)));
					reach(state.with(row, state.letters(), state.due()).calls(state.submitted() + 1, state.ended()));
				}
				work(state, 0);
				work(state, 1);
				lose(state);
				requeue(state);
				end(state);
			}
		}

		private void work(State state, int node) {
			Work work = state.works().get(node);
			String process = PROCESSES.get(node);
			if (work == null) {
				for (Row row : state.rows()) {
					if (row.by() == null && (!row.dead() || (state.due() & 1 << number(row)) != 0)) {
						reach(state.work(node, new Work(Phase.SEEN, row, null)));
					}
				}
				return;
			}
			if (state.faults() > 0) {
				reach(crash(state, process).work(node, null).fault());
			}
			Row stored = state.stored(work.row());
			switch (work.phase()) {
				case SEEN -> {
					// the engine's statement, by name, key and version
					boolean free = stored != null && stored.by() == null && stored.version() == work.row().version();
					reach(free ? change(state, stored, stored.picked(process)).work(node,
							new Work(Phase.PICKED, work.row(), null)) : state.work(node, null));
				}
				case PICKED -> {
					boolean ours = stored != null && process.equals(stored.by());
					State read = state.work(node, ours ? new Work(Phase.HELD, stored, null) : null);
					reach(ours && !stored.dead() ? begun(read, stored) : read);
				}
				case HELD -> {
					if (work.row().dead() && state.live() != null) {
						// the key is taken, and its transaction is rolled back
						reach(state.work(node, new Work(Phase.REFUSED, work.row(), null)));
						return;
					}
					for (Outcome outcome : Outcome.values()) {
						if (isPossible(state, work.row(), outcome)) {
							State charged = (outcome == Outcome.PUT_BACK) ? state.fault() : state;
							State next = stored(charged, work.row(), outcome);
							reach(next.work(node, null));
							if (next.faults() > 0) {
								// its answer did not arrive
								reach(next.work(node, new Work(Phase.STORED, work.row(), outcome)).fault());
							}
						}
					}
				}
				case REFUSED -> {
					boolean still = stored != null && isStill(stored, work.row(), true, Weakness.REFUSAL_WITHOUT_GUARD);
					reach((still ? change(state, stored, work.row().free(0, work.row().losses())) : state).work(node,
							null));
				}
				case STORED -> reach(stored(state, work.row(), work.outcome()).work(node, null));
			}
		}

		private static State crash(State state, String process) {
			List<@Nullable Row> letters = new ArrayList<>();
			state.letters().forEach((letter) -> letters.add(crashed(letter, process)));
			return state.with(crashed(state.live(), process), letters, state.due());
		}

		private static @Nullable Row crashed(@Nullable Row row, String process) {
			return (row == null || !process.equals(row.by())) ? row
					: new Row(row.dead(), row.id(), row.version(), row.fence(), CRASHED, row.attempts(), row.losses());
		}

		/*
		 * Each attempt of a call has a number of its own, which is greater than those
		 * before.
		 */
		private static State begun(State state, Row row) {
			long number = row.fence() + row.version();
			check(number > state.numbers().get(number(row)), "an attempt with a number that another had", state);
			return state.began(number(row), number);
		}

		private static boolean isPossible(State state, Row row, Outcome outcome) {
			if (row.dead()) {
				return outcome == Outcome.AGAIN;
			}
			return switch (outcome) {
				case DONE -> row.losses() <= MAX_LOSSES;
				case AGAIN -> row.losses() <= MAX_LOSSES && row.attempts() + 1 < MOST_ATTEMPTS;
				case DEAD -> row.losses() > MAX_LOSSES || row.attempts() + 1 >= MOST_ATTEMPTS;
				case PUT_BACK -> state.faults() > 0;
			};
		}

		/* What a statement writes comes from the row that was read. */
		private State stored(State state, Row read, Outcome outcome) {
			Row stored = state.stored(read);
			if (stored == null || !isStill(stored, read, true, Weakness.RESULT_WITHOUT_GUARD)) {
				return state;
			}
			if (read.dead()) {
				return (state.live() == null) ? change(state, stored, replaced(read, false)) : state;
			}
			check(read.fence() + read.version() == state.numbers().get(number(read)),
					"a result of a process that has lost the call", state);
			return switch (outcome) {
				case DONE -> ended(change(state, stored, null), read);
				case AGAIN -> change(state, stored, read.free(read.attempts() + 1, read.losses()));
				case PUT_BACK -> change(state, stored, read.free(read.attempts(), read.losses()));
				case DEAD -> change(state, stored, replaced(read, true));
			};
		}

		private static State ended(State state, Row row) {
			return state.calls(state.submitted(), state.ended() | 1 << number(row));
		}

		private Row replaced(Row row, boolean dead) {
			Row next = row.replaced(dead, 0, dead ? row.losses() : 0);
			return !this.weak.contains(Weakness.LETTER_WITHOUT_FENCE) ? next
					: new Row(dead, next.id(), 1, row.fence(), null, next.attempts(), next.losses());
		}

		/* The engine alone compares the version, the guard also what it is given here. */
		private boolean isStill(Row stored, Row read, boolean owned, Weakness unguarded) {
			boolean same = this.weak.contains(unguarded) || ((!owned || Objects.equals(stored.by(), read.by()))
					&& (this.weak.contains(Weakness.GUARD_WITHOUT_ID) || stored.id().equals(read.id()))
					&& (this.weak.contains(Weakness.GUARD_WITHOUT_FENCE) || stored.fence() == read.fence()));
			return same && stored.version() == read.version();
		}

		private void lose(State state) {
			Row read = state.losing();
			if (read != null) {
				Row stored = state.stored(read);
				// that of a letter writes nothing that was read
				boolean still = stored != null
						&& (read.dead() ? stored.version() == read.version() && stored.by() != null
								: isStill(stored, read, false, Weakness.LOSS_WITHOUT_GUARD));
				State next = !still ? state
						: change(state, stored, read.dead() ? stored.free(stored.attempts(), stored.losses())
								: read.free(read.attempts(), read.losses() + 1));
				// it is due now, as it was
				reach(next.with(next.live(), next.letters(), state.due()).operators(null, state.ending()));
				return;
			}
			for (Row row : state.rows()) {
				boolean crashed = CRASHED.equals(row.by());
				if (row.by() != null && (crashed || state.faults() > 0)) {
					State losing = state.operators(row, state.ending());
					reach(crashed ? losing : losing.fault());
				}
			}
		}

		private void requeue(State state) {
			for (Row letter : state.letters()) {
				if (letter != null && letter.by() == null && state.faults() > 0) {
					State next = change(state, letter, letter.free(letter.attempts(), letter.losses()));
					reach(next.with(next.live(), next.letters(), next.due() | 1 << number(letter)).fault());
				}
			}
		}

		/*
		 * Within the caller's transaction, by key, or after it, by what was read before.
		 */
		private void end(State state) {
			Row read = state.ending();
			Row live = state.live();
			if (read != null) {
				boolean still = live != null && isStill(live, read, false, Weakness.END_WITHOUT_GUARD);
				State next = still ? ended(change(state, live, null), read) : state;
				reach(next.operators(state.losing(), null));
			}
			else if (live != null && state.faults() > 0) {
				reach(ended(change(state, live, null), live).fault());
				reach(state.operators(state.losing(), live).fault());
			}
		}

		private State change(State state, Row before, @Nullable Row after) {
			RowStep step = RowStep.of(before, after);
			check(step != null, "no row may go from " + before + " to " + after, state);
			this.steps.add(step);
			Row live = state.live();
			List<@Nullable Row> letters = state.letters();
			int due = state.due();
			if (before.dead()) {
				letters = set(letters, number(before), null);
				due = (after != null && after.by() != null) ? due : due & ~(1 << number(before));
			}
			else {
				live = null;
			}
			if (after != null && after.dead()) {
				letters = set(letters, number(after), after);
			}
			else if (after != null) {
				live = after;
			}
			return state.with(live, letters, due);
		}

		private void reach(State state) {
			for (int call = 0; call < state.submitted(); call++) {
				boolean live = state.live() != null && number(state.live()) == call;
				boolean dead = state.letters().get(call) != null;
				boolean ended = (state.ended() & 1 << call) != 0;
				check(live || dead || ended, "a call is lost", state);
				check((!live || !dead) && (!ended || (!live && !dead)), "a call has a row too much", state);
			}
			Integer known = this.states.putIfAbsent(state, this.inOrder.size());
			if (known == null) {
				known = this.inOrder.size();
				this.inOrder.add(state);
			}
			if (this.edgeCount + 2 > this.edges.length) {
				this.edges = Arrays.copyOf(this.edges, this.edges.length * 2);
			}
			this.edges[this.edgeCount++] = this.from;
			this.edges[this.edgeCount++] = known;
		}

		private static void check(boolean holds, String problem, State state) {
			if (!holds) {
				throw new Violation(problem + ": " + state);
			}
		}

		/** Return a state, if there is one, after which some call can never end. */
		List<State> stuck() {
			BitSet ending = new BitSet(this.inOrder.size());
			for (int state = 0; state < this.inOrder.size(); state++) {
				ending.set(state, this.inOrder.get(state).live() == null);
			}
			for (int before = -1; before != ending.cardinality();) {
				before = ending.cardinality();
				for (int edge = this.edgeCount - 2; edge >= 0; edge -= 2) {
					if (ending.get(this.edges[edge + 1])) {
						ending.set(this.edges[edge]);
					}
				}
			}
			int stuck = ending.nextClearBit(0);
			return (stuck < this.inOrder.size()) ? List.of(this.inOrder.get(stuck)) : List.of();
		}

	}

}
