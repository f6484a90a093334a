package dev.backoff.test;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.assertj.core.api.AssertProvider;

import dev.backoff.event.CallObserver;
import dev.backoff.time.RetryTime;

/**
 * The calls of a test, retried or not. <pre>
 * assertThat(calls.of("payment-callback")).attempts(3).waited("500ms", "1s").succeeded();
 * </pre> It is a bean of Spring tests. Elsewhere it observes a retry, and so tells
 * {@link VirtualTime} when that may move: <pre>
 * BackoffCalls calls = new BackoffCalls(time);
 * Retry retry = Retry.builder(policy).time(time).observer(calls).build();
 * </pre> Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffCalls implements CallObserver {

	private final CallsAtWork calls;

	private final Supplier<? extends Collection<String>> known;

	private final Queue<Recording> recordings = new ConcurrentLinkedQueue<>();

	/** Record the calls of retries that have the given time. */
	public BackoffCalls(RetryTime time) {
		this(Objects.requireNonNull(time, "time"), List::of);
	}

	/** Record calls, and refuse names that are neither known nor recorded. */
	BackoffCalls(RetryTime time, Supplier<? extends Collection<String>> known) {
		// with another time, for a clock that nothing reads
		this.calls = (time instanceof VirtualTime virtual) ? virtual.calls : new CallsAtWork(new VirtualTime(), time);
		this.known = known;
	}

	@Override
	public ObservedCall callBegins(String policy, String method) {
		Recording recording = this.calls.callBegins(policy, method);
		this.recordings.add(recording);
		return recording;
	}

	/* No call around it waits for it. A call that is stored anew begins anew. */
	@Override
	public synchronized ObservedCall callKept(String policy, String method, String key, int attempt) {
		return this.recordings.stream()
			.filter((known) -> key.equals(known.key) && (known.ended == null || attempt == 0))
			.findAny()
			.orElseGet(() -> {
				Recording begun = this.calls.begin(policy, method, key);
				this.recordings.add(begun);
				return begun;
			});
	}

	/** Pass on the policy and the key of each call under way that is kept elsewhere. */
	void forEachKept(BiConsumer<String, String> action) {
		for (Recording call : this.recordings) {
			if (call.key != null && call.ended == null) {
				action.accept(call.policy, call.key);
				call.forgotten();
			}
		}
	}

	/**
	 * Return the calls of a name, in the order in which they began, for AssertJ's
	 * {@code assertThat}. Those under way are included.
	 * @param name a policy or a method ({@code OrderService.place}), in any spelling
	 * @return the calls that are recorded when {@code assertThat} gets this
	 * @throws UnrecordedCallError in a Spring test, if nothing has that name
	 */
	public AssertProvider<CallsAssert> of(String name) {
		Collection<String> known = this.known.get();
		if (!known.isEmpty() && Names.find(known, name).isEmpty() && calls(name).isEmpty()) {
			throw new UnrecordedCallError(
					"Invalid name (" + name + "): must be that of a policy or of a method with @Backoff.", name, known);
		}
		return () -> new CallsAssert(name, calls(name),
				(problem) -> new UnrecordedCallError(problem, name, names(all())));
	}

	private List<RecordedCall> calls(String name) {
		List<RecordedCall> all = all();
		Set<String> names = new TreeSet<>(this.known.get());
		names.addAll(names(all));
		List<String> named = Names.find(names, name);
		return all.stream().filter((call) -> named.contains(call.policy()) || named.contains(call.method())).toList();
	}

	private static List<String> names(List<RecordedCall> calls) {
		return calls.stream().flatMap((call) -> Stream.of(call.policy(), call.method())).distinct().toList();
	}

	/** Return all calls, in the order in which they began. */
	public List<RecordedCall> all() {
		return this.recordings.stream().map(Recording::call).toList();
	}

	/** Forget all calls, also those under way. */
	public void clear() {
		this.recordings.clear();
	}

}
