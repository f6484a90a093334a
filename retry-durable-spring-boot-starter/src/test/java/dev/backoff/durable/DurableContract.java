package dev.backoff.durable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Logger;
import com.github.kagkarlsson.scheduler.CurrentlyExecuting;
import com.github.kagkarlsson.scheduler.HeartbeatConfig;
import com.github.kagkarlsson.scheduler.SchedulerState;
import com.github.kagkarlsson.scheduler.SystemClock;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.core.env.MapPropertySource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.durable.DurableState.Phase;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What durable calls do on every database. Extend it for one. */
abstract class DurableContract {

	private static final String SHORT_HEARTBEAT = "backoff.durable.heartbeat=250ms";

	/** What attempts do from the first one of an application on. */
	private Shop.Work work = (attempt) -> "done";

	/** Return the properties of the database. */
	abstract List<String> database();

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues(database().toArray(String[]::new))
			.withPropertyValues("backoff.durable.poll-interval=100ms", "backoff.durable.shutdown-wait=2s",
					"spring.datasource.hikari.maximum-pool-size=20", "backoff.durable.initialize-schema=always")
			.withBean(Shop.Work.class, () -> this.work)
			.withUserConfiguration(Shop.class);
	}

	private void run(Consumer<Application> test, String... properties) {
		runner().withPropertyValues(properties).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(new Application(context));
		});
	}

	@Test
	void aCallIsMadeUntilItSucceeds() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> fail(attempt.number() < 3));
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1", "o1 2", "o1 3");
			assertThat(application.journal().attempts).extracting((attempt) -> attempt.idempotencyKey())
				.containsOnly(application.journal().attempts.get(0).idempotencyKey());
			assertThat(application.journal().attempts).extracting((attempt) -> attempt.fence())
				.isSorted()
				.doesNotHaveDuplicates();
		});
	}

	private static Object fail(boolean failing) {
		if (failing) {
			throw new IllegalStateException("down");
		}
		return "done";
	}

	@Test
	void aSubmissionOfAKeyThatIsStoredJoinsItsCall() {
		run((application) -> {
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			DurableCall<?> first = application.calls().submit(later, () -> application.poll("t1"));
			DurableCall<?> second = application.poll("t1");
			assertThat(first.isNew()).isTrue();
			assertThat(second.isNew()).isFalse();
			assertThat(second.id()).isEqualTo(first.id());
			assertThat(application.calls().find("polling", "t1")).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.SCHEDULED);
				assertThat(state.attempts()).isZero();
				assertThat(state.id()).isEqualTo(first.id());
			});
		});
	}

	@Test
	void aCallThatATransactionCannotSeeYetIsJoined() {
		run((application) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					application.context.getBean(PlatformTransactionManager.class));
			transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
			transaction.executeWithoutResult((status) -> {
				int unused = application.count("select count(*) from backoff_calls");
				DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
				DurableCall<?> first = CompletableFuture
					.supplyAsync(() -> application.calls().submit(later, () -> application.poll("t1")))
					.orTimeout(60, TimeUnit.SECONDS)
					.join();
				DurableCall<?> second = application.poll("t1");
				assertThat(second.isNew()).isFalse();
				assertThat(second.id()).isIn(null, first.id());
			});
		});
	}

	@Test
	void anInterruptedThreadSubmitsFindsAndEndsCalls() {
		run((application) -> {
			Thread.currentThread().interrupt();
			application.mails("o1");
			assertThat(application.calls().find("mails", "o0")).isEmpty();
			assertThat(application.calls().end("mails", "o0")).isFalse();
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			application.calls().submit(later, () -> application.mails("o3"));
			assertThat(application.calls().end("mails", "o3")).isTrue();
			assertThat(Thread.interrupted()).isTrue();
			application.awaitEnd("mails", "o1");
			application.mails("o2");
			application.awaitEnd("mails", "o2");
			assertThat(application.journal().lines).containsExactly("o1 1", "o2 1");
		});
	}

	@Test
	void aRefreshChangesNumbersAndNeitherDurableNorASchedule() {
		Map<String, Object> centre = new ConcurrentHashMap<>();
		runner()
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("centre", centre)))
			.run((context) -> {
				Application application = new Application(context);
				centre.putAll(Map.of("backoff.policies.mails.durable", "false", "backoff.policies.mails.max-attempts",
						"1", "backoff.policies.report.schedule", "every 0s"));
				assertThat(context.getBean(LiveConfiguration.class).refresh("a test")).isTrue();
				application.journal().when("o1", (attempt) -> fail(true));
				application.mails("o1");
				application.awaitEnd("mails", "o1");
				assertThat(application.journal().lines).containsExactly("o1 1");
				assertThat(application.stopOfDeadLetter()).contains("ATTEMPTS_EXHAUSTED");
				assertThat(application.calls().find("report", OneRowSchedule.INSTANCE)).isPresent();
			});
	}

	@Test
	void aRollbackTakesTheCallBack() {
		run((application) -> {
			application.inTransaction(() -> {
				application.mails("o1");
				throw new IllegalStateException("rolled back");
			});
			assertThat(application.calls().find("mails", "o1")).isEmpty();
			assertThat(application.journal().lines).isEmpty();
		});
	}

	@Test
	void aCallIsMadeAfterTheCommitOnly() {
		run((application) -> {
			application.inTransaction(() -> {
				application.mails("o1");
				sleep(Duration.ofMillis(150));
				assertThat(application.journal().lines).isEmpty();
			});
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1");
		});
	}

	@Test
	void submissionsOfOneKeyInManyTransactionsStoreOneCall() throws Exception {
		runner().run((context) -> {
			Application application = new Application(context);
			Set<String> created = ConcurrentHashMap.newKeySet();
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<Future<?>> results = IntStream.range(0, 8).<Future<?>>mapToObj((thread) -> threads.submit(() -> {
				for (int key = 0; key < 50; key++) {
					String trade = "t" + key;
					application.inTransaction(() -> {
						DurableCall<?> call = application.calls()
							.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(600)),
									() -> application.poll(trade));
						if (call.isNew()) {
							assertThat(created.add(trade)).isTrue();
						}
						// the transaction goes on
						assertThat(application.count("select 1")).isEqualTo(1);
					});
				}
			})).toList();
			for (Future<?> result : results) {
				result.get(60, TimeUnit.SECONDS);
			}
			threads.shutdown();
			assertThat(created).hasSize(50);
			assertThat(application.rows()).isEqualTo(50);
		});
	}

	@Test
	void aCallThatStopsBecomesADeadLetter() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> fail(true));
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1", "o1 2", "o1 3");
			String id = application.journal().attempts.get(0).idempotencyKey();
			assertThat(application.calls().find("mails", id)).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.DEAD);
				assertThat(state.key()).isEqualTo("o1");
				assertThat(state.attempts()).isEqualTo(3);
				assertThat(state.stop()).startsWith("Stopped after 3 of 3 attempts");
			});
			// the key is free
			assertThat(application.calls().submit(DurableCalls.Options.NONE, () -> application.mails("o1")).isNew())
				.isTrue();
		});
	}

	@Test
	void pollingEndsWithARecoveryAndNoDeadLetter() {
		run((application) -> {
			application.journal().when("t1{a=[1, 2]}", (attempt) -> "PENDING");
			application.poll("t1");
			application.awaitEnd("polling", "t1");
			assertThat(application.journal().lines).containsExactly("t1{a=[1, 2]} 1", "t1{a=[1, 2]} 2",
					"t1{a=[1, 2]} 3", "t1{a=[1, 2]} 4", "timed out t1{a=[1, 2]} ATTEMPTS_EXHAUSTED");
			assertThat(application.rows()).isZero();
		});
	}

	@Test
	void aCallGoesOnInAnotherProcessWhereItWas() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				application
					.execute("update backoff_calls set execution_time = execution_time where task_name <> 'report'", 1);
				return fail(true);
			});
			application.mails("o1");
			Awaitility.await().until(() -> application.journal().lines.size() == 1);
		}, "backoff.policies.mails.ladder=1h");
		run((application) -> assertThat(application.calls().find("mails", "o1"))
			.hasValueSatisfying((state) -> assertThat(state.attempts()).isEqualTo(1)), "backoff.durable.work=false");
		run((application) -> {
			application.dueNow();
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 2");
		});
	}

	@Test
	void anAttemptWhoseProcessEndedIsMadeAgain() {
		store("o1");
		run((application) -> application.abandon("another", Instant.now().minusSeconds(60)),
				"backoff.durable.work=false");
		run((application) -> {
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1");
		});
	}

	/* By a process that makes no attempts. */
	private void store(String... orders) {
		run((application) -> List.of(orders).forEach(application::mails), "backoff.durable.work=false");
	}

	@Test
	void aCallThatLosesItsProcessTooOftenStops() {
		store("o1");
		run((application) -> {
			for (int loss = 1; loss <= 2; loss++) {
				application.abandon("another", Instant.now().minusSeconds(60));
				int losses = loss;
				Awaitility.await()
					.until(() -> application.calls().find("mails", "o1").map(DurableState::losses).orElse(0) == losses);
			}
		}, "backoff.retries-enabled=false", SHORT_HEARTBEAT);
		run((application) -> {
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).isEmpty();
			assertThat(application.stopOfDeadLetter()).contains("Stopped after 0 of 3 attempts",
					"LOST, attempts that ended with their process: 2");
		}, "backoff.durable.max-losses=1");
	}

	@Test
	void aRowThatCannotBeReadWaitsForAProcessThatCan() {
		store("o1");
		byte[][] data = new byte[1][];
		run((application) -> {
			data[0] = application.lanes().json().serialize(application.stored("mails", "o1"));
			application.corrupt("no json");
		}, "backoff.durable.work=false");
		run((application) -> {
			Awaitility.await().until(() -> application.unreadable("mails") == 1);
			sleep(Duration.ofMillis(200));
			assertThat(application.unreadable("mails")).isOne();
			assertThat(application.stored("mails", "o1").unreadable()).isEqualTo("no json");
			application.execute("update backoff_calls set task_data = ? where task_instance = ?", 1, data[0], "o1");
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1");
			assertThat(application.rows()).isZero();
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
			run((application) -> application
				.execute("update backoff_calls set task_data = ?, version = 1 where task_instance = ?", 1, data, "o1"),
					"backoff.durable.work=false");
			run((application) -> Awaitility.await().until(() -> application.isPutBack("o1")));
			run((application) -> {
				if (data == bytes) {
					assertThat(application.data()).isEqualTo(data);
				}
				else {
					assertThat(new String(application.data(), StandardCharsets.UTF_8)).contains(arguments);
				}
			}, "backoff.durable.work=false");
		}
	}

	@Test
	void aRowThatCannotBeReadIsLookedAtOncePerPollIntervalThoughItsDelayIsNone() {
		store("o1");
		run((application) -> {
			application.corrupt("no json");
			Instant before = Instant.now();
			application.failures("mails", "o1");
			assertThat(application.calls().find("mails", "o1"))
				.hasValueSatisfying((state) -> assertThat(state.due()).isAfter(before.plusSeconds(3_599)));
		}, "backoff.durable.work=false", "backoff.durable.poll-interval=1h", "backoff.policies.mails.ladder=0s");
	}

	@Test
	void rowsOfAPolicyThatNoMethodHasKeepNoApplicationFromItsStart() {
		store("o1");
		run((application) -> application
			.execute("update backoff_calls set task_name = 'old' where task_name <> 'report'", 1),
				"backoff.durable.work=false");
		run((application) -> assertThat(
				application.lanes().orphans(application.lanes().store().client().getScheduledExecutionsSummaryByTask()))
			.containsExactly(Map.entry("old", 1)));
	}

	@Test
	void argumentsThatDoNotFitWaitWithTheirAttemptsForAProcessWhoseMethodTheyFit() {
		store("o1");
		run((application) -> application
			.corrupt("{\"format\":1,\"id\":\"i1\",\"method\":\"x\",\"arguments\":[\"o1\",7],"
					+ "\"submitted\":\"2026-01-01T00:00:00Z\",\"attempts\":2}"),
				"backoff.durable.work=false");
		run((application) -> {
			Awaitility.await().until(() -> application.isPutBack("o1"));
			assertThat(application.unreadable("mails")).isEqualTo(1);
			assertThat(application.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.id()).isEqualTo("i1");
				assertThat(state.attempts()).isEqualTo(2);
				assertThat(state.losses()).isZero();
				assertThat(state.stop()).isNull();
			});
			assertThat(application.journal().lines).isEmpty();
			application.corrupt("{\"format\":1,\"id\":\"i1\",\"method\":\"x\",\"arguments\":[\"o1\"],"
					+ "\"submitted\":\"2026-01-01T00:00:00Z\",\"attempts\":2}");
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 3");
		});
	}

	@Test
	void aCallThatDoesNotFitEndsByItsDeadline() {
		store("o1");
		run((application) -> application.corrupt("{\"format\":1,\"id\":\"i1\",\"key\":\"o1\",\"method\":\"x\","
				+ "\"arguments\":[],\"submitted\":\"2026-01-01T00:00:00Z\",\"deadline\":\"2026-01-01T00:01:00Z\"}"),
				"backoff.durable.work=false");
		run((application) -> {
			application.awaitEnd("mails", "o1");
			assertThat(application.calls().find("mails", "i1")).hasValueSatisfying(
					(state) -> assertThat(state.stop()).isEqualTo("its arguments do not fit Mails.send(String)"));
			assertThat(application.stopOfDeadLetter()).contains("reason=DEADLINE");
		});
	}

	@Test
	void argumentsAreStoredWithEveryDigit() {
		run((application) -> {
			BigDecimal amount = new BigDecimal("99999999999999999.10");
			ZonedDateTime at = ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 1, ZoneId.of("Europe/Berlin"))
				.withLaterOffsetAtOverlap();
			application.journal().when("transfer", (attempt) -> fail(attempt.number() < 3));
			application.context().getBean(Shop.Transfers.class).transfer(new Shop.Transfer("\ud83d\ude00", amount, at));
			Awaitility.await().until(() -> application.rows() == 0);
			assertThat(application.context().getBean(Shop.Transfers.class).made()).hasSize(3)
				.containsOnly(new Shop.Transfer("\ud83d\ude00", amount, at));
		});
	}

	@Test
	void theEndOfACallRemovesIt() {
		run((application) -> {
			application.calls()
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600)),
						() -> application.mails("o1"));
			assertThat(application.calls().end("mails", "o1")).isTrue();
			assertThat(application.calls().end("mails", "o1")).isFalse();
			assertThat(application.calls().find("mails", "o1")).isEmpty();
		});
	}

	@Test
	void theEndOfARunningCallDropsItsResult() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				running.countDown();
				ended.await();
				return fail(true);
			});
			application.mails("o1");
			await(running);
			assertThat(application.calls().end("mails", "o1")).isTrue();
			DurableCall<?> next = application.calls()
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600)),
						() -> application.mails("o1"));
			ended.countDown();
			sleep(Duration.ofMillis(200));
			assertThat(next.isNew()).isTrue();
			assertThat(application.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.id()).isEqualTo(next.id());
				assertThat(state.attempts()).isZero();
			});
		});
	}

	@Test
	void aProcessThatLostItsCallChangesNothing() {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch stalled = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				running.countDown();
				stalled.await();
				return "done";
			});
			application.mails("o1");
			await(running);
			// another process took the key, ended its call, and runs the next one
			application.abandon("another", Instant.now().plusSeconds(3_600));
			sleep(Duration.ofMillis(1_100));
			stalled.countDown();
			sleep(Duration.ofMillis(200));
			assertThat(application.count("select count(*) from backoff_calls where picked_by = 'another'")).isOne();
		}, "backoff.durable.heartbeat=500ms");
	}

	@Test
	void anOpenBreakerPausesTheLane() {
		run((application) -> {
			CircuitBreaker breaker = application.context().getBean(CircuitBreakers.class).find("mails").orElseThrow();
			breaker.open();
			CompletableFuture<BreakerState> met = new CompletableFuture<>();
			application.journal().when("o1", (attempt) -> met.complete(breaker.state()));
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(met).isCompletedWithValue(BreakerState.HALF_OPEN);
			assertThat(application.journal().lines).containsExactly("o1 1");
		}, "backoff.breakers.mails.open-for=2s");
	}

	/** {@code n}: never tried, {@code f}: failed before; the higher the later due. */
	@Test
	void afterAnOutageTheNewestCallsOfTheKindThatWentWellComeFirst() {
		run((application) -> {
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(600));
			for (String order : List.of("n1", "n2", "n3", "f1", "f2", "f3")) {
				application.calls().submit(later, () -> application.mails(order));
			}
			application.journal().when("n3", (attempt) -> fail(true));
			application.journal().when("f1", (attempt) -> fail(true));
			application.context()
				.getBean(CircuitBreakers.class)
				.find("mails")
				.orElseThrow()
				.openFor(Duration.ofSeconds(2));
			application.lanes().changed(null, null);
			String update = "update backoff_calls set execution_time = ?, consecutive_failures = ? "
					+ "where task_instance = ?";
			for (int order = 1; order <= 3; order++) {
				Object due = Instant.now().minusSeconds(600 - order).atOffset(ZoneOffset.UTC);
				application.execute(update, 1, due, 0, "n" + order);
				application.execute(update, 1, due, 1, "f" + order);
			}
			Awaitility.await().until(() -> application.journal().lines.size() >= 6);
			assertThat(application.journal().lines).startsWith("n3 1", "f3 1", "f2 1", "f1 1", "n2 1", "n1 1");
			// it has caught up
			application.awaitEnd("mails", "n1");
			Instant due = Instant.now().plusSeconds(1);
			application.calls().submit(DurableCalls.Options.notBefore(due), () -> application.mails("o1"));
			application.calls()
				.submit(DurableCalls.Options.notBefore(due.plusMillis(1)), () -> application.mails("o2"));
			Awaitility.await().until(() -> application.journal().lines.size() >= 8);
			assertThat(application.journal().lines.subList(6, 8)).containsExactly("o1 1", "o2 1");
		}, "backoff.breakers.mails.probes=2", "backoff.breakers.mails.failure-rate=100%",
				"backoff.policies.mails.ladder=10m", "backoff.policies.mails.concurrency=1");
	}

	@Test
	void aFailureOrABadResultRaisesTheCountOfARowAndARowPutBackKeepsIt() {
		run((application) -> {
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(60));
			application.calls().submit(later, () -> application.poll("t1"));
			application.journal().when("t1{a=[1, 2]}", (attempt) -> "PENDING");
			assertThat(application.failures("polling", "t1")).isOne();
			application.journal().when("t1{a=[1, 2]}", (attempt) -> fail(true));
			assertThat(application.failures("polling", "t1")).isEqualTo(2);
			application.context().getBean(CircuitBreakers.class).find("polling").orElseThrow().open();
			assertThat(application.failures("polling", "t1")).isEqualTo(2);
			assertThat(application.journal().lines).hasSize(2);
		}, "backoff.durable.work=false");
	}

	@Test
	void aRetryWithoutATokenOfItsBudgetIsPutBack() {
		run((application) -> {
			for (int call = 1; call <= 5; call++) {
				application.journal().when("o" + call, (attempt) -> fail(true));
				application.mails("o" + call);
			}
			Awaitility.await().until(() -> application.journal().lines.size() == 7);
			sleep(Duration.ofMillis(500));
			assertThat(application.journal().lines).hasSize(7);
		}, "backoff.policies.mails.budget=mails", "backoff.budgets.mails.tokens=2",
				"backoff.budgets.mails.per-second=0", "backoff.policies.mails.when-empty=wait",
				"backoff.policies.mails.max-attempts=unlimited");
	}

	@Test
	void aScheduleHasOneRowAndRunsItsSlotsWithRetries() {
		run((application) -> {
			application.journal().when("report", (attempt) -> fail(attempt.number() == 1));
			// a slot may have run before
			Awaitility.await().until(() -> application.journal().lines.lastIndexOf("report 2") >= 4);
			List<String> lines = List.copyOf(application.journal().lines);
			int first = lines.indexOf("report 2");
			assertThat(lines.subList(first - 1, first + 3)).containsExactly("report 1", "report 2", "report 1",
					"report 2");
			List<String> ids = application.journal().attempts.stream().map((made) -> made.idempotencyKey()).toList();
			assertThat(ids.get(first - 1)).isEqualTo(ids.get(first)).isNotEqualTo(ids.get(first + 1));
			assertThat(application.count("select count(*) from backoff_calls")).isOne();
		}, "report.schedule=every 50ms");
	}

	@Test
	void aSlotThatStopsLeavesADeadLetterAndTheScheduleGoesOn() {
		run((application) -> {
			application.journal().when("report", (attempt) -> fail(true));
			Awaitility.await()
				.until(() -> application
					.count("select count(*) from backoff_calls where task_name = 'report/dead'") > 0);
			int made = application.journal().lines.size();
			Awaitility.await().until(() -> application.journal().lines.size() > made);
			assertThat(application.calls().find("report", "schedule")).isPresent();
		}, "report.schedule=every 50ms", "backoff.policies.report.breaker=none");
	}

	@Test
	void aScheduleThatWasChangedMovesItsRow() {
		run((application) -> assertThat(application.due("report").toString()).endsWith("-01-01T00:00:00Z"),
				"backoff.policies.report.schedule-zone=UTC");
		run((application) -> assertThat(application.due("report").toString()).contains("-05-05T03:00:00Z"),
				"report.schedule=0 0 3 5 5 *", "backoff.policies.report.schedule-zone=UTC");
	}

	@Test
	void argumentsAreReadByTheirTypes() {
		run((application) -> {
			Instant at = Instant.parse("2026-11-23T01:02:03.456789Z");
			DurableCall<?> call = application.context()
				.getBean(Shop.Mails.class)
				.sendOnce(new Shop.Mail("o7", null, at));
			assertThat(call.key()).isNull();
			application.awaitEnd("fragile", String.valueOf(call.id()));
			assertThat(application.journal().lines).containsExactly("o7 1");
		});
	}

	@Test
	void anAttemptInterruptedByTheShutdownIsDueAtOnceAndNotCounted() {
		CountDownLatch running = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				running.countDown();
				Thread.sleep(60_000);
				return "never";
			});
			application.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=1s");
		run((application) -> {
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1");
		});
	}

	@Test
	void anAttemptThatEndsWithinTheShutdownIsCounted() {
		CountDownLatch running = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				running.countDown();
				Thread.sleep(300);
				return "done";
			});
			application.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=1m");
		run((application) -> assertThat(application.calls().find("mails", "o1")).isEmpty(),
				"backoff.durable.work=false");
	}

	@Test
	void anAttemptThatOutlastsTheShutdownIsMadeAgain() {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
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
			application.mails("o1");
			await(running);
		}, "backoff.durable.shutdown-wait=50ms", SHORT_HEARTBEAT);
		run((application) -> {
			Awaitility.await().until(() -> application.journal().lines.contains("o1 1"));
			released.countDown();
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1");
		}, SHORT_HEARTBEAT);
	}

	@Test
	void aRecoveryInterruptedByTheShutdownIsRepeatedWithTheLastAttempt() {
		CountDownLatch recovering = new CountDownLatch(1);
		this.work = (attempt) -> "PENDING";
		run((application) -> {
			application.journal().when("recover", (attempt) -> {
				recovering.countDown();
				Thread.sleep(60_000);
				return "never";
			});
			application.poll("t1");
			await(recovering);
		}, "backoff.durable.shutdown-wait=1s");
		run((application) -> {
			application.awaitEnd("polling", "t1");
			assertThat(application.journal().lines).containsExactly("t1{a=[1, 2]} 4",
					"timed out t1{a=[1, 2]} ATTEMPTS_EXHAUSTED");
			assertThat(application.rows()).isZero();
		});
	}

	@Test
	void anAttemptThatIsInterruptedWithoutAShutdownCountsAsLost() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				throw new InterruptedException();
			});
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1", "o1 1");
			assertThat(application.stopOfDeadLetter()).contains("LOST, attempts that ended with their process: 2");
		}, "backoff.durable.max-losses=1");
	}

	@Test
	void theStoryOfACallThatStopsLaterNamesTheFailureBefore() {
		run((application) -> {
			application.journal().when("t1{a=[1, 2]}", (attempt) -> {
				// no second attempt in this process, however long it takes to close
				application.context().getBean(LiveConfiguration.class).overrideRetriesEnabled(false, null);
				return fail(true);
			});
			application.poll("t1");
			Awaitility.await()
				.until(() -> application.calls().find("polling", "t1").map(DurableState::attempts).orElse(0) == 1);
		}, "backoff.policies.polling.ladder=500ms", "backoff.policies.polling.deadline=1h");
		run((application) -> application.corrupt(new String(application.data(), StandardCharsets.UTF_8)
			.replaceFirst("(?<=\"deadline\":\")[^\"]*", "2026-01-01T00:00:00Z")), "backoff.durable.work=false");
		run((application) -> {
			application.awaitEnd("polling", "t1");
			assertThat(application.journal().lines).containsExactly("timed out t1{a=[1, 2]} DEADLINE");
			assertThat(application.journal().stories.get(0))
				.hasMessageContaining("; the attempt before threw java.lang.IllegalStateException");
		});
	}

	@Test
	void aCallThatIsSubmittedAfterTheCommitIsStored() {
		run((application) -> {
			application.inTransaction(
					() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCompletion(int status) {
							application.mails("o1");
						}

					}));
			Awaitility.await().until(() -> application.journal().lines.contains("o1 1"));
		}, "spring.datasource.hikari.auto-commit=false");
	}

	@Test
	void aConnectionThatDoesNotCommitByItselfIsCommitted() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> fail(attempt.number() < 3));
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			application.journal().when("o2", (attempt) -> fail(true));
			application.mails("o2");
			application.awaitEnd("mails", "o2");
			application.journal().when("o2", (attempt) -> "done");
			String id = application.journal().attempts.get(5).idempotencyKey();
			Object unused = new DurablePart(application.lanes()).write(
					application.lanes().methods().policy(application.method("mails")),
					Map.of("action", "requeue", "id", id));
			Awaitility.await().until(() -> application.rows() == 0);
			assertThat(application.journal().lines).hasSize(7);
		}, "spring.datasource.hikari.auto-commit=false");
	}

	/** Both rows have the same version, and the second one is picked here too. */
	@Test
	void anAttemptWhoseCallWasReplacedLeavesTheNextOne() {
		CountDownLatch second = new CountDownLatch(1);
		CountDownLatch first = new CountDownLatch(1);
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				if (attempt.number() == 1 && application.journal().attempts.size() == 1) {
					assertThat(application.calls().end("mails", "o1")).isTrue();
					application.mails("o1");
					second.await();
				}
				else if (attempt.number() == 1) {
					second.countDown();
					first.await();
					return fail(true);
				}
				return "done";
			});
			application.mails("o1");
			await(second);
			sleep(Duration.ofMillis(200));
			first.countDown();
			application.awaitEnd("mails", "o1");
			assertThat(application.journal().lines).containsExactly("o1 1", "o1 1", "o1 2");
		});
	}

	@Test
	void aSubmissionBesideTheEndOfItsCallIsStoredOrEndsWithIt() {
		run((application) -> {
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			application.calls().submit(later, () -> application.mails("o1"));
			CompletableFuture<DurableCall<?>> beside = new CompletableFuture<>();
			application.inTransaction(() -> {
				assertThat(application.calls().end("mails", "o1")).isTrue();
				beside.completeAsync(() -> application.calls().submit(later, () -> application.mails("o1")));
				sleep(Duration.ofMillis(200));
			});
			boolean stored = beside.orTimeout(60, TimeUnit.SECONDS).join().isNew();
			assertThat(application.rows()).isEqualTo(stored ? 1 : 0);
		});
	}

	@Test
	void aNestedTransactionThatIsRolledBackTakesItsEndsAndSubmissionsBack() {
		run((application) -> {
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			application.calls().submit(later, () -> application.mails("o1"));
			application.calls().submit(later, () -> application.mails("o2"));
			application.inTransaction(() -> {
				application.calls().end("mails", "o1");
				application.inTransaction(TransactionDefinition.PROPAGATION_NESTED, () -> {
					application.calls().end("mails", "o2");
					application.calls().submit(later, () -> application.mails("o3"));
					throw new IllegalStateException("rolled back");
				});
				assertThat(application.calls().submit(later, () -> application.mails("o2")).isNew()).isFalse();
			});
			assertThat(application.calls().find("mails", "o1")).isEmpty();
			assertThat(application.calls().find("mails", "o2")).isPresent();
			assertThat(application.calls().find("mails", "o3")).isEmpty();
		});
	}

	@Test
	void aFailureWithoutAMessageIsStored() {
		run((application) -> {
			application.journal().when("o1", (attempt) -> {
				throw new IllegalStateException() {

					private static final long serialVersionUID = 1L;

					@Override
					public String getMessage() {
						throw new UnsupportedOperationException();
					}

				};
			});
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(application.stopOfDeadLetter()).contains("Stopped after 3 of 3 attempts");
			assertThat(application.journal().lines).containsExactly("o1 1", "o1 2", "o1 3");
		});
	}

	@Test
	void aKeyThatADatabaseTakesForAnotherIsRefused() {
		run((application) -> assertThatIllegalArgumentException().isThrownBy(() -> application.mails("o1 "))
			.withMessageContaining("must have 1 to 100 characters and no blank at the end"));
	}

	@Test
	void aRowThatAnotherProcessHasPickedMeanwhileIsLeftToIt() {
		store("o1");
		run((application) -> {
			application.abandon("another", Instant.now());
			application.completed("mails", "o1");
			assertThat(application.journal().lines).isEmpty();
		}, "backoff.durable.work=false");
	}

	@Test
	void aStatementThatHasFailedIsMadeAgain() {
		run((application) -> {
			Shop.Mail mail = new Shop.Mail("o1", 1, Instant.now());
			String id = application.context.getBean(Shop.Mails.class).sendOnce(mail).id();
			application.abandon(application.lanes().store().name().getName(), Instant.now());
			application.completed("fragile", id, new ExecutionOperations<>(null, null, null) {

				@Override
				public void remove() {
					throw new IllegalStateException("the connection is lost");
				}

			});
			assertThat(application.journal().lines).containsExactly("o1 1");
			assertThat(application.calls().find("fragile", id)).isEmpty();
		}, "backoff.durable.work=false");
	}

	@Test
	void aCallWhoseDeadLetterIsThereAlreadyGoes() {
		run((application) -> {
			application.calls()
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(600)), () -> application.mails("o1"));
			Execution row = application.lanes().store().find("mails", "o1").orElseThrow();
			StoredCall call = (StoredCall) row.taskInstance.getData();
			assertThat(application.lanes()
				.store()
				.insert(new TaskInstance<>("mails/dead", call.id(), call), DurableTask.NEVER)).isTrue();
		}, "backoff.durable.work=false");
		run((application) -> {
			application.journal().when("o1", (attempt) -> fail(true));
			boolean unused = application.lanes()
				.store()
				.client()
				.reschedule(TaskInstanceId.of("mails", "o1"), Instant.now());
			Awaitility.await().until(() -> application.journal().lines.size() == 3);
			Awaitility.await().until(() -> application.calls().find("mails", "o1").isEmpty());
			assertThat(application.rows()).isOne();
		});
	}

	@Test
	void aRowThatIsNotDueYetIsPutBack() {
		run((application) -> {
			Instant due = Instant.now().plusSeconds(3_600);
			application.calls().submit(DurableCalls.Options.notBefore(due), () -> application.mails("o1"));
			application.abandon(application.lanes().store().name().getName(), Instant.now().minusSeconds(60));
			application.completed("mails", "o1");
			assertThat(application.journal().lines).isEmpty();
			assertThat(application.calls().find("mails", "o1")).hasValueSatisfying((state) -> {
				assertThat(state.state()).isEqualTo(Phase.SCHEDULED);
				assertThat(Duration.between(state.due(), due).abs()).isLessThan(Duration.ofMillis(1));
			});
		}, "backoff.durable.work=false");
	}

	@Test
	void aSlotThatWaitsForTheBreakerIsNotSkippedAtTheStart() {
		run((application) -> assertThat(application.due("report")).isAfter(Instant.now()), "backoff.durable.work=true");
		Instant past = Instant.now().minusSeconds(600).truncatedTo(ChronoUnit.SECONDS);
		run((application) -> {
			StoredCall slot = OneRowSchedule.call(application.method("report"), past, 0);
			boolean unused = application.lanes()
				.store()
				.client()
				.reschedule(TaskInstanceId.of("report", "schedule"), Instant.now().plusSeconds(3_600), slot);
		}, "backoff.durable.work=false");
		run((application) -> {
			assertThat(application.due("report")).isBefore(Instant.now().plusSeconds(3_601));
			boolean unused = application.lanes()
				.store()
				.client()
				.reschedule(TaskInstanceId.of("report", "schedule"), Instant.now());
			Awaitility.await().until(() -> application.journal().lines.contains("report 1"));
		});
	}

	@Test
	void aScheduleWaitsAtARowThatCannotBeReadUntilAnOperatorDeletesIt() {
		run((application) -> assertThat(application.due("report")).isAfter(Instant.now()));
		run((application) -> application.execute("update backoff_calls set task_data = ?, execution_time = ?", 1,
				"no json".getBytes(StandardCharsets.UTF_8), Instant.now().atOffset(ZoneOffset.UTC)),
				"backoff.durable.work=false");
		run((application) -> {
			Awaitility.await().until(() -> application.unreadable("report") == 1);
			assertThat(application.stored("report", "schedule").unreadable()).isEqualTo("no json");
			// an attempt may run
			Awaitility.await()
				.until(() -> application.delete("report", "schedule") instanceof Map<?, ?> answer
						&& answer.containsKey("deleted"));
			assertThat(application.due("report")).isAfter(Instant.now().plusSeconds(60));
			assertThat(application.stored("report", "schedule").isReadable()).isTrue();
			assertThat(application.delete("report", "schedule")).isInstanceOf(WebEndpointResponse.class);
		}, "backoff.policies.report.ladder=100ms");
	}

	@Test
	void theOldestCallIsTheFirstThatIsDueAndDoesNotRun() {
		store("o1");
		run((application) -> {
			String due = "update backoff_calls set execution_time = ? where task_instance = ?";
			application.abandon("another", Instant.now());
			application.execute(due, 1, Instant.now().minusSeconds(3_600).atOffset(ZoneOffset.UTC), "o1");
			assertThat(application.gauge("oldest", "policy", "mails")).isZero();
			application.mails("o2");
			application.execute(due, 1, Instant.now().minusSeconds(600).atOffset(ZoneOffset.UTC), "o2");
			assertThat(application.gauge("oldest", "policy", "mails")).isBetween(600.0, 1_200.0);
			assertThat(application.gauge("age", "policy", "mails")).isLessThan(600);
			assertThat(application.gauge("calls", "policy", "mails", "state", "running")).isOne();
			assertThat(application.gauge("calls", "policy", "mails", "state", "scheduled")).isOne();
		}, "backoff.durable.work=false");
	}

	@Test
	void theAgeIsThatOfTheOldestSubmissionAmongThoseThatWait() {
		Instant hourAgo = Instant.now().minusSeconds(3_600);
		run((application) -> {
			application.calls()
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(600)), () -> application.mails("o1"));
			application.calls()
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(900)), () -> application.mails("o2"));
			Execution row = application.lanes().store().find("mails", "o2").orElseThrow();
			StoredCall old = ((StoredCall) row.taskInstance.getData()).requeued(hourAgo, Nanos.UNLIMITED, 0);
			boolean unused = application.lanes()
				.store()
				.client()
				.reschedule(TaskInstanceId.of("mails", "o2"), row.executionTime, old);
			assertThat(
					application.lanes().store().insert(new TaskInstance<>("mails/dead", "id1", old), DurableTask.NEVER))
				.isTrue();
			assertThat(application.gauge("age", "policy", "mails")).isBetween(3_600.0, 4_200.0);
			assertThat(application.gauge("oldest", "policy", "mails")).isZero();
			assertThat(application.gauge("age", "policy", "report")).isZero();
		}, "backoff.durable.work=false");
	}

	@Test
	void anAttemptHasTheIdAndTheKeyOfItsCallInTheMdc() {
		run((application) -> {
			Map<String, String> seen = new ConcurrentHashMap<>();
			application.journal().when("o1", (attempt) -> {
				seen.putAll(MDC.getCopyOfContextMap());
				return "done";
			});
			application.mails("o1");
			application.awaitEnd("mails", "o1");
			assertThat(seen).containsEntry("backoff.key", "o1")
				.containsEntry("backoff.call", application.journal().attempts.get(0).idempotencyKey());
		});
	}

	@Test
	@SuppressWarnings({ "unchecked", "rawtypes" })
	void whatCannotBeStoredIsRefusedToTheCaller() {
		run((application) -> {
			Map wrong = Map.of("a", List.of("no number"));
			assertThatIllegalArgumentException().isThrownBy(() -> application.poll("t1", wrong))
				.withMessageStartingWith("Arguments of Payments.poll(String, Map): cannot be written as JSON and read "
						+ "again. Pass values that Jackson can write and read: ");
			assertThatIllegalArgumentException().isThrownBy(() -> application.mails("x".repeat(101)))
				.withMessageContaining("must have 1 to 100 characters");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> application.poll("t1", Map.of("a", IntStream.range(0, 500).boxed().toList())))
				.withMessageContaining("must not exceed backoff.durable.max-payload (1024 bytes)");
			assertThatIllegalStateException()
				.isThrownBy(() -> application.calls().submit(DurableCalls.Options.NONE, () -> {
				}))
				.withMessage("Invalid submission: must call one durable method, and called 0. "
						+ "A call within the same bean does not pass its proxy, and is none.");
			assertThat(application.rows()).isZero();
		}, "backoff.durable.max-payload=1KB");
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/* For what must not happen meanwhile, in a real database and real threads. */
	private static void sleep(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A running application. */
	record Application(ApplicationContext context) {

		Shop.Journal journal() {
			return this.context.getBean(Shop.Journal.class);
		}

		Lanes lanes() {
			return this.context.getBean(Lanes.class);
		}

		DurableMethods.DurableMethod method(String policy) {
			return java.util.Objects.requireNonNull(lanes().methods().of(policy));
		}

		/** Execute a row as the engine does that has picked it, and complete it. */
		void completed(String policy, String key) {
			completed(policy, key, null);
		}

		/** Execute a row as if it were due, and return the count of its failures. */
		int failures(String policy, String key) {
			execute("update backoff_calls set execution_time = ?, picked = ?, picked_by = ?, last_heartbeat = ? "
					+ "where task_instance = ?", 1, Instant.now().atOffset(ZoneOffset.UTC), true,
					lanes().store().name().getName(), Instant.now().atOffset(ZoneOffset.UTC), key);
			completed(policy, key);
			return lanes().store().find(policy, key).orElseThrow().consecutiveFailures;
		}

		/** Complete it by operations that are used unless the row may be lost. */
		void completed(String policy, String key, @Nullable ExecutionOperations<StoredCall> operations) {
			Execution row = lanes().store().find(policy, key).orElseThrow();
			CurrentlyExecuting running = new CurrentlyExecuting(row, new SystemClock(),
					new HeartbeatConfig(Duration.ofSeconds(5), 4, Duration.ofSeconds(20)));
			@SuppressWarnings("unchecked")
			CompletionHandler<StoredCall> completion = new DurableTask(method(policy), lanes()).task()
				.execute(row.taskInstance, new ExecutionContext(new SchedulerState.SettableSchedulerState(), row,
						lanes().store().client(), running));
			completion.complete(ExecutionComplete.success(row, Instant.now(), Instant.now()), operations);
		}

		StoredCall stored(String policy, String key) {
			return (StoredCall) lanes().store().find(policy, key).orElseThrow().taskInstance.getData();
		}

		int unreadable(String policy) {
			return lanes().meters().unreadable(policy, Instant.now());
		}

		Object delete(String policy, String row) {
			return new DurablePart(lanes()).write(lanes().methods().policy(method(policy)),
					Map.of("action", "delete", "id", row));
		}

		DurableCalls calls() {
			return this.context.getBean(DurableCalls.class);
		}

		void mails(String order) {
			this.context.getBean(Shop.Mails.class).send(order);
		}

		DurableCall<?> poll(String trade) {
			return poll(trade, Map.of("a", List.of(1, 2)));
		}

		DurableCall<?> poll(String trade, Map<String, List<Integer>> details) {
			return this.context.getBean(Shop.Payments.class).poll(trade, details);
		}

		void awaitEnd(String policy, String key) {
			Awaitility.await()
				.until(() -> calls().find(policy, key).map((state) -> state.state() == Phase.DEAD).orElse(true));
		}

		void inTransaction(Runnable work) {
			inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
		}

		void inTransaction(int propagation, Runnable work) {
			TransactionTemplate transaction = new TransactionTemplate(
					this.context.getBean(PlatformTransactionManager.class));
			transaction.setPropagationBehavior(propagation);
			try {
				transaction.executeWithoutResult((status) -> work.run());
			}
			catch (IllegalStateException ex) {
				assertThat(ex).hasMessage("rolled back");
			}
		}

		int count(String query) {
			DataSource dataSource = this.context.getBean(DataSource.class);
			Connection connection = org.springframework.jdbc.datasource.DataSourceUtils.getConnection(dataSource);
			try (PreparedStatement statement = connection.prepareStatement(query);
					var result = statement.executeQuery()) {
				return result.next() ? result.getInt(1) : 0;
			}
			catch (java.sql.SQLException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				org.springframework.jdbc.datasource.DataSourceUtils.releaseConnection(connection, dataSource);
			}
		}

		double gauge(String name, String... tags) {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			new DurableMeters.Binder(lanes()).bindTo(registry);
			return registry.get("backoff.durable." + name).tags(tags).gauge().value();
		}

		String stopOfDeadLetter() {
			return String.valueOf(lanes().store()
				.client()
				.getScheduledExecutionsForTask("mails/dead", StoredCall.class)
				.get(0)
				.getData()
				.stop());
		}

		void execute(String statement, int rows, Object... parameters) {
			try (Connection connection = this.context.getBean(DataSource.class).getConnection();
					PreparedStatement prepared = connection.prepareStatement(statement)) {
				for (int i = 0; i < parameters.length; i++) {
					prepared.setObject(i + 1, parameters[i]);
				}
				assertThat(prepared.executeUpdate()).isEqualTo(rows);
			}
			catch (java.sql.SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		/** Return the rows of calls, that of the schedule that is far away left out. */
		int rows() {
			return count("select count(*) from backoff_calls where task_name <> 'report'");
		}

		Instant due(String policy) {
			return calls().find(policy, "schedule").orElseThrow().due();
		}

		void dueNow() {
			execute("update backoff_calls set execution_time = ? where task_name <> 'report'", 1,
					Instant.now().atOffset(ZoneOffset.UTC));
		}

		/** Let the row look as if an attempt of another process ran. */
		void abandon(String process, Instant heartbeat) {
			execute("update backoff_calls set picked = ?, picked_by = ?, last_heartbeat = ?, version = version + 1 where task_name <> 'report'",
					1, true, process, heartbeat.atOffset(ZoneOffset.UTC));
		}

		byte[] data() {
			return new JdbcTemplate(this.context.getBean(DataSource.class))
				.queryForObject("select task_data from backoff_calls where task_name <> 'report'", byte[].class);
		}

		/** Return whether a row was picked and put back since its version was 1. */
		boolean isPutBack(String key) {
			return count("select count(*) from backoff_calls where version > 2 and task_instance = '" + key + "'") == 1;
		}

		void corrupt(String data) {
			execute("update backoff_calls set task_data = ? where task_name <> 'report'", 1,
					data.getBytes(StandardCharsets.UTF_8));
		}

	}

}
