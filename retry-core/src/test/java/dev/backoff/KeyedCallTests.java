package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls with breaker and pace of their key. The context is the key, "" for none. */
class KeyedCallTests extends CallFixture {

	private final BreakerSettings settings = BreakerSettings.builder()
		.minimumCalls(5)
		.openFor(Duration.ofMinutes(1))
		.build();

	private final CircuitBreaker breaker = CircuitBreaker.builder("partner")
		.settings(this.settings)
		.time(time())
		.build();

	private final List<String> shared = new ArrayList<>();

	private final Retry retry = keyed().build();

	private RetryBuilder keyed() {
		return builder(policy().maxAttempts(1)).breaker(this.breaker)
			.per((context) -> "".equals(context) ? null : context, () -> this.shared.add("full"));
	}

	private String good(Object key) {
		return this.retry.<Object, String, RuntimeException>callOn(key, (context, number) -> "fine", null);
	}

	private ThrowingCallable bad(Object key) {
		return () -> this.retry.<Object, String, IOException>callOn(key, (context, number) -> {
			throw failure();
		}, null);
	}

	private String fail(String key, int number) throws IOException {
		throw failure();
	}

	private void failTimes(Object key, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(catchThrowable(bad(key))).isNotNull();
		}
	}

	private CircuitBreaker ofKey(Object key) {
		return CircuitBreakers.of(List.of(this.breaker)).get("partner", key);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void fortyFailingCallsOfOneTenant_rejectNoneOfTheOthersUnlessTheyShare(boolean keyed) {
		for (int i = 0; i < 40; i++) {
			failTimes(keyed ? "failing" : "", 1);
			if (i % 4 == 3 && keyed) {
				assertThat(good("other " + i)).isEqualTo("fine");
			}
		}
		assertThat(ofKey("failing").state()).isEqualTo(keyed ? BreakerState.OPEN : BreakerState.CLOSED);
		assertThat(this.breaker.state()).isEqualTo(keyed ? BreakerState.CLOSED : BreakerState.OPEN);
		assertThatThrownBy(() -> good(keyed ? "failing" : "")).isInstanceOf(CircuitOpenException.class);
		assertThat(this.breaker.rejected()).as("of all keys").isEqualTo(36);
	}

	@Test
	void aMillionKeys_openBreakersAreStillOpen() {
		for (int key = 0; key < 100; key++) {
			failTimes("open " + key, 5);
		}
		for (int key = 0; key < 1_000_000; key++) {
			assertThat(this.breaker.ofKey(key).call(() -> "fine")).isEqualTo("fine");
			if (key % 10 == 0) {
				good(key);
			}
		}
		assertThat(keys().size()).isBetween(100, KeyTable.MOST);
		for (int key = 0; key < 100; key++) {
			assertThat(ofKey("open " + key).state()).isEqualTo(BreakerState.OPEN);
		}
		assertThat(this.shared).isEmpty();
	}

	@Test
	void twoThousandKeysInTurn_noneThatCountsFailuresIsReset() {
		for (int round = 1; round <= 5; round++) {
			for (int key = 0; key < 2_000; key++) {
				failTimes(key, 1);
			}
			if (round < 5) {
				assertThat(ofKey(999).counts().failed()).isEqualTo(round);
			}
		}
		assertThat(keys().values().values()).hasSize(KeyTable.MOST)
			.allMatch((ofKey) -> ofKey.state() == BreakerState.OPEN);
		assertThat(this.breaker.state()).as("shared by those without room").isEqualTo(BreakerState.OPEN);
		assertThat(this.shared).hasSize(5_000);
		assertThat(keys().overflowed()).isEqualTo(5_000);
	}

	@ParameterizedTest
	@ValueSource(strings = { "blocking", "asynchronous", "stored" })
	void eachDriver_usesTheStateOfTheKey(String driver) {
		ofKey("tenant").forceOpen();
		assertThat(List.of("tenant", "another", "")).filteredOn((key) -> isPermitted(driver, key))
			.containsExactly("another", "");
	}

	private boolean isPermitted(String driver, String key) {
		ResumedCall stored = new ResumedCall("id", 1, 0, Duration.ZERO, null, Duration.ZERO, false, 0, null, null);
		return switch (driver) {
			case "blocking" -> catchThrowable(() -> good(key)) == null;
			case "asynchronous" -> !this.retry
				.<String, String>callAsyncOn(key, (context, number) -> CompletableFuture.completedFuture("fine"), null)
				.isCompletedExceptionally();
			// a refusal puts its attempt off
			default -> !(this.retry.<String, String, RuntimeException>attemptOn(stored, key,
					(context, number) -> "fine", null) instanceof ResumedCall.Again);
		};
	}

	@Test
	void keysOfOnePolicy_shareTheBudget() {
		RetryBudget budget = RetryBudget.of("orders", new BudgetSettings(3, 0, 0), time(), RetryBudget.Listener.NONE);
		Retry retry = builder(policy()).budget(budget).breaker(this.breaker).per((context) -> context, () -> {
		}).build();
		assertThat(catchThrowable(() -> retry.callOn("one", this::fail, null))).isNotNull();
		assertThat(budget.balance()).isZero();
		assertThat(catchThrowable(() -> retry.callOn("two", this::fail, null))).isNotNull();
		assertThat(ofKey("two").counts().failed()).isEqualTo(1);
	}

	@Test
	void keyFunctionThatThrows_sharesAndIsPublished() {
		Retry broken = keyed().per((context) -> {
			throw new IllegalStateException("no key");
		}, () -> {
		}).build();
		assertThat(broken.call(() -> "fine")).isEqualTo("fine");
		assertThat(listener().events()).singleElement().asString().contains("key").contains("no key");
		assertThat(keys().size()).isZero();
	}

	@Test
	void changeAndStateSetByHand_reachAllKeysInPlace() {
		CircuitBreaker ofKey = ofKey("tenant");
		failTimes("tenant", 3);
		this.breaker.change(BreakerSettings.builder().minimumCalls(4).openFor(Duration.ofMinutes(1)).build());
		failTimes("tenant", 1);
		assertThat(ofKey.state()).isEqualTo(BreakerState.OPEN);
		List<Consumer<CircuitBreaker>> moves = List.of(CircuitBreaker::reset, CircuitBreaker::open,
				CircuitBreaker::disable, (breaker) -> breaker.openFor(Duration.ofHours(1)), CircuitBreaker::forceOpen);
		for (Consumer<CircuitBreaker> move : moves) {
			move.accept(this.breaker);
			assertThat(ofKey.state()).isEqualTo(this.breaker.state());
		}
		assertThat(ofKey("added later").state()).isEqualTo(BreakerState.FORCED_OPEN);
		assertThat(ofKey("tenant")).isSameAs(ofKey);
	}

	@Test
	void keyAddedWhileDisabled_countsOnItsOwnAfterwards() {
		this.breaker.disableFor(Duration.ofMinutes(1));
		assertThat(ofKey("tenant").state()).isEqualTo(BreakerState.DISABLED);
		time().advance(Duration.ofMinutes(1));
		failTimes("tenant", 5);
		assertThat(ofKey("tenant").state()).isEqualTo(BreakerState.OPEN);
		assertThat(this.breaker.state()).isEqualTo(BreakerState.DISABLED);
	}

	@Test
	void key_isInNoTextThatIsTold() {
		failTimes("secret", 5);
		Throwable rejected = catchThrowable(() -> good("secret"));
		failTimes("secret", 1);
		RetriesStoppedException report = (RetriesStoppedException) rejected.getSuppressed()[0];
		assertThat(List.of(rejected, report, this.retry, ofKey("secret"), ofKey("secret").rejection(time().nanoTime()),
				keys(), Objects.requireNonNull(keys().get("secret")), listener().events(), recorder().lines()))
			.noneMatch((told) -> String.valueOf(told).contains("secret"));
		assertThat(rejected).hasMessageContaining("partner");
	}

	private KeyTable<CircuitBreaker> keys() {
		return Objects.requireNonNull(this.breaker.keys());
	}

	@Nested
	class OfAPace {

		private final Pace pace = new Pace("ai", Duration.ofMinutes(1), 3, time(), (pace, hold) -> {
		});

		private final Retry paced = builder(policy()).pace(this.pace)
			.per((context) -> (context instanceof Operation) ? null : context, () -> {
			})
			.build();

		private KeyTable<Pace> paces() {
			return Objects.requireNonNull(this.pace.keys());
		}

		private Pace ofKey(Object key) {
			return Objects.requireNonNull(paces().get(key));
		}

		private void hold(Object key, int seconds) {
			long now = time().nanoTime();
			ofKey(key).throttled(now, Duration.ofSeconds(seconds).toNanos(), now);
		}

		private CompletableFuture<String> start(Object key) {
			return this.paced.callAsyncOn(key, (context, number) -> CompletableFuture.completedFuture("fine"), null);
		}

		@Test
		void held_holdsOneKey() {
			hold("tenant", 20);
			CompletableFuture<String> held = start("tenant");
			assertThat(held).isNotDone();
			assertThat(start("another")).isCompletedWithValue("fine");
			assertThat(this.paced.call(() -> "fine")).isEqualTo("fine");
			time().runAll();
			assertThat(held).isCompletedWithValue("fine");
		}

		@Test
		void heldOrWaitedFor_staysWhileOthersComeAndGo() {
			hold("held", 60);
			hold("waited for", 20);
			CompletableFuture<String> waiting = start("waited for");
			ofKey("waited for").change(Duration.ofNanos(1), 3);
			time().advance(Duration.ofSeconds(1));
			for (int key = 0; key < 5_000; key++) {
				assertThat(start(key)).isCompletedWithValue("fine");
			}
			assertThat(paces().values()).containsKeys("held", "waited for");
			assertThat(ofKey("held").nanosHeld(time().nanoTime())).isPositive();
			time().runAll();
			assertThat(waiting).isCompletedWithValue("fine");
			time().advance(Duration.ofMinutes(1));
			for (int key = 0; key < 5_000; key++) {
				assertThat(start(key)).isCompletedWithValue("fine");
			}
			assertThat(paces().values()).doesNotContainKeys("held", "waited for");
		}

		@Test
		void changeAndRelease_reachAllKeys() {
			hold("tenant", 20);
			this.pace.change(Duration.ofSeconds(5), 3);
			assertThat(ofKey("tenant").nanosHeld(time().nanoTime())).isEqualTo(Duration.ofSeconds(5).toNanos());
			hold("added later", 20);
			assertThat(ofKey("added later").nanosHeld(time().nanoTime())).isEqualTo(Duration.ofSeconds(5).toNanos());
			this.pace.release();
			assertThat(ofKey("tenant").nanosHeld(time().nanoTime())).isZero();
			assertThat(ofKey("tenant").name()).isEqualTo("ai");
		}

	}

}
