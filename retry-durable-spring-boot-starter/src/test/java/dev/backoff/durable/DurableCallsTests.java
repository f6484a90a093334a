package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.pace.Pace;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.safety.OverloadSafety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What durable calls do that does not depend on their database. */
class DurableCallsTests extends ShopFixture {

	@Test
	void aRefreshChangesNumbersAndNeitherDurableNorASchedule() {
		Map<String, Object> centre = new ConcurrentHashMap<>();
		runner()
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("centre", centre)))
			.run((context) -> {
				RunningShop shop = new RunningShop(context);
				centre.putAll(Map.of("backoff.policies.mails.durable", "false", "backoff.policies.mails.max-attempts",
						"1", "backoff.policies.report.schedule", "every 0s"));
				assertThat(context.getBean(LiveConfiguration.class).refresh("a test")).isTrue();
				shop.when("o1", (attempt) -> fail(true));
				shop.mails("o1");
				shop.awaitEnd("mails", "o1");
				assertThat(shop.lines()).containsExactly("o1 1");
				assertThat(shop.stopOfDeadLetter()).contains("ATTEMPTS_EXHAUSTED");
				assertThat(shop.calls().find("report", OneRowSchedule.INSTANCE)).isPresent();
			});
	}

	@Test
	void pollingEndsWithARecoveryAndNoDeadLetter() {
		run((shop) -> {
			shop.when("t1{a=[1, 2]}", (attempt) -> "PENDING");
			shop.poll("t1");
			shop.awaitEnd("polling", "t1");
			assertThat(shop.lines()).containsExactly("t1{a=[1, 2]} 1", "t1{a=[1, 2]} 2", "t1{a=[1, 2]} 3",
					"t1{a=[1, 2]} 4", "timed out t1{a=[1, 2]} ATTEMPTS_EXHAUSTED");
			assertThat(shop.rows()).isZero();
		});
	}

	@Test
	void aCallThatLosesItsProcessTooOftenStops() {
		store("o1");
		run((shop) -> {
			for (int loss = 1; loss <= 2; loss++) {
				shop.abandon("another", Instant.now().minusSeconds(60));
				int losses = loss;
				Awaitility.await()
					.until(() -> shop.calls().find("mails", "o1").map(DurableState::losses).orElse(0) == losses);
			}
		}, "backoff.retries-enabled=false", SHORT_HEARTBEAT);
		run((shop) -> {
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).isEmpty();
			assertThat(shop.stopOfDeadLetter()).contains("Stopped after 1 of 3 attempts",
					"LOST, attempts that ended with their process: 2");
		}, "backoff.durable.max-losses=1");
	}

	@Test
	void aRowThatCannotBeReadIsLookedAtOncePerPollIntervalThoughItsDelayIsNone() {
		store("o1");
		run((shop) -> {
			shop.corrupt("no json");
			Instant before = Instant.now();
			shop.failures("mails", "o1");
			assertThat(shop.calls().find("mails", "o1"))
				.hasValueSatisfying((state) -> assertThat(state.due()).isAfter(before.plusSeconds(3_599)));
		}, NO_WORK, "backoff.durable.poll-interval=1h", "backoff.policies.mails.ladder=0s");
	}

	@Test
	void callsOfAPolicyThatWasRenamedAreKeptAndReported() {
		store("o1");
		run((shop) -> shop.execute("update backoff_calls set task_name = 'old/dead' where task_name <> 'report'", 1),
				NO_WORK);
		run((shop) -> {
			assertThat(shop.parts().methods().orphans(shop.parts().store(), 2))
				.containsExactly(Map.entry("old/dead", 1));
			assertThat(shop.gauge("orphans")).isOne();
			shop.execute("update backoff_calls set task_name = 'mails' where task_name = 'old/dead'", 1);
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1");
		});
	}

	@Test
	void argumentsThatDoNotFitWaitWithTheirAttemptsForAProcessWhoseMethodTheyFit() {
		store("o1");
		run((shop) -> shop.corrupt("{\"format\":1,\"id\":\"i1\",\"method\":\"x\",\"arguments\":[\"o1\",7],"
				+ "\"submitted\":\"2026-01-01T00:00:00Z\",\"attempts\":2}"), NO_WORK);
		run((shop) -> {
			Awaitility.await().until(() -> shop.isPutBack("o1"));
			assertThat(shop.unreadable("mails")).isEqualTo(1);
			assertThat(shop.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.id()).isEqualTo("i1");
				assertThat(state.attempts()).isEqualTo(2);
				assertThat(state.losses()).isZero();
				assertThat(state.stop()).isNull();
			});
			assertThat(shop.lines()).isEmpty();
			shop.replace(("{\"format\":1,\"id\":\"i1\",\"method\":\"x\",\"arguments\":[\"o1\"],"
					+ "\"submitted\":\"2026-01-01T00:00:00Z\",\"attempts\":2}")
				.getBytes(StandardCharsets.UTF_8));
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 3");
		});
	}

	@Test
	void aCallThatDoesNotFitEndsByItsDeadline() {
		store("o1");
		run((shop) -> shop.corrupt("{\"format\":1,\"id\":\"i1\",\"key\":\"o1\",\"method\":\"x\","
				+ "\"arguments\":[],\"submitted\":\"2026-01-01T00:00:00Z\",\"deadline\":\"2026-01-01T00:01:00Z\"}"),
				NO_WORK);
		run((shop) -> {
			shop.awaitEnd("mails", "o1");
			assertThat(shop.calls().find("mails", "i1")).hasValueSatisfying(
					(state) -> assertThat(state.stop()).isEqualTo("its arguments do not fit Mails.send(String)"));
			assertThat(shop.stopOfDeadLetter()).contains("reason=DEADLINE");
		});
	}

	@Test
	void anOpenBreakerPausesTheWorker() {
		run((shop) -> {
			CircuitBreaker breaker = shop.breaker("mails");
			breaker.openFor(Duration.ofMillis(300));
			CompletableFuture<BreakerState> met = new CompletableFuture<>();
			shop.when("o1", (attempt) -> met.complete(breaker.state()));
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(met).isCompletedWithValue(BreakerState.HALF_OPEN);
			assertThat(shop.lines()).containsExactly("o1 1");
		});
	}

	@Test
	void aPaceHoldsTheWorkerAndLetsItsRowsGoOneByOne() {
		run((shop) -> {
			shop.mails("first");
			shop.awaitEnd("mails", "first");
			Pace pace = shop.context().getBean(OverloadSafety.class).paces().of("mails");
			List<Long> begun = Collections.synchronizedList(new ArrayList<>());
			List<String> orders = List.of("o1", "o2", "o3", "o4");
			orders.forEach((order) -> shop.when(order, (attempt) -> begun.add(System.nanoTime())));
			long now = System.nanoTime();
			pace.throttled(now, Duration.ofSeconds(9).toNanos(), now);
			begun.add(now);
			orders.forEach(shop::mails);
			orders.forEach((order) -> shop.awaitEnd("mails", order));
			assertThat(shop.lines()).containsExactlyInAnyOrder("first 1", "o1 1", "o2 1", "o3 1", "o4 1");
			// one that is late does not move the next
			assertThat(IntStream.range(1, begun.size()).mapToObj((i) -> (begun.get(i) - now) / i))
				.allMatch((gap) -> gap > Duration.ofMillis(280).toNanos());
			assertThat(pace.status().waiting()).isZero();
		}, "backoff.policies.mails.pace=post", "backoff.paces.post.max-hold=300ms");
	}

	@Test
	void aRowThatIsPickedBeforeItsTurnIsPutBackWithItsAttempts() {
		run((shop) -> {
			shop.pollLater("t1");
			Pace pace = shop.context().getBean(OverloadSafety.class).paces().of("polling");
			long now = System.nanoTime();
			pace.throttled(now, Duration.ofSeconds(9).toNanos(), now);
			assertThat(shop.failures("polling", "t1")).isZero();
			assertThat(shop.lines()).isEmpty();
			assertThat(shop.stored("polling", "t1").attempts()).isZero();
			assertThat(shop.parts().store().find("polling", "t1").orElseThrow().executionTime)
				.isBetween(Instant.now().plusSeconds(8), Instant.now().plusSeconds(18));
		}, "backoff.policies.polling.pace=post");
	}

	@Test
	void aFailureOrABadResultRaisesTheCountOfARowAndARowPutBackKeepsIt() {
		run((shop) -> {
			shop.pollLater("t1");
			shop.when("t1{a=[1, 2]}", (attempt) -> "PENDING");
			assertThat(shop.failures("polling", "t1")).isOne();
			shop.when("t1{a=[1, 2]}", (attempt) -> fail(true));
			assertThat(shop.failures("polling", "t1")).isEqualTo(2);
			shop.breaker("polling").open();
			assertThat(shop.failures("polling", "t1")).isEqualTo(2);
			assertThat(shop.lines()).hasSize(2);
		}, NO_WORK);
	}

	@Test
	void aRetryWithoutATokenOfItsBudgetIsPutBack() {
		run((shop) -> {
			for (int call = 1; call <= 5; call++) {
				shop.when("o" + call, (attempt) -> fail(true));
				shop.mails("o" + call);
			}
			Awaitility.await().until(() -> shop.lines().size() == 7);
			sleep(Duration.ofMillis(500));
			assertThat(shop.lines()).hasSize(7);
		}, "backoff.policies.mails.budget=mails", "backoff.budgets.mails.tokens=2",
				"backoff.budgets.mails.per-second=0", "backoff.policies.mails.when-empty=wait",
				"backoff.policies.mails.max-attempts=unlimited");
	}

	@Test
	void aSlotThatStopsLeavesADeadLetterAndTheScheduleGoesOn() {
		run((shop) -> {
			shop.when("report", (attempt) -> fail(true));
			String letters = "select count(*) from backoff_calls where task_name = 'report/dead'";
			Awaitility.await().until(() -> shop.count(letters) > 0);
			int made = shop.lines().size();
			Awaitility.await().until(() -> shop.lines().size() > made);
			assertThat(shop.calls().find("report", "schedule")).isPresent();
		}, "report.schedule=every 50ms", "backoff.policies.report.breaker=none");
	}

	@Test
	void aScheduleThatWasChangedMovesItsRow() {
		run((shop) -> assertThat(shop.due("report").toString()).endsWith("-01-01T00:00:00Z"),
				"backoff.policies.report.schedule-zone=UTC");
		run((shop) -> assertThat(shop.due("report").toString()).contains("-05-05T03:00:00Z"),
				"report.schedule=0 0 3 5 5 *", "backoff.policies.report.schedule-zone=UTC");
	}

	@Test
	void anAttemptThatEndsWithinTheShutdownIsCounted() {
		CountDownLatch running = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				running.countDown();
				Thread.sleep(300);
				return "done";
			});
			shop.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=1m");
		run((shop) -> assertThat(shop.calls().find("mails", "o1")).isEmpty(), NO_WORK);
	}

	@Test
	void anAttemptThatOutlastsTheShutdownIsMadeAgain() {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				running.countDown();
				while (released.getCount() > 0) {
					try {
						released.await();
					}
					catch (InterruptedException ex) {
						// it heeds no interrupt
					}
				}
				return "done";
			});
			shop.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=50ms", SHORT_HEARTBEAT);
		run((shop) -> {
			Awaitility.await().until(() -> shop.lines().contains("o1 1"));
			released.countDown();
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1");
		}, SHORT_HEARTBEAT);
	}

	@Test
	void aRecoveryInterruptedByTheShutdownIsRepeatedWithTheLastAttempt() {
		CountDownLatch recovering = new CountDownLatch(1);
		this.work = (attempt) -> "PENDING";
		run((shop) -> {
			shop.when("recover", (attempt) -> {
				recovering.countDown();
				Thread.sleep(60_000);
				return "never";
			});
			shop.poll("t1");
			await(recovering);
		}, "backoff.durable.shutdown-wait=1s");
		run((shop) -> {
			shop.awaitEnd("polling", "t1");
			assertThat(shop.lines()).containsExactly("t1{a=[1, 2]} 4", "timed out t1{a=[1, 2]} ATTEMPTS_EXHAUSTED");
			assertThat(shop.rows()).isZero();
		});
	}

	@Test
	void anAttemptThatIsInterruptedWithoutAShutdownCountsAsLost() {
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				throw new InterruptedException();
			});
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1", "o1 1");
			assertThat(shop.stopOfDeadLetter()).contains("LOST, attempts that ended with their process: 2");
		}, "backoff.durable.max-losses=1");
	}

	@Test
	void theStoryOfACallThatStopsLaterNamesTheFailureBefore() {
		run((shop) -> {
			shop.when("t1{a=[1, 2]}", (attempt) -> {
				// no second attempt in this process, however long it takes to close
				shop.context().getBean(LiveConfiguration.class).overrideRetriesEnabled(false, null);
				return fail(true);
			});
			shop.poll("t1");
			Awaitility.await()
				.until(() -> shop.calls().find("polling", "t1").map(DurableState::attempts).orElse(0) == 1);
		}, "backoff.policies.polling.ladder=500ms", "backoff.policies.polling.deadline=1h");
		run((shop) -> shop.corrupt(new String(shop.data(), StandardCharsets.UTF_8)
			.replaceFirst("(?<=\"deadline\":\")[^\"]*", "2026-01-01T00:00:00Z")), NO_WORK);
		run((shop) -> {
			shop.awaitEnd("polling", "t1");
			assertThat(shop.lines()).containsExactly("timed out t1{a=[1, 2]} DEADLINE");
			assertThat(shop.journal().stories.get(0))
				.hasMessageContaining("; the attempt before threw java.lang.IllegalStateException");
		});
	}

	@Test
	void aFailureWhoseMethodsThrowIsStored() {
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				throw new IllegalStateException() {

					private static final long serialVersionUID = 1L;

					@Override
					public String getMessage() {
						throw new UnsupportedOperationException();
					}

					@Override
					public synchronized Throwable getCause() {
						throw new UnsupportedOperationException();
					}

				};
			});
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(shop.stopOfDeadLetter()).contains("Stopped after 3 of 3 attempts");
			assertThat(shop.lines()).containsExactly("o1 1", "o1 2", "o1 3");
		});
	}

	@Test
	void aKeyIsOneLineThatNoDatabaseTakesForAnother() {
		run((shop) -> {
			for (String end : List.of(" ", "\nx", "\r", "\u0000", "\u001b[31m", "\u0085", "\u2028", "\u202e",
					"\ud800")) {
				assertThatIllegalArgumentException().isThrownBy(() -> shop.mails("o1" + end))
					.withMessageContaining("must be one line of 1 to 100 plain characters and end in no blank");
			}
			shop.mails("订单 é 😀 #1/2");
			assertThat(shop.rows()).isEqualTo(1);
		}, NO_WORK);
	}

	@Test
	void aStatementThatHasFailedIsMadeAgain() {
		run((shop) -> {
			Shop.Mail mail = new Shop.Mail("o1", 1, Instant.now());
			String id = shop.context().getBean(Shop.Mails.class).sendOnce(mail).id();
			shop.abandon(shop.parts().store().name.getName(), Instant.now());
			shop.completed("fragile", id, new ExecutionOperations<>(null, null, null) {

				@Override
				public void remove() {
					throw new IllegalStateException("the connection is lost");
				}

			});
			assertThat(shop.lines()).containsExactly("o1 1");
			assertThat(shop.calls().find("fragile", id)).isEmpty();
		}, NO_WORK);
	}

	@Test
	void aSlotThatWaitsForTheBreakerIsNotSkippedAtTheStart() {
		run((shop) -> assertThat(shop.due("report")).isAfter(Instant.now()), "backoff.durable.work=true");
		Instant past = Instant.now().minusSeconds(600).truncatedTo(ChronoUnit.SECONDS);
		run((shop) -> {
			StoredCall slot = OneRowSchedule.call(shop.method("report"), past, 0);
			boolean unused = shop.parts().store().client.reschedule(TaskInstanceId.of("report", "schedule"),
					Instant.now().plusSeconds(3_600), slot);
		}, NO_WORK);
		run((shop) -> {
			assertThat(shop.due("report")).isBefore(Instant.now().plusSeconds(3_601));
			boolean unused = shop.parts().store().client.reschedule(TaskInstanceId.of("report", "schedule"),
					Instant.now());
			Awaitility.await().until(() -> shop.lines().contains("report 1"));
		});
	}

	@Test
	void aScheduleWaitsAtARowThatCannotBeReadUntilAnOperatorDeletesIt() {
		run((shop) -> assertThat(shop.due("report")).isAfter(Instant.now()));
		run((shop) -> shop.execute("update backoff_calls set task_data = ?, execution_time = ?", 1,
				"no json".getBytes(StandardCharsets.UTF_8), Instant.now().atOffset(ZoneOffset.UTC)), NO_WORK);
		run((shop) -> {
			Awaitility.await().until(() -> shop.unreadable("report") == 1);
			assertThat(shop.stored("report", "schedule").unreadable()).isEqualTo("no json");
			// an attempt may run
			Awaitility.await()
				.until(() -> shop.delete("report", "schedule") instanceof Map<?, ?> answer
						&& answer.containsKey("deleted"));
			assertThat(shop.due("report")).isAfter(Instant.now().plusSeconds(60));
			assertThat(shop.stored("report", "schedule").isReadable()).isTrue();
			assertThat(shop.delete("report", "schedule")).isInstanceOf(WebEndpointResponse.class);
		}, "backoff.policies.report.ladder=100ms");
	}

	@Test
	void anAttemptHasTheIdAndTheKeyOfItsCallInTheMdc() {
		run((shop) -> {
			Map<String, String> seen = new ConcurrentHashMap<>();
			shop.when("o1", (attempt) -> {
				seen.putAll(MDC.getCopyOfContextMap());
				return "done";
			});
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(seen).containsEntry("backoff.key", "o1")
				.containsEntry("backoff.call", shop.attempts().get(0).idempotencyKey());
		});
	}

	@Test
	@SuppressWarnings({ "unchecked", "rawtypes" })
	void whatCannotBeStoredIsRefusedToTheCaller() {
		run((shop) -> {
			Map wrong = Map.of("a", List.of("no number"));
			assertThatIllegalArgumentException().isThrownBy(() -> shop.poll("t1", wrong))
				.withMessageStartingWith("Arguments of Payments.poll(String, Map): cannot be written as JSON and read "
						+ "again. Pass values that Jackson can write and read: ");
			assertThatIllegalArgumentException().isThrownBy(() -> shop.mails("x".repeat(101)))
				.withMessageContaining("must be one line of 1 to 100 plain characters");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> shop.poll("t1", Map.of("a", IntStream.range(0, 500).boxed().toList())))
				.withMessageContaining("must not exceed backoff.durable.max-payload (1024 bytes)");
			assertThatIllegalStateException().isThrownBy(() -> shop.calls().submit(DurableCalls.Options.NONE, () -> {
			}))
				.withMessage("Invalid submission: must call one durable method, and called 0. "
						+ "A call within the same bean does not pass its proxy, and is none.");
			assertThat(shop.rows()).isZero();
		}, "backoff.durable.max-payload=1KB");
	}

}
