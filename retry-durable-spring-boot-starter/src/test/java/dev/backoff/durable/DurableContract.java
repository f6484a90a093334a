package dev.backoff.durable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.durable.DurableState.Phase;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

/** What durable calls do on every database. Extend it for one. */
abstract class DurableContract extends ShopFixture {

	@Test
	void aCallIsMadeUntilItSucceeds() {
		run((shop) -> {
			shop.when("o1", (attempt) -> fail(attempt.number() < 3));
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1", "o1 2", "o1 3");
			assertThat(shop.attempts()).extracting((attempt) -> attempt.idempotencyKey())
				.containsOnly(shop.attempts().get(0).idempotencyKey());
			assertThat(shop.attempts()).extracting((attempt) -> attempt.fence()).isSorted().doesNotHaveDuplicates();
		});
	}

	@Test
	void aSubmissionOfAKeyThatIsStoredJoinsItsCall() {
		run((shop) -> {
			DurableCall<?> first = shop.pollLater("t1");
			DurableCall<?> second = shop.poll("t1");
			assertThat(first.isNew()).isTrue();
			assertThat(second.isNew()).isFalse();
			assertThat(second.id()).isEqualTo(first.id());
			assertThat(shop.calls().find("polling", "t1")).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.SCHEDULED);
				assertThat(state.attempts()).isZero();
				assertThat(state.id()).isEqualTo(first.id());
			});
		});
	}

	@Test
	void aCallThatATransactionCannotSeeYetIsJoined() {
		run((shop) -> {
			shop.inTransaction(RunningShop.REPEATABLE_READ, () -> {
				int unused = shop.count("select count(*) from backoff_calls");
				DurableCall<?> first = CompletableFuture.supplyAsync(() -> shop.pollLater("t1"))
					.orTimeout(60, TimeUnit.SECONDS)
					.join();
				DurableCall<?> second = shop.poll("t1");
				assertThat(second.isNew()).isFalse();
				assertThat(second.id()).isIn(null, first.id());
			});
		});
	}

	@Test
	void anInterruptedThreadSubmitsFindsAndEndsCalls() {
		run((shop) -> {
			Thread.currentThread().interrupt();
			shop.mails("o1");
			assertThat(shop.calls().find("mails", "o0")).isEmpty();
			assertThat(shop.end("o0")).isFalse();
			shop.mailsLater("o3");
			assertThat(shop.end("o3")).isTrue();
			assertThat(Thread.interrupted()).isTrue();
			shop.awaitEnd("mails", "o1");
			shop.mails("o2");
			shop.awaitEnd("mails", "o2");
			assertThat(shop.lines()).containsExactly("o1 1", "o2 1");
		});
	}

	@Test
	void submissionsOfOneKeyInManyTransactionsStoreOneCall() throws Exception {
		runner().run((context) -> {
			RunningShop shop = new RunningShop(context);
			Set<String> created = ConcurrentHashMap.newKeySet();
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<Future<?>> results = IntStream.range(0, 8).<Future<?>>mapToObj((thread) -> threads.submit(() -> {
				for (int key = 0; key < 50; key++) {
					String trade = "t" + key;
					shop.inTransaction(() -> {
						DurableCall<?> call = shop.pollLater(trade);
						if (call.isNew()) {
							assertThat(created.add(trade)).isTrue();
						}
						// the transaction goes on
						assertThat(shop.count("select 1")).isEqualTo(1);
					});
				}
			})).toList();
			for (Future<?> result : results) {
				result.get(60, TimeUnit.SECONDS);
			}
			threads.shutdown();
			assertThat(created).hasSize(50);
			assertThat(shop.rows()).isEqualTo(50);
		});
	}

	@Test
	void aCallThatStopsBecomesADeadLetter() {
		run((shop) -> {
			shop.when("o1", (attempt) -> fail(true));
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1", "o1 2", "o1 3");
			String id = shop.attempts().get(0).idempotencyKey();
			assertThat(shop.calls().find("mails", id)).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.DEAD);
				assertThat(state.key()).isEqualTo("o1");
				assertThat(state.attempts()).isEqualTo(3);
				assertThat(state.stop()).startsWith("Stopped after 3 of 3 attempts");
			});
			// the key is free
			assertThat(shop.calls().submit(DurableCalls.Options.NONE, () -> shop.mails("o1")).isNew()).isTrue();
		});
	}

	@Test
	void aCallGoesOnInAnotherProcessWhereItWas() {
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				shop.execute("update backoff_calls set execution_time = execution_time where task_name <> 'report'", 1);
				return fail(true);
			});
			shop.mails("o1");
			Awaitility.await().until(() -> shop.lines().size() == 1);
		}, "backoff.policies.mails.ladder=1h");
		run((shop) -> assertThat(shop.calls().find("mails", "o1"))
			.hasValueSatisfying((state) -> assertThat(state.attempts()).isEqualTo(1)), NO_WORK);
		run((shop) -> {
			shop.dueNow();
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 2");
		});
	}

	@Test
	void anAttemptWhoseProcessEndedIsMadeAgain() {
		store("o1");
		run((shop) -> shop.abandon("another", Instant.now().minusSeconds(60)), NO_WORK);
		run((shop) -> {
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1");
		});
	}

	@Test
	void aRowThatCannotBeReadWaitsForAProcessThatCan() {
		store("o1");
		byte[][] data = new byte[1][];
		run((shop) -> {
			data[0] = shop.parts().json().serialize(shop.stored("mails", "o1"));
			shop.corrupt("no json");
		}, NO_WORK);
		run((shop) -> {
			Awaitility.await().until(() -> shop.unreadable("mails") == 1);
			sleep(Duration.ofMillis(200));
			assertThat(shop.unreadable("mails")).isOne();
			assertThat(shop.stored("mails", "o1").unreadable()).isEqualTo("no json");
			shop.replace(data[0]);
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1");
			assertThat(shop.rows()).isZero();
		});
	}

	@Test
	void aRowThatIsPutBackKeepsItsBytesAndTheTextOfItsArguments() {
		byte[] bytes = new byte[256];
		IntStream.range(0, bytes.length).forEach((i) -> bytes[i] = (byte) i);
		String arguments = "[\"o1\",1.10,1e2,-0.0,99999999999999999999.99,\"\\uD800\",{\"b\":1,\"a\":[]},null]";
		byte[] unfitting = ("{\"format\":1,\"id\":\"i1\",\"method\":\"x\",\"arguments\":" + arguments
				+ ",\"submitted\":\"2026-01-01T00:00:00Z\"}")
			.getBytes(StandardCharsets.UTF_8);
		store("o1");
		for (byte[] data : List.of(bytes, unfitting)) {
			run((shop) -> shop.execute("update backoff_calls set task_data = ?, version = 1 where task_instance = ?", 1,
					data, "o1"), NO_WORK);
			run((shop) -> Awaitility.await().until(() -> shop.isPutBack("o1")));
			run((shop) -> {
				if (data == bytes) {
					assertThat(shop.data()).isEqualTo(data);
				}
				else {
					assertThat(new String(shop.data(), StandardCharsets.UTF_8)).contains(arguments);
				}
			}, NO_WORK);
		}
	}

	@Test
	void argumentsAreStoredWithEveryDigit() {
		run((shop) -> {
			BigDecimal amount = new BigDecimal("99999999999999999.10");
			ZonedDateTime at = ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 1, ZoneId.of("Europe/Berlin"))
				.withLaterOffsetAtOverlap();
			shop.when("transfer", (attempt) -> fail(attempt.number() < 3));
			shop.context().getBean(Shop.Transfers.class).transfer(new Shop.Transfer("\ud83d\ude00", amount, at));
			Awaitility.await().until(() -> shop.rows() == 0);
			assertThat(shop.context().getBean(Shop.Transfers.class).made()).hasSize(3)
				.containsOnly(new Shop.Transfer("\ud83d\ude00", amount, at));
		});
	}

	@Test
	void theEndOfARunningCallDropsItsResult() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				running.countDown();
				ended.await();
				return fail(true);
			});
			shop.mails("o1");
			await(running);
			assertThat(shop.end("o1")).isTrue();
			DurableCall<?> next = shop.mailsLater("o1");
			ended.countDown();
			sleep(Duration.ofMillis(200));
			assertThat(next.isNew()).isTrue();
			assertThat(shop.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.id()).isEqualTo(next.id());
				assertThat(state.attempts()).isZero();
			});
		});
	}

	@Test
	void aProcessThatLostItsCallChangesNothing() {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch stalled = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				running.countDown();
				stalled.await();
				return "done";
			});
			shop.mails("o1");
			await(running);
			// another process took the key, ended its call, and runs the next one
			shop.abandon("another", Instant.now().plusSeconds(3_600));
			sleep(Duration.ofMillis(550));
			stalled.countDown();
			sleep(Duration.ofMillis(200));
			assertThat(shop.count("select count(*) from backoff_calls where picked_by = 'another'")).isOne();
		}, SHORT_HEARTBEAT);
	}

	/** {@code n}: never tried, {@code f}: failed before; the higher the later due. */
	@Test
	void afterAnOutageTheNewestCallsOfTheKindThatWentWellComeFirst() {
		run((shop) -> {
			for (String order : List.of("n1", "n2", "n3", "f1", "f2", "f3")) {
				shop.mailsLater(order);
			}
			shop.when("n3", (attempt) -> fail(true));
			shop.when("f1", (attempt) -> fail(true));
			// no look that began before the outage sees what is due in it
			CountDownLatch stopped = new CountDownLatch(1);
			shop.workers().stop(stopped::countDown);
			await(stopped);
			String update = "update backoff_calls set execution_time = ?, consecutive_failures = ? "
					+ "where task_instance = ?";
			for (int order = 1; order <= 3; order++) {
				Object due = Instant.now().minusSeconds(600 - order).atOffset(ZoneOffset.UTC);
				shop.execute(update, 1, due, 0, "n" + order);
				shop.execute(update, 1, due, 1, "f" + order);
			}
			shop.breaker("mails").openFor(Duration.ofNanos(1));
			shop.workers().start();
			Awaitility.await().until(() -> shop.lines().size() >= 6);
			assertThat(shop.lines()).startsWith("n3 1", "f3 1", "f2 1", "f1 1", "n2 1", "n1 1");
			// it has caught up
			shop.awaitEnd("mails", "n1");
			Instant due = Instant.now().plusMillis(300);
			shop.calls().submit(DurableCalls.Options.notBefore(due), () -> shop.mails("o1"));
			shop.calls().submit(DurableCalls.Options.notBefore(due.plusMillis(1)), () -> shop.mails("o2"));
			Awaitility.await().until(() -> shop.lines().size() >= 8);
			assertThat(shop.lines().subList(6, 8)).containsExactly("o1 1", "o2 1");
			// no look while an attempt runs, whose outcome is not known yet
		}, "backoff.durable.poll-interval=1h", "backoff.breakers.mails.probes=2",
				"backoff.breakers.mails.failure-rate=100%", "backoff.policies.mails.ladder=10m",
				"backoff.policies.mails.concurrency=1");
	}

	@Test
	void aScheduleHasOneRowAndRunsItsSlotsWithRetries() {
		run((shop) -> {
			shop.when("report", (attempt) -> fail(attempt.number() == 1));
			// a slot may have run before
			Awaitility.await().until(() -> shop.lines().lastIndexOf("report 2") >= 4);
			List<String> lines = List.copyOf(shop.lines());
			int first = lines.indexOf("report 2");
			assertThat(lines.subList(first - 1, first + 3)).containsExactly("report 1", "report 2", "report 1",
					"report 2");
			List<String> ids = shop.attempts().stream().map((made) -> made.idempotencyKey()).toList();
			assertThat(ids.get(first - 1)).isEqualTo(ids.get(first)).isNotEqualTo(ids.get(first + 1));
			assertThat(shop.count("select count(*) from backoff_calls")).isOne();
		}, "report.schedule=every 50ms");
	}

	@Test
	void anAttemptInterruptedByTheShutdownIsDueAtOnceAndNotCounted() {
		CountDownLatch running = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				running.countDown();
				Thread.sleep(60_000);
				return "never";
			});
			shop.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=1s");
		run((shop) -> {
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1");
		});
	}

	@Test
	void aCallThatIsSubmittedAfterTheCommitIsStored() {
		run((shop) -> {
			shop.inTransaction(
					() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCompletion(int status) {
							shop.mails("o1");
						}

					}));
			Awaitility.await().until(() -> shop.lines().contains("o1 1"));
		}, "spring.datasource.hikari.auto-commit=false");
	}

	@Test
	void aConnectionThatDoesNotCommitByItselfIsCommitted() {
		run((shop) -> {
			shop.when("o1", (attempt) -> fail(attempt.number() < 3));
			shop.mails("o1");
			shop.awaitEnd("mails", "o1");
			shop.when("o2", (attempt) -> fail(true));
			shop.mails("o2");
			shop.awaitEnd("mails", "o2");
			shop.when("o2", (attempt) -> "done");
			String id = shop.attempts().get(5).idempotencyKey();
			Object unused = new DurablePart(shop.parts(), shop.workers())
				.write(shop.parts().methods().policy(shop.method("mails")), Map.of("action", "requeue", "id", id));
			Awaitility.await().until(() -> shop.rows() == 0);
			assertThat(shop.lines()).hasSize(7);
		}, "spring.datasource.hikari.auto-commit=false");
	}

	/** Both rows have the same version, and the second one is picked here too. */
	@Test
	void anAttemptWhoseCallWasReplacedLeavesTheNextOne() {
		CountDownLatch second = new CountDownLatch(1);
		CountDownLatch first = new CountDownLatch(1);
		run((shop) -> {
			shop.when("o1", (attempt) -> {
				if (attempt.number() == 1 && shop.attempts().size() == 1) {
					assertThat(shop.end("o1")).isTrue();
					shop.mails("o1");
					second.await();
				}
				else if (attempt.number() == 1) {
					second.countDown();
					first.await();
					return fail(true);
				}
				return "done";
			});
			shop.mails("o1");
			await(second);
			sleep(Duration.ofMillis(200));
			first.countDown();
			shop.awaitEnd("mails", "o1");
			assertThat(shop.lines()).containsExactly("o1 1", "o1 1", "o1 2");
		});
	}

	@Test
	void aSubmissionBesideTheEndOfItsCallIsStoredOrEndsWithIt() {
		run((shop) -> {
			shop.mailsLater("o1");
			CompletableFuture<DurableCall<?>> beside = new CompletableFuture<>();
			shop.inTransaction(() -> {
				assertThat(shop.end("o1")).isTrue();
				beside.completeAsync(() -> shop.mailsLater("o1"));
				sleep(Duration.ofMillis(200));
			});
			boolean stored = beside.orTimeout(60, TimeUnit.SECONDS).join().isNew();
			assertThat(shop.rows()).isEqualTo(stored ? 1 : 0);
		});
	}

	@Test
	void aNestedTransactionThatIsRolledBackTakesItsEndsAndSubmissionsBack() {
		run((shop) -> {
			shop.mailsLater("o1");
			shop.mailsLater("o2");
			shop.inTransaction(() -> {
				shop.end("o1");
				shop.inTransaction(RunningShop.NESTED, () -> {
					shop.end("o2");
					shop.mailsLater("o3");
					throw new IllegalStateException("rolled back");
				});
				assertThat(shop.mailsLater("o2").isNew()).isFalse();
			});
			assertThat(shop.calls().find("mails", "o1")).isEmpty();
			assertThat(shop.calls().find("mails", "o2")).isPresent();
			assertThat(shop.calls().find("mails", "o3")).isEmpty();
		});
	}

	@Test
	void aRowThatAnotherProcessHasPickedMeanwhileIsLeftToIt() {
		store("o1");
		run((shop) -> {
			shop.abandon("another", Instant.now());
			shop.completed("mails", "o1");
			assertThat(shop.lines()).isEmpty();
		}, NO_WORK);
	}

	@Test
	void aCallWhoseDeadLetterIsThereAlreadyGoes() {
		run((shop) -> {
			shop.mailsLater("o1");
			Execution row = shop.parts().store().find("mails", "o1").orElseThrow();
			StoredCall call = (StoredCall) row.taskInstance.getData();
			assertThat(shop.parts().store().insert(new TaskInstance<>("mails/dead", call.id(), call), StoredCall.NEVER))
				.isTrue();
		}, NO_WORK);
		run((shop) -> {
			shop.when("o1", (attempt) -> fail(true));
			boolean unused = shop.parts().store().client.reschedule(TaskInstanceId.of("mails", "o1"), Instant.now());
			Awaitility.await().until(() -> shop.lines().size() == 3);
			Awaitility.await().until(() -> shop.calls().find("mails", "o1").isEmpty());
			assertThat(shop.rows()).isOne();
		});
	}

	@Test
	void aRowThatIsNotDueYetIsPutBack() {
		run((shop) -> {
			Instant due = Instant.now().plusSeconds(3_600);
			shop.calls().submit(DurableCalls.Options.notBefore(due), () -> shop.mails("o1"));
			shop.abandon(shop.parts().store().name.getName(), Instant.now().minusSeconds(60));
			shop.completed("mails", "o1");
			assertThat(shop.lines()).isEmpty();
			assertThat(shop.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.SCHEDULED);
				assertThat(Duration.between(state.due(), due).abs()).isLessThan(Duration.ofMillis(1));
			});
		}, NO_WORK);
	}

	@Test
	void theOldestCallIsTheFirstThatIsDueAndDoesNotRun() {
		store("o1");
		run((shop) -> {
			String due = "update backoff_calls set execution_time = ? where task_instance = ?";
			shop.abandon("another", Instant.now());
			shop.execute(due, 1, Instant.now().minusSeconds(3_600).atOffset(ZoneOffset.UTC), "o1");
			assertThat(shop.gauge("oldest", "policy", "mails")).isZero();
			shop.mails("o2");
			shop.execute(due, 1, Instant.now().minusSeconds(600).atOffset(ZoneOffset.UTC), "o2");
			assertThat(shop.gauge("oldest", "policy", "mails")).isBetween(600.0, 1_200.0);
			assertThat(shop.gauge("age", "policy", "mails")).isLessThan(600);
			assertThat(shop.gauge("calls", "policy", "mails", "state", "running")).isOne();
			assertThat(shop.gauge("calls", "policy", "mails", "state", "scheduled")).isOne();
		}, NO_WORK);
	}

	@Test
	void theAgeIsThatOfTheOldestSubmissionAmongThoseThatWait() {
		Instant hourAgo = Instant.now().minusSeconds(3_600);
		run((shop) -> {
			shop.mailsLater("o1");
			shop.mailsLater("o2");
			Execution row = shop.parts().store().find("mails", "o2").orElseThrow();
			StoredCall old = ((StoredCall) row.taskInstance.getData()).requeued(hourAgo, Nanos.UNLIMITED, 0);
			boolean unused = shop.parts().store().client.reschedule(TaskInstanceId.of("mails", "o2"), row.executionTime,
					old);
			assertThat(shop.parts().store().insert(new TaskInstance<>("mails/dead", "id1", old), StoredCall.NEVER))
				.isTrue();
			assertThat(shop.gauge("age", "policy", "mails")).isBetween(3_600.0, 4_200.0);
			assertThat(shop.gauge("oldest", "policy", "mails")).isZero();
			assertThat(shop.gauge("age", "policy", "report")).isZero();
		}, NO_WORK);
	}

}
