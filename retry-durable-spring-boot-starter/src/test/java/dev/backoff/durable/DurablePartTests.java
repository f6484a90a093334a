package dev.backoff.durable;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.task.TaskInstance;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.backoff.durable.DurableState.Phase;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.policy.EffectivePolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

@Execution(ExecutionMode.SAME_THREAD)
class DurablePartTests {

	@TempDir
	Path directory;

	private void run(ContextConsumer<AssertableApplicationContext> test, String... properties) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues("backoff.durable.file=" + this.directory.resolve("calls"))
			.withPropertyValues(properties)
			.withUserConfiguration(Shop.class)
			.run(test);
	}

	private static EffectivePolicy mails(AssertableApplicationContext context) {
		return context.getBean(BackoffMethods.class)
			.durable()
			.values()
			.stream()
			.filter((policy) -> policy.name().equals("mails"))
			.findFirst()
			.orElseThrow();
	}

	/* Three attempts fail; the id of the dead letter is returned. */
	private static String die(AssertableApplicationContext context, String order) {
		Shop.Journal journal = context.getBean(Shop.Journal.class);
		journal.when(order, (attempt) -> {
			throw new IllegalStateException("down");
		});
		context.getBean(Shop.Mails.class).send(order);
		DurableCalls calls = context.getBean(DurableCalls.class);
		Awaitility.await().until(() -> calls.find("mails", order).isEmpty());
		return journal.attempts.get(journal.attempts.size() - 1).idempotencyKey();
	}

	@Test
	@SuppressWarnings("unchecked")
	void listsDeadLetters() {
		run((context) -> {
			Map<String, Object> none = (Map<String, Object>) context.getBean(DurablePart.class)
				.read(mails(context), Map.of());
			assertThat((Map<String, Integer>) none.get("counts")).containsEntry("dead", 0);
			String id = die(context, "o1");
			Map<String, Object> shown = (Map<String, Object>) context.getBean(DurablePart.class)
				.read(mails(context), Map.of());
			assertThat((Map<String, Integer>) shown.get("counts")).containsEntry("dead", 1);
			assertThat((List<Map<String, Object>>) shown.get("calls")).singleElement().satisfies((call) -> {
				assertThat(call).containsEntry("id", id)
					.containsEntry("key", "o1")
					.containsEntry("state", "DEAD")
					.containsEntry("attempts", 3);
				assertThat(call.get("stop")).asString().startsWith("Stopped after 3 of 3 attempts");
			});
			Map<String, Object> page = (Map<String, Object>) context.getBean(DurablePart.class)
				.read(mails(context), Map.of("limit", "1"));
			Map<String, Object> rest = (Map<String, Object>) context.getBean(DurablePart.class)
				.read(mails(context), Map.of("limit", "1", "after", String.valueOf(page.get("next"))));
			assertThat((List<?>) rest.get("calls")).isEmpty();
		});
	}

	@Test
	void aDeadLetterIsRequeuedWithTheSameId() {
		run((context) -> {
			String id = die(context, "o1");
			Shop.Journal journal = context.getBean(Shop.Journal.class);
			long before = journal.attempts.get(2).fence();
			journal.when("o1", (attempt) -> "done");
			Object answer = context.getBean(DurablePart.class)
				.write(mails(context), Map.of("action", "requeue", "id", id));
			assertThat(answer).asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP).containsKey("due");
			Awaitility.await().until(() -> journal.attempts.size() == 4);
			assertThat(journal.attempts.get(3).number()).isEqualTo(1);
			assertThat(journal.attempts.get(3).idempotencyKey()).isEqualTo(id);
			assertThat(journal.attempts.get(3).fence()).isGreaterThan(before);
			Awaitility.await().until(() -> context.getBean(DurableCalls.class).find("mails", id).isEmpty());
		});
	}

	@Test
	void allDeadLettersAreRequeuedOverATime() {
		run((context) -> {
			die(context, "o1");
			die(context, "o2");
			Shop.Journal journal = context.getBean(Shop.Journal.class);
			journal.when("o1", (attempt) -> "done");
			journal.when("o2", (attempt) -> "done");
			assertThat(context.getBean(DurablePart.class)
				.write(mails(context), Map.of("action", "requeue", "over", "50ms", "limit", 10)))
				.isEqualTo(Map.of("requeued", 2));
			Awaitility.await().until(() -> journal.lines.size() == 8);
		});
	}

	@Test
	void lettersThatStayDoNotKeepOthersFromTheirTurn() {
		run((context) -> {
			die(context, "o1");
			die(context, "o2");
			context.getBean(DurableCalls.class)
				.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600)),
						() -> context.getBean(Shop.Mails.class).send("o1"));
			Shop.Journal journal = context.getBean(Shop.Journal.class);
			journal.when("o2", (attempt) -> "done");
			DurablePart part = context.getBean(DurablePart.class);
			assertThat(part.write(mails(context), Map.of("action", "requeue", "limit", 1)))
				.isEqualTo(Map.of("requeued", 1));
			Awaitility.await().until(() -> journal.lines.size() == 7);
			assertThat(journal.lines).last().isEqualTo("o2 1");
			assertThat(part.write(mails(context), Map.of("action", "requeue"))).isEqualTo(Map.of("requeued", 0));
		});
	}

	@Test
	void aThousandLettersThatStayDoNotHideTheRest() {
		run((context) -> {
			bury(context, "o1", 1, "b");
			context.getBean(DurableCalls.class).end("mails", "o1");
			bury(context, "taken", 1_000, "a");
			assertThat(context.getBean(DurablePart.class).write(mails(context), Map.of("action", "requeue")))
				.isEqualTo(Map.of("requeued", 1));
		}, "backoff.durable.work=false");
	}

	@Test
	void lettersThatAreDueAlreadyAreNotRequeuedAgain() {
		run((context) -> {
			bury(context, "o1", 5, "a");
			context.getBean(DurableCalls.class).end("mails", "o1");
			DurablePart part = context.getBean(DurablePart.class);
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> part.write(mails(context), Map.of("action", "requeue", "over", "999999999999d")));
			for (int requeued : List.of(2, 2, 1, 0)) {
				assertThat(part.write(mails(context), Map.of("action", "requeue", "over", "10m", "limit", 2)))
					.isEqualTo(Map.of("requeued", requeued));
			}
		}, "backoff.durable.work=false");
	}

	/* Store a call, and dead letters like it. */
	private static void bury(AssertableApplicationContext context, String order, int letters, String names) {
		context.getBean(Shop.Mails.class).send(order);
		Store store = context.getBean(DurableParts.class).store();
		Object call = store.find("mails", order).orElseThrow().taskInstance.getData();
		IntStream.range(0, letters)
			.forEach((letter) -> assertThat(
					store.insert(new TaskInstance<>("mails/dead", names + letter, (StoredCall) call), StoredCall.NEVER))
				.isTrue());
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aStartTellsOfStoredCallsAndDeadLetters(CapturedOutput output) {
		List<Instant> submitted = new ArrayList<>();
		run((context) -> {
			bury(context, "o1", 1, "a");
			context.getBean(Shop.Mails.class).send("o2");
			DurableCalls calls = context.getBean(DurableCalls.class);
			submitted.add(calls.find("mails", "o1").orElseThrow().submitted());
		}, "backoff.durable.work=false");
		run((context) -> assertThat(output)
			.contains("Stored calls go on, and dead letters wait (number, the oldest since when): mails 2, since "
					+ submitted.get(0) + "; mails/dead 1, since " + submitted.get(0)),
				"backoff.retries-enabled=false");
	}

	@Test
	void aDeadLetterStaysWhileItsKeyIsTaken() {
		run((context) -> {
			String id = die(context, "o1");
			DurableCalls calls = context.getBean(DurableCalls.class);
			calls.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600)),
					() -> context.getBean(Shop.Mails.class).send("o1"));
			assertThat(status(context, Map.of("action", "requeue", "id", id))).isEqualTo(409);
			// as the engine's own tools do
			context.getBean(DurableParts.class)
				.store()
				.client()
				.reschedule(com.github.kagkarlsson.scheduler.task.TaskInstanceId.of("mails/dead", id), Instant.now());
			context.getBean(Workers.class).arm("mails/dead", Instant.now());
			Awaitility.await()
				.until(() -> calls.find("mails", id)
					.filter((state) -> state.due().equals(StoredCall.NEVER))
					.isPresent());
			assertThat(calls.find("mails", "o1"))
				.hasValueSatisfying((state) -> assertThat(state.state()).isEqualTo(Phase.SCHEDULED));
		});
	}

	private static int status(AssertableApplicationContext context, Map<String, Object> body) {
		return ((WebEndpointResponse<?>) context.getBean(DurablePart.class).write(mails(context), body)).getStatus();
	}

	@Test
	void aCallIsMadeDueOrDeleted() {
		run((context) -> {
			DurableCalls calls = context.getBean(DurableCalls.class);
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			calls.submit(later, () -> context.getBean(Shop.Mails.class).send("o1"));
			calls.submit(later, () -> context.getBean(Shop.Mails.class).send("o2"));
			DurablePart part = context.getBean(DurablePart.class);
			Object unused = part.write(mails(context), Map.of("action", "run-now", "id", "o1"));
			Awaitility.await().until(() -> calls.find("mails", "o1").isEmpty());
			assertThat(context.getBean(Shop.Journal.class).lines).containsExactly("o1 1");
			assertThat(part.write(mails(context), Map.of("action", "delete", "id", "o2")))
				.isEqualTo(Map.of("deleted", 1));
			assertThat(calls.find("mails", "o2")).isEmpty();
			assertThat(status(context, Map.of("action", "delete", "id", "o2"))).isEqualTo(404);
		});
	}

	@Test
	void anActionTakesTheIdOfACallWithAKeyToo() {
		run((context) -> {
			DurablePart part = context.getBean(DurablePart.class);
			DurableCalls calls = context.getBean(DurableCalls.class);
			DurableCalls.Options later = DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
			List<String> ids = Stream.of("o1", "o2", "o3")
				.map((order) -> calls.submit(later, () -> context.getBean(Shop.Mails.class).send(order)).id())
				.toList();
			// the row of one call, and the id of another
			calls.submit(DurableCalls.Options.key(ids.get(0)), () -> context.getBean(Shop.Mails.class).send("o4"));
			for (String id : List.of(ids.get(0), ids.get(2))) {
				Object unused = part.write(mails(context), Map.of("action", "delete", "id", id));
			}
			Object unused = part.write(mails(context), Map.of("action", "run-now", "id", ids.get(1)));
			assertThat(Stream.of("o1", "o2", "o3", ids.get(0)).flatMap((key) -> calls.find("mails", key).stream()))
				.extracting(DurableState::key, (state) -> state.due().isAfter(Instant.now()))
				.containsExactly(tuple("o1", true), tuple("o2", false));
			assertThat(message(context, "requeue", "o1")).endsWith("it is not dead.");
			assertThat(message(context, "run-now", "a\0b"))
				.startsWith("Call a?b: is not known. Write the id or the row");
			bury(context, "o1", 1, "a");
			assertThat(message(context, "run-now", "a0"))
				.isEqualTo("The call is left as it is: it is dead; requeue it.");
		}, "backoff.durable.work=false");
	}

	private static String message(AssertableApplicationContext context, String action, String id) {
		Object answer = context.getBean(DurablePart.class).write(mails(context), Map.of("action", action, "id", id));
		return String.valueOf(((Map<?, ?>) ((WebEndpointResponse<?>) answer).getBody()).get("message"));
	}

	@Test
	void metersCountWhatHappensToCalls() {
		run((context) -> {
			MeterRegistry registry = new SimpleMeterRegistry();
			context.getBean(DurableMeterBinder.class).bindTo(registry);
			die(context, "o1");
			context.getBean(Shop.Mails.class).send("o2");
			Awaitility.await().until(() -> context.getBean(DurableCalls.class).find("mails", "o2").isEmpty());
			Awaitility.await()
				.until(() -> registry.get("backoff.durable.ended")
					.tags("policy", "mails", "outcome", "done")
					.functionCounter()
					.count() == 1);
			assertThat(registry.get("backoff.durable.submitted")
				.tags("policy", "mails", "outcome", "new")
				.functionCounter()
				.count()).isEqualTo(2);
			assertThat(registry.get("backoff.durable.ended")
				.tags("policy", "mails", "outcome", "dead")
				.functionCounter()
				.count()).isEqualTo(1);
			assertThat(registry.get("backoff.durable.calls").tags("policy", "mails", "state", "dead").gauge().value())
				.isEqualTo(1);
			assertThat(registry.get("backoff.durable.lateness").tags("policy", "mails").timer().count()).isEqualTo(4);
			assertThat(registry.get("backoff.durable.lane.paused").tags("policy", "mails").gauge().value()).isZero();
		});
	}

}
