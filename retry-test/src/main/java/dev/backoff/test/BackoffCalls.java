package dev.backoff.test;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.time.RetryTime;

/**
 * The calls of a test, retried or not. <pre>
 * assertThat(calls.of("payment-callback")).attempts(3).waited("500ms", "1s").succeeded();
 * </pre> In Spring tests it is a bean. Elsewhere it observes a retry, so that
 * {@link VirtualTime} knows when the clock may move: <pre>
 * BackoffCalls calls = new BackoffCalls(time);
 * Retry retry = Retry.builder(policy).time(time).observer(calls).build();
 * </pre> Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffCalls implements CallObserver {

	private final Agenda agenda;

	private final RetryTime time;

	private final Supplier<? extends Collection<String>> known;

	private final Queue<Recording> recordings = new ConcurrentLinkedQueue<>();

	/** Record the calls of retries that use the given time. */
	public BackoffCalls(RetryTime time) {
		this(Objects.requireNonNull(time, "time"), List::of);
	}

	/** Record calls, and refuse names that are neither known nor recorded. */
	BackoffCalls(RetryTime time, Supplier<? extends Collection<String>> known) {
		// with another time, for a clock that nothing reads
		this.agenda = ((time instanceof VirtualTime virtual) ? virtual : new VirtualTime()).agenda;
		this.time = time;
		this.known = known;
	}

	@Override
	public ObservedCall callBegins(String policy, String method) {
		return begin(policy, method, null);
	}

	/* No call around it waits for it. A call that is stored anew begins anew. */
	@Override
	public synchronized ObservedCall callStored(String policy, String method, String key, int attempt) {
		return this.recordings.stream()
			.filter((known) -> key.equals(known.key) && (known.ended == null || attempt == 0))
			.findAny()
			.orElseGet(() -> begin(policy, method, key));
	}

	private Recording begin(String policy, String method, @Nullable String key) {
		// reads the time, which must not go on before it is known
		Recording begun = this.agenda.clock.get(() -> {
			Recording recording = new Recording(policy, method, key, this.agenda, this.time);
			this.agenda.calls.add(recording);
			return recording;
		});
		this.recordings.add(begun);
		return begun;
	}

	/** Pass on the policy and the key of each stored call under way. */
	void forEachStored(BiConsumer<String, String> action) {
		for (Recording call : this.recordings) {
			if (call.key != null && call.ended == null) {
				action.accept(call.policy, call.key);
				call.forgotten();
			}
		}
	}

	/**
	 * Return the calls of a name, in the order in which they began, for AssertJ's
	 * {@code assertThat}. Calls under way are included.
	 * @param name a policy or a method ({@code OrderService.place})
	 * @return the calls, as they are recorded when {@code assertThat} is called
	 * @throws IllegalArgumentException in a Spring test, if nothing has that name
	 */
	public AssertProvider<CallAssert> of(String name) {
		Collection<String> known = this.known.get();
		if (!known.isEmpty() && !known.contains(name) && calls(name).isEmpty()) {
			throw new IllegalArgumentException("Invalid name (" + name
					+ "): must be that of a policy or of a method with @Backoff: " + String.join(", ", known) + ".");
		}
		return () -> new CallAssert(name, calls(name));
	}

	private List<RecordedCall> calls(String name) {
		return all().stream().filter((call) -> name.equals(call.policy()) || name.equals(call.method())).toList();
	}

	/** Return all calls, in the order in which they began. */
	public List<RecordedCall> all() {
		return this.recordings.stream().map(Recording::call).toList();
	}

	/** Forget all calls, even those under way. */
	public void clear() {
		this.recordings.clear();
	}

}
