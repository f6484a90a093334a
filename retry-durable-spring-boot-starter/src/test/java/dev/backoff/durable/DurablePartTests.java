package dev.backoff.durable;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.backoff.durable.DurableState.Phase;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.policy.EffectivePolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

@Execution(ExecutionMode.SAME_THREAD)
class DurablePartTests {

	@TempDir
	Path directory;

	private void run(Consumer<RunningShop> test, String... properties) {
		DurableCheckTests.runner(this.directory)
			.withPropertyValues(properties)
			.withUserConfiguration(Shop.class)
			.run((context) -> test.accept(new RunningShop(context)));
	}

	private static Object act(RunningShop shop, Map<String, Object> body) {
		return part(shop).write(mails(shop), body);
	}

	private static Object act(RunningShop shop, String action, String id) {
		return act(shop, Map.of("action", action, "id", id));
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> read(RunningShop shop, Map<String, String> parameters) {
		return (Map<String, Object>) part(shop).read(mails(shop), parameters);
	}

	private static DurablePart part(RunningShop shop) {
		return shop.context().getBean(DurablePart.class);
	}

	private static EffectivePolicy mails(RunningShop shop) {
		return shop.parts().methods().policy(shop.method("mails"));
	}

	/* Three attempts fail; the id of the dead letter is returned. */
	private static String die(RunningShop shop, String order) {
		shop.when(order, (attempt) -> ShopFixture.fail(true));
		shop.mails(order);
		Awaitility.await().until(() -> shop.calls().find("mails", order).isEmpty());
		return shop.attempts().get(shop.attempts().size() - 1).idempotencyKey();
	}

	@Test
	@SuppressWarnings("unchecked")
	void listsDeadLetters() {
		run((shop) -> {
			assertThat((Map<String, Integer>) read(shop, Map.of()).get("counts")).containsEntry("dead", 0);
			String id = die(shop, "o1");
			Map<String, Object> shown = read(shop, Map.of());
			assertThat((Map<String, Integer>) shown.get("counts")).containsEntry("dead", 1);
			assertThat((List<Map<String, Object>>) shown.get("calls")).singleElement().satisfies((call) -> {
				assertThat(call).containsEntry("id", id)
					.containsEntry("key", "o1")
					.containsEntry("state", "DEAD")
					.containsEntry("attempts", 3);
				assertThat(call.get("stop")).asString().startsWith("Stopped after 3 of 3 attempts");
			});
			String next = String.valueOf(read(shop, Map.of("limit", "1")).get("next"));
			assertThat((List<?>) read(shop, Map.of("limit", "1", "after", next)).get("calls")).isEmpty();
		});
	}

	@Test
	void aDeadLetterIsRequeuedWithTheSameId() {
		run((shop) -> {
			String id = die(shop, "o1");
			shop.when("o1", (attempt) -> "done");
			assertThat(act(shop, "requeue", id)).asInstanceOf(MAP).containsKey("due");
			Awaitility.await().until(() -> shop.attempts().size() == 4);
			assertThat(shop.attempts().get(3).number()).isEqualTo(1);
			assertThat(shop.attempts().get(3).idempotencyKey()).isEqualTo(id);
			assertThat(shop.attempts().get(3).fence()).isGreaterThan(shop.attempts().get(2).fence());
			Awaitility.await().until(() -> shop.calls().find("mails", id).isEmpty());
		});
	}

	@Test
	void allDeadLettersAreRequeuedOverATime() {
		run((shop) -> {
			for (String order : List.of("o1", "o2")) {
				die(shop, order);
				shop.when(order, (attempt) -> "done");
			}
			assertThat(act(shop, Map.of("action", "requeue", "over", "50ms", "limit", 10)))
				.isEqualTo(Map.of("requeued", 2));
			Awaitility.await().until(() -> shop.lines().size() == 8);
		});
	}

	@Test
	@SuppressWarnings("unchecked")
	void aThousandLettersThatStayDoNotHideTheRest() {
		run((shop) -> {
			bury(shop, "o1", 1, "b");
			shop.end("o1");
			bury(shop, "taken", 1_000, "a");
			Map<String, Object> shown = read(shop, Map.of());
			assertThat(shown).containsEntry("countedTo", 1_000);
			assertThat((Map<String, Integer>) shown.get("counts")).containsEntry("dead", 1_000)
				.containsEntry("planned", 0);
			assertThat(shop.gauge("calls", "policy", "mails", "state", "dead")).isEqualTo(1_001);
			assertThat(act(shop, Map.of("action", "requeue"))).isEqualTo(Map.of("requeued", 1));
		}, ShopFixture.NO_WORK);
	}

	@Test
	void lettersThatAreDueAlreadyAreNotRequeuedAgain() {
		run((shop) -> {
			bury(shop, "o1", 5, "a");
			shop.end("o1");
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> act(shop, Map.of("action", "requeue", "over", "999999999999d")));
			for (int requeued : List.of(2, 2, 1, 0)) {
				assertThat(act(shop, Map.of("action", "requeue", "over", "10m", "limit", 2)))
					.isEqualTo(Map.of("requeued", requeued));
			}
		}, ShopFixture.NO_WORK);
	}

	@Test
	@SuppressWarnings("unchecked")
	void aRequeuedLetterIsPlannedUntilItsTimeComesAndCanBePutBack() {
		run((shop) -> {
			bury(shop, "o1", 3, "a");
			shop.end("o1");
			act(shop, Map.of("action", "requeue", "over", "1h", "limit", 2));
			Map<String, Object> planned = read(shop, Map.of("state", "planned"));
			assertThat((Map<String, Integer>) planned.get("counts")).containsEntry("planned", 2)
				.containsEntry("dead", 1);
			assertThat((List<Map<String, Object>>) planned.get("calls"))
				.extracting((call) -> call.get("row"), (call) -> call.get("state"))
				.containsExactly(tuple("a0", "PLANNED"), tuple("a1", "PLANNED"));
			assertThat(shop.gauge("calls", "policy", "mails", "state", "planned")).isEqualTo(2);
			assertThat(shop.gauge("calls", "policy", "mails", "state", "dead")).isOne();
			assertThat(rows(shop, "dead")).containsExactly("a2");
			assertThat(rows(shop, "dead", "after", planned(shop))).containsExactly("a2");
			assertThat(rows(shop, "planned", "limit", "1", "after", planned(shop))).containsExactly("a1");
			assertThat(act(shop, "put-back", "a1")).isEqualTo(Map.of("state", "DEAD"));
			assertThat(rows(shop, "planned")).containsExactly("a0");
			assertThat(rows(shop, "dead")).containsExactly("a1", "a2");
		}, ShopFixture.NO_WORK);
	}

	private static String planned(RunningShop shop) {
		return String.valueOf(read(shop, Map.of("state", "planned", "limit", "1")).get("next"));
	}

	@SuppressWarnings("unchecked")
	private static List<Object> rows(RunningShop shop, String state, String... more) {
		Map<String, String> parameters = new HashMap<>(Map.of("state", state));
		for (int i = 0; i < more.length; i += 2) {
			parameters.put(more[i], more[i + 1]);
		}
		return ((List<Map<String, Object>>) read(shop, parameters).get("calls")).stream()
			.map((call) -> call.get("row"))
			.toList();
	}

	/* Store a call, and dead letters like it. */
	private static void bury(RunningShop shop, String order, int letters, String names) {
		shop.mails(order);
		StoredCall call = shop.stored("mails", order);
		IntStream.range(0, letters)
			.mapToObj((letter) -> new TaskInstance<>("mails/dead", names + letter, call))
			.forEach((letter) -> assertThat(shop.parts().store().insert(letter, StoredCall.NEVER)).isTrue());
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aStartTellsOfStoredCallsAndDeadLetters(CapturedOutput output) {
		List<Instant> submitted = new ArrayList<>();
		run((shop) -> {
			bury(shop, "o1", 1, "a");
			shop.mails("o2");
			submitted.add(shop.stored("mails", "o1").submitted());
		}, ShopFixture.NO_WORK);
		run((shop) -> assertThat(output)
			.contains("Stored calls go on, and dead letters wait (number, the oldest since when): mails 2, since "
					+ submitted.get(0) + "; mails/dead 1, since " + submitted.get(0)),
				"backoff.retries-enabled=false");
	}

	@Test
	void aDeadLetterStaysWhileItsKeyIsTaken() {
		run((shop) -> {
			String id = die(shop, "o1");
			shop.mailsLater("o1");
			assertThat(((WebEndpointResponse<?>) act(shop, "requeue", id)).getStatus()).isEqualTo(409);
			// as the engine's own tools do
			shop.parts().store().client.reschedule(TaskInstanceId.of("mails/dead", id), Instant.now());
			shop.workers().arm("mails/dead", Instant.now());
			Awaitility.await()
				.until(() -> shop.calls()
					.find("mails", id)
					.filter((state) -> state.due().equals(StoredCall.NEVER))
					.isPresent());
			assertThat(shop.calls().find("mails", "o1"))
				.hasValueSatisfying((state) -> assertThat(state.state()).isEqualTo(Phase.SCHEDULED));
		});
	}

	@Test
	void aCallIsMadeDueOrDeleted() {
		run((shop) -> {
			shop.mailsLater("o1");
			shop.mailsLater("o2");
			Object unused = act(shop, "run-now", "o1");
			Awaitility.await().until(() -> shop.calls().find("mails", "o1").isEmpty());
			assertThat(shop.lines()).containsExactly("o1 1");
			assertThat(act(shop, "delete", "o2")).isEqualTo(Map.of("deleted", 1));
			assertThat(shop.calls().find("mails", "o2")).isEmpty();
			assertThat(((WebEndpointResponse<?>) act(shop, "delete", "o2")).getStatus()).isEqualTo(404);
		});
	}

	@Test
	void anActionTakesTheIdOfACallWithAKeyToo() {
		run((shop) -> {
			List<String> ids = Stream.of("o1", "o2", "o3").map((order) -> shop.mailsLater(order).id()).toList();
			// the row of one call, and the id of another
			shop.calls().submit(DurableCalls.Options.key(ids.get(0)), () -> shop.mails("o4"));
			for (String id : List.of(ids.get(0), ids.get(2))) {
				Object unused = act(shop, "delete", id);
			}
			Object unused = act(shop, "run-now", ids.get(1));
			assertThat(
					Stream.of("o1", "o2", "o3", ids.get(0)).flatMap((key) -> shop.calls().find("mails", key).stream()))
				.extracting(DurableState::key, (state) -> state.due().isAfter(Instant.now()))
				.containsExactly(tuple("o1", true), tuple("o2", false));
			assertThat(message(shop, "requeue", "o1")).endsWith("it is not dead.");
			assertThat(message(shop, "run-now", "a\0b")).startsWith("Call a?b: is not known. Write the id or the row");
			bury(shop, "o1", 1, "a");
			assertThat(message(shop, "run-now", "a0")).isEqualTo("The call is left as it is: it is dead; requeue it.");
		}, ShopFixture.NO_WORK);
	}

	private static String message(RunningShop shop, String action, String id) {
		return String.valueOf(((Map<?, ?>) ((WebEndpointResponse<?>) act(shop, action, id)).getBody()).get("message"));
	}

	@Test
	void metersCountWhatHappensToCalls() {
		run((shop) -> {
			MeterRegistry registry = new SimpleMeterRegistry();
			shop.context().getBean(DurableMeterBinder.class).bindTo(registry);
			die(shop, "o1");
			shop.mails("o2");
			shop.awaitEnd("mails", "o2");
			Awaitility.await().until(() -> counted(registry, "ended", "done") == 1);
			assertThat(counted(registry, "submitted", "new")).isEqualTo(2);
			assertThat(counted(registry, "ended", "dead")).isEqualTo(1);
			assertThat(registry.get("backoff.durable.calls").tags("policy", "mails", "state", "dead").gauge().value())
				.isEqualTo(1);
			assertThat(registry.get("backoff.durable.lateness").tags("policy", "mails").timer().count()).isEqualTo(4);
			assertThat(registry.get("backoff.durable.lane.paused").tags("policy", "mails").gauge().value()).isZero();
			assertThat(registry.getMeters())
				.allSatisfy((meter) -> assertThat(meter.getId().getDescription()).isNotBlank());
			String zones = AutodetectJdbcCustomization.class.getName() + ".utc_warning";
			assertThat(LoggerFactory.getLogger(zones).isWarnEnabled()).isFalse();
		});
	}

	private static double counted(MeterRegistry registry, String meter, String outcome) {
		return registry.get("backoff.durable." + meter)
			.tags("policy", "mails", "outcome", outcome)
			.functionCounter()
			.count();
	}

}
