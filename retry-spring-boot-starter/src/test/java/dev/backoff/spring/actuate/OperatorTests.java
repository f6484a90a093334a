package dev.backoff.spring.actuate;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import com.jayway.jsonpath.JsonPath;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.skyscreamer.jsonassert.JSONAssert;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.OutboundRequest;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

/** The endpoint with unrestricted access, over real HTTP. */
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = OperatorTests.Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=backoff",
				"management.endpoint.backoff.access=unrestricted", "backoff.defaults.jitter=none",
				"backoff.policies.orders.base=1s", "backoff.policies.orders.max-attempts=3",
				"backoff.policies.orders.cap=10s", "backoff.policies.sync.base=1m", "backoff.policies.sync.cap=1m",
				"backoff.policies.sync.max-attempts=2", "backoff.policies.hanging.deadline=3s",
				"backoff.breakers.gateway.failure-rate=50%", "secret=sesame", "backoff.policies.moved.base=1s",
				"backoff.policies.moved.cap=30s", "backoff.policies.moved.throttled-base=20s",
				"backoff.policies.[payment\\ callback].base=1s", "backoff.policies.[a/b].base=1s",
				"backoff.policies.Mixed.base=1s", "backoff.policies.[zahlung-über].base=1s",
				"backoff.policies.breakers.base=1s", "backoff.policies.with_under.base=1s",
				"backoff.policies.[written].base=1s", "backoff.policies.[支付].base=1s" })
class OperatorTests {

	private static final ApplicationContextRunner OTHER = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(Mails.class)
		.withPropertyValues("backoff.policies.moved.base=1s", "backoff.policies.moved.cap=30s",
				"backoff.policies.moved.throttled-base=20s", "backoff.defaults.jitter=none");

	@LocalServerPort
	private int port;

	@Autowired
	private BackoffPolicies policies;

	@Autowired
	private Orders orders;

	@Autowired
	private VirtualTime time;

	@Autowired
	private CircuitBreakers breakers;

	@Autowired
	private RetryBudgets budgets;

	@Autowired
	private List<AuditEvent> audits;

	private HttpResponse<String> send(String method, String path, String body) throws Exception {
		return LocalClient.on(this.port).send(method, "/actuator/backoff" + path, body);
	}

	private String ok(String method, String path, String body) throws Exception {
		HttpResponse<String> response = send(method, path, body);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

	private String refused(int status, String method, String path, String body) throws Exception {
		HttpResponse<String> response = send(method, path, body);
		assertThat(response.statusCode()).isEqualTo(status);
		return response.body();
	}

	/** Check the policies of an application that has these lines in its configuration. */
	private static void configured(List<String> lines, Consumer<BackoffPolicies> check) throws IOException {
		Properties properties = new Properties();
		properties.load(new StringReader(String.join("\n", lines)));
		OTHER
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new PropertiesPropertySource("lines", properties)))
			.run((context) -> check.accept(context.getBean(BackoffPolicies.class)));
	}

	private List<Duration> waits() {
		return this.time.delaysOf(() -> assertThatIOException().isThrownBy(this.orders::place));
	}

	@AfterEach
	void reset() throws Exception {
		ok("DELETE", "", "");
		assertThat(this.policies.configuration().overrides().isEmpty()).isTrue();
		this.breakers.get("gateway").reset();
		this.time.runAll();
	}

	@Nested
	class Overrides {

		@Test
		void holdForThisProcessAndSaySo() throws Exception {
			String answer = ok("POST", "/orders", "{\"base\": \"2s\", \"max-attempts\": 4, \"for\": \"30m\"}");
			assertThat(JsonPath.<String>read(answer, "$.scope"))
				.isEqualTo("this process only, for 30m at most, and gone after a restart");
			assertThat(JsonPath.<List<String>>read(answer, "$.configuration"))
				.containsExactly("backoff.policies.orders.base=2s", "backoff.policies.orders.max-attempts=4");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[?(@.key == 'base')].before.value"))
				.containsExactly("1s");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[?(@.key == 'base')].now.origin"))
				.containsExactly("live override");
			assertThat(waits()).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(8));
			String shown = ok("GET", "/orders", "");
			assertThat(JsonPath.<String>read(shown, "$.overrides.base.value")).isEqualTo("2s");
			assertThat(JsonPath.<String>read(shown, "$.overrides.base.until")).isNotBlank();
			assertThat(JsonPath.<String>read(shown, "$.methods['Orders.place'].values.base.origin"))
				.isEqualTo("live override");
			assertThat(JsonPath.<Double>read(shown, "$.methods['Orders.place'].delays[2].greatestMs")).isEqualTo(8000);
		}

		@Test
		void endWhenTheyAreReset() throws Exception {
			ok("POST", "/orders", "{\"base\": \"2s\"}");
			String answer = ok("DELETE", "/ORDERS", "");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[*].now.value")).containsExactly("1s");
			assertThat(waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
			assertThat(JsonPath.<List<Object>>read(ok("DELETE", "/orders", ""), "$.changes")).isEmpty();
		}

		@Test
		void endOneByOne() throws Exception {
			ok("POST", "", "{\"retries-enabled\": false}");
			ok("POST", "/orders", "{\"base\": \"2s\", \"max-attempts\": 4}");
			ok("DELETE", "?key=retriesEnabled", "");
			String answer = ok("DELETE", "/orders?key=maxAttempts", "");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[*].now.value")).containsExactly("3");
			assertThat(waits()).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(4));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				/orders                | {"base": "2s", "max-attempts": 4} | /orders?key=base&key=max-attempts
				/payment%20callback    | {"cap": "9s"}                     | /payment%20callback?key=cap
				''                     | {"retries-enabled": false}        | ?key=retries-enabled""")
		void areUndoneByTheCommandOfTheAnswerAlone(String path, String body, String undo) throws Exception {
			ok("POST", "/orders", "{\"enabled\": false}");
			String answer = ok("POST", path, body);
			assertThat(JsonPath.<String>read(answer, "$.undo")).isEqualTo("curl -X DELETE \"$A" + undo + "\"");
			String undone = ok("DELETE", undo, "");
			assertThat(JsonPath.<List<?>>read(undone, "$.changes"))
				.hasSameSizeAs(JsonPath.<List<?>>read(answer, "$.changes"));
			assertThat(policies.configuration().overrides().of("orders")).containsOnlyKeys(PolicyKey.ENABLED);
		}

		@Test
		void giveWayToThoseThatTheyReplacedWhenTheyAreUndone() throws Exception {
			ok("POST", "/orders", "{\"cap\": \"45s\", \"for\": \"2h\"}");
			ok("POST", "/orders", "{\"multiplier\": \"1.5\", \"jitter\": \"20%\"}");
			ok("POST", "", "{\"retries-enabled\": true}");
			time.advance(Duration.ofMinutes(30));
			String answer = ok("POST", "/orders",
					"{\"base\": \"50s\", \"cap\": \"60s\", \"multiplier\": 3, \"jitter\": \"none\", \"for\": \"10m\"}");
			assertThat(JsonPath.<String>read(answer, "$.undo"))
				.isEqualTo("curl -X DELETE \"$A/orders?key=base&key=cap&key=jitter&key=multiplier\""
						+ " && curl $A/orders --json '{\"cap\": \"45s\", \"for\": \"5400s\"}'"
						+ " && curl $A/orders --json '{\"jitter\": \"20%\", \"for\": \"none\"}'"
						+ " && curl $A/orders --json '{\"multiplier\": \"1.5\", \"for\": \"none\"}'");
			assertThat(JsonPath.<String>read(ok("POST", "", "{\"retries-enabled\": false}"), "$.undo"))
				.isEqualTo("curl -X DELETE \"$A?key=retries-enabled\" && curl $A --json"
						+ " '{\"retries-enabled\": \"true\", \"for\": \"none\"}'");
			ok("DELETE", "/orders?key=base&key=cap&key=multiplier&key=jitter", "");
			ok("POST", "/orders", "{\"cap\": \"45s\", \"for\": \"5400s\"}");
			ok("POST", "/orders", "{\"jitter\": \"20%\", \"for\": \"none\"}");
			ok("POST", "/orders", "{\"multiplier\": \"1.5\", \"for\": \"none\"}");
			String shown = ok("GET", "/orders", "");
			assertThat(JsonPath.<Map<String, ?>>read(shown, "$.overrides")).containsOnlyKeys("cap", "multiplier",
					"jitter");
			assertThat(JsonPath.<String>read(shown, "$.overrides.cap.value")).isEqualTo("45s");
			time.advance(Duration.ofMinutes(90));
			assertThat(time.runDue()).isOne();
			Awaitility.await()
				.untilAsserted(() -> assertThat(policies.configuration().overrides().of("orders"))
					.containsOnlyKeys(PolicyKey.MULTIPLIER, PolicyKey.JITTER));
		}

		@Test
		void keepTheTimeLeftUnlessTheyGetAnother() throws Exception {
			ok("POST", "/orders", "{\"base\": \"2s\", \"cap\": \"20s\", \"for\": \"30m\"}");
			time.advance(Duration.ofMinutes(20));
			String until = JsonPath.read(ok("GET", "/orders", ""), "$.overrides.base.until");
			String kept = ok("POST", "/orders", "{\"base\": \"3s\"}");
			assertThat(JsonPath.<String>read(kept, "$.scope"))
				.isEqualTo("this process only, until " + until + ", as before, and gone after a restart");
			String endless = ok("POST", "/orders", "{\"cap\": \"40s\", \"for\": \"none\"}");
			assertThat(JsonPath.<String>read(endless, "$.scope"))
				.isEqualTo("this process only, until it is reset, and gone after a restart");
			assertThat(JsonPath.<String>read(ok("GET", "/orders", ""), "$.overrides.base.until")).isEqualTo(until);
			time.advance(Duration.ofMinutes(10));
			assertThat(time.runDue()).isOne();
			Awaitility.await()
				.untilAsserted(() -> assertThat(policies.configuration().overrides().of("orders"))
					.containsOnlyKeys(PolicyKey.CAP));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				?key=base                     | Invalid key (base): is not known here.
				?kye=retries-enabled          | Invalid key (kye): is not known here.
				/orders?key=bose              | Invalid key (bose) of policy orders: is not known.
				/orders?key=base&key=bose     | Invalid key (bose) of policy orders: is not known.
				""")
		void doNotEndByAWrongKey(String path, String message) throws Exception {
			ok("POST", "/orders", "{\"base\": \"2s\"}");
			assertThat(JsonPath.<String>read(refused(400, "DELETE", path, ""), "$.problems[0].message"))
				.isEqualTo(message);
			assertThat(policies.configuration().overrides().isEmpty()).isFalse();
		}

		@Test
		void switchAllRetriesOff() throws Exception {
			ok("POST", "", "{\"retries-enabled\": false, \"for\": \"10m\"}");
			assertThat(waits()).isEmpty();
			String shown = ok("GET", "", "");
			assertThat(JsonPath.<Boolean>read(shown, "$.retriesEnabled")).isFalse();
			assertThat(JsonPath.<String>read(shown, "$.overrides.retries-enabled.until")).isNotBlank();
			ok("DELETE", "", "");
			assertThat(waits()).hasSize(2);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						/orders | {"base": "soon"}            | Invalid base of policy orders (soon) at live override: must be a duration.
						/orders | {"cap": "500ms"}            | Invalid cap of policy orders (500ms) at live override: must not be below the base (1s).
						/orders | {"max-retries": 3}          | Invalid key (max-retries) of policy orders: is not known.
						/orders | {"max-attempts": 0}         | Invalid max-attempts of policy orders (0) at live override
						/orders | {"cap": "20s", "for": "30"} | Invalid for (30): must have a unit.
						/orders | {"cap": "20s", "for": "-1s"} | Invalid for (-1s)
						/orders | {"cap": "20s", "for": "9999999999999999d"} | Invalid for (9999999999999999d)
						/orders | {"for": "30m"}              | Policy orders: needs a value to override.
						/orders | {}                          | Policy orders: needs a value to override.
						/orders | {"retry-on": "java.lang.Error"} | Invalid key (retry-on) of policy orders: cannot be changed while the application runs.
						''                                    | {"retries-enabled": "perhaps"} | Invalid retries-enabled (perhaps): must be true or false.
						''                                    | {"retries-enabled": false, "retriesEnabled": true} | Invalid retries-enabled: is there twice.
						''                                    | {"enabled": false}  | Invalid key (enabled): is not known here.
						''                                    | {}                  | What is written: says nothing of retries-enabled.
						/breakers/gateway | {"state": "closed", "for": "5m"} | Invalid state (closed) of breaker gateway: is none that it can be put into for a time.
						/breakers/gateway | {"state": "ajar"} | Invalid state (ajar) of breaker gateway: is none that it can be put into.
						/breakers/gateway | {"stat": "open"}  | Invalid key (stat): is not known here.
						/budgets/orders   | {"reset": false}  | Budget orders: can only be filled.
						/orders/wake      | {"now": true}     | Invalid key (now): is not known here.
						""")
		void areRefusedWithAReport(String path, String body, String message) throws Exception {
			HttpResponse<String> response = send("POST", (path != null) ? path : "", body);
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).startsWith(message);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].fix")).isNotBlank();
			assertThat(waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
		}

		@ParameterizedTest
		@ValueSource(strings = { "{\"base\": {\"a\": 1}}", "{\"base\": [\"1s\"]}", "nonsense", "[1]" })
		void areRefusedIfTheyAreNoObjectOfValues(String body) throws Exception {
			assertThat(send("POST", "/orders", body).statusCode()).isEqualTo(400);
			assertThat(waits()).hasSize(2);
		}

		@Test
		void areOfPoliciesAndNotOfMethods() throws Exception {
			assertThat(refused(404, "POST", "/Orders.place", "{\"cap\": \"20s\"}"))
				.contains("It is a method of policy orders, so write that.");
		}

		@Test
		void comeWithAdvice() throws Exception {
			String answer = ok("POST", "/orders", "{\"base\": \"10s\", \"cap\": \"1m\"}");
			assertThat(JsonPath.<List<String>>read(answer, "$.advice"))
				.anySatisfy((advice) -> assertThat(advice).startsWith("Orders.place: ").contains("30 s"));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						GET    | /nobody          | Policy nobody: is not known.    | All policies are at /actuator/backoff.
						GET    | /order           | Policy order: is not known.     | Write orders.
						POST   | /nobody          | Policy nobody: is not known.    | All policies are at /actuator/backoff.
						DELETE | /nobody          | Policy nobody: is not known.    | All policies are at /actuator/backoff.
						POST   | /nobody/wake     | Policy nobody: is not known.    | All policies are at /actuator/backoff.
						GET    | /nobody/preview  | Policy nobody: is not known.    | All policies are at /actuator/backoff.
						POST   | /orders/thing    | Part thing: is not known.       | Read preview, or write to wake.
						GET    | /orders/thing    | Part thing: is not known.       | Read preview, or write to wake.
						GET    | /breakers/nobody | Breaker nobody: is not known.   | All that are in use are at /actuator/backoff.
						POST   | /breakers/nobody | Breaker nobody: is not known.   | All that are in use are at /actuator/backoff.
						GET    | /budgets/nobody  | Budget nobody: is not known.    | All that are in use are at /actuator/backoff.
						POST   | /budgets/nobody  | Budget nobody: is not known.    | All that are in use are at /actuator/backoff.
						GET    | /breakers/%1b    | Breaker ?: is not known.        | All that are in use are at /actuator/backoff.
						""")
		void answerAnUnknownNameWithAReport(String method, String path, String message, String fix) throws Exception {
			HttpResponse<String> response = send(method, path, method.equals("POST") ? "{\"cap\": \"1s\"}" : "");
			assertThat(response.statusCode()).isEqualTo(404);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).isEqualTo(message);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].fix")).isEqualTo(fix);
		}

	}

	@Nested
	class ShortViews {

		@Test
		void showOnlyWhatIsNotBuiltIn() throws Exception {
			ok("POST", "/orders", "{\"multiplier\": 3}");
			String orders = "{ 'unused': false, 'overrides': { 'multiplier': { 'value': '3' } }, "
					+ "'methods': { 'Orders.place': { 'values': { 'base': { 'value': '1s', 'origin': 'PLACE' }, "
					+ "'cap': { 'value': '10s', 'origin': 'PLACE' }, 'max-attempts': { 'value': '3', 'origin': 'PLACE' }, "
					+ "'multiplier': { 'value': '3', 'origin': 'live override' }, "
					+ "'jitter': { 'value': 'none', 'origin': 'PLACE' } } } } }";
			String expected = orders.replace("PLACE", "the property source Inlined Test Properties");
			String policy = ok("GET", "/orders?view=short", "");
			JSONAssert.assertEquals(expected, policy, false);
			assertThat(JsonPath.<Map<String, ?>>read(policy, "$.methods['Orders.place'].values"))
				.containsOnlyKeys("base", "cap", "max-attempts", "multiplier", "jitter");
			assertThat(JsonPath.<Map<String, ?>>read(policy, "$.methods['Orders.place']")).containsOnlyKeys("values",
					"advice");
			String all = ok("GET", "?view=short", "");
			JSONAssert.assertEquals("{ 'enabled': true, 'policies': { 'orders': " + expected + " } }", all, false);
			assertThat(JsonPath.<Map<String, ?>>read(all, "$.breakers.gateway.values"))
				.containsOnlyKeys("failure-rate");
			assertThat(JsonPath.<String>read(all, "$.breakers.gateway.state")).isEqualTo("closed");
			assertThat(all).doesNotContain("built in").hasSizeLessThan(ok("GET", "", "").length() / 4);
		}

		@ParameterizedTest
		@CsvSource({ "'', activity or other-retries or short", "/orders, short" })
		void areTheOnlyOnes(String path, String known) throws Exception {
			assertThat(JsonPath.<String>read(refused(400, "GET", path + "?view=long", ""), "$.problems[0].message"))
				.isEqualTo("Invalid view (long): must be " + known + ".");
		}

	}

	@Test
	void otherRetriesViewShowsWhatRepeatsByItself() throws Exception {
		assertThat(JsonPath.<List<Map<String, ?>>>read(ok("GET", "?view=other-retries", ""), "$.otherRetries"))
			.contains(Map.of("name", "Spring Framework RetryTemplate", "place", "bean template", "when",
					"what its policy says", "off", "maxRetries(0)"));
	}

	@Nested
	class Audits {

		@Test
		void nameThePersonTheValueBeforeAndTheValueAfter() throws Exception {
			audited();
			ok("POST", "/orders", "{\"base\": \"2s\"}");
			ok("POST", "", "{\"retries-enabled\": false}");
			ok("DELETE", "", "");
			ok("POST", "/breakers/gateway", "{\"state\": \"forced-open\"}");
			CompletableFuture<String> waiting = OperatorTests.this.orders.sync();
			ok("POST", "/sync/wake", "{}");
			assertThat(waiting).failsWithin(Duration.ofSeconds(60));
			assertThat(audited())
				.extracting(AuditEvent::getType, AuditEvent::getPrincipal, (event) -> event.getData().toString())
				.containsExactly(
						tuple("BACKOFF_CHANGE", "ann", "{changes=[{what=policy orders: base, before=1s, after=2s}]}"),
						tuple("BACKOFF_CHANGE", "ann",
								"{changes=[{what=backoff: retries-enabled, before=true, after=false}]}"),
						tuple("BACKOFF_CHANGE", "ann",
								"{changes=[{what=backoff: retries-enabled, before=false, after=true}, "
										+ "{what=policy orders: base, before=2s, after=1s}]}"),
						tuple("BACKOFF_CHANGE", "ann",
								"{changes=[{what=breaker gateway: state, before=closed, after=forced_open}]}"),
						tuple("BACKOFF_CHANGE", "ann",
								"{changes=[{what=waiting calls of policy sync, before=1 waiting, after=1 woken}]}"));
		}

		@Test
		void areOfWritesThatWereCarriedOut() throws Exception {
			audited();
			ok("GET", "/orders", "");
			send("POST", "/orders", "{\"base\": \"soon\"}");
			send("POST", "/nobody", "{\"base\": \"1s\"}");
			assertThat(audited()).isEmpty();
		}

		@Test
		void mayFailWithoutTheWriteThatIsDone() throws Exception {
			ok("POST", "/orders", "{\"base\": \"13s\"}");
			assertThat(audited()).isNotEmpty();
		}

		private List<AuditEvent> audited() {
			List<AuditEvent> events = List.copyOf(OperatorTests.this.audits);
			OperatorTests.this.audits.clear();
			return events;
		}

	}

	@Nested
	class Previews {

		@Test
		void showTheDelaysOfOtherValuesAndChangeNothing() throws Exception {
			String answer = ok("GET", "/orders/preview?base=4s&max-attempts=4&cap=12s", "");
			assertThat(JsonPath.<List<Double>>read(answer, "$.methods['Orders.place'].delays[*].greatestMs"))
				.containsExactly(4000.0, 8000.0, 12000.0);
			assertThat(JsonPath.<String>read(answer, "$.plan.values.base.value")).isEqualTo("4s");
			assertThat(waits()).hasSize(2);
		}

		@Test
		void areRefusedAsTheOverrideWouldBe() throws Exception {
			assertThat(refused(400, "GET", "/orders/preview?cap=1ms", "")).contains("must not be below the base");
		}

		@Test
		void arePlannedForAThousandAttemptsAtMost() throws Exception {
			for (String key : List.of("max-attempts", "maxAttempts")) {
				HttpResponse<String> response = send("GET", "/orders/preview?" + key + "=%2B1000000", "");
				assertThat(response.statusCode()).isEqualTo(400);
				assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).isEqualTo(
						"Invalid max-attempts of policy orders (+1000000): must not be above 1000 in a preview.");
				assertThat(JsonPath.<String>read(response.body(), "$.problems[0].fix"))
					.isEqualTo("Preview fewer, or unlimited.");
			}
			for (String few : List.of("1000", "unlimited")) {
				ok("GET", "/orders/preview?max-attempts=" + few, "");
			}
			assertThat(send("GET", "/orders/preview?max-attempts=1" + "0".repeat(30), "").statusCode()).isEqualTo(400);
		}

	}

	@Nested
	class Shared {

		@ParameterizedTest
		@CsvSource({ "forced-open, FORCED_OPEN", "FORCED_OPEN, FORCED_OPEN", "disabled, DISABLED", "open, OPEN",
				"closed, CLOSED" })
		void breakersAreMoved(String written, BreakerState state) throws Exception {
			String answer = ok("POST", "/breakers/GateWay", "{\"state\": \"" + written + "\"}");
			assertThat(breakers.get("gateway").state()).isEqualTo(state);
			assertThat(JsonPath.<String>read(answer, "$.changes[0].now.value")).isEqualTo(state.tag());
			assertThat(answer.contains("\"undo\"")).isEqualTo(state != BreakerState.CLOSED);
			assertThat(JsonPath.<String>read(ok("GET", "/breakers/gateway", ""), "$.state")).isEqualTo(state.tag());
		}

		@Test
		void breakersAreForcedForATime() throws Exception {
			String answer = ok("POST", "/breakers/gateway", "{\"state\": \"disabled\", \"for\": \"5m\"}");
			assertThat(JsonPath.<String>read(answer, "$.scope")).isEqualTo("this process only, for 5m at most");
			assertThat(JsonPath.<String>read(answer, "$.undo"))
				.isEqualTo("curl $A/breakers/gateway --json '{\"state\": \"closed\"}'");
			CircuitBreaker gateway = breakers.get("gateway");
			time.advance(Duration.ofMinutes(5).minusNanos(1));
			assertThat(gateway.call(gateway::state)).isEqualTo(BreakerState.DISABLED);
			time.advance(Duration.ofNanos(1));
			assertThat(gateway.call(gateway::state)).isEqualTo(BreakerState.CLOSED);
			ok("POST", "/breakers/gateway", "{\"state\": \"forced-open\", \"for\": \"2m\"}");
			time.advance(Duration.ofMinutes(2).minusNanos(1));
			assertThat(gateway.state()).isEqualTo(BreakerState.OPEN);
			time.advance(Duration.ofNanos(1));
			assertThat(gateway.state()).isEqualTo(BreakerState.HALF_OPEN);
			ok("POST", "/breakers/gateway", "{\"state\": \"disabled\", \"for\": \"none\"}");
			time.advance(Duration.ofDays(1));
			assertThat(gateway.call(gateway::state)).isEqualTo(BreakerState.DISABLED);
		}

		@Test
		void breakersTellSinceWhenAndTheirLastFiveChanges() throws Exception {
			CircuitBreaker gateway = breakers.get("gateway");
			gateway.open();
			gateway.disable();
			gateway.forceOpen();
			gateway.reset();
			String closed = JsonPath.read(ok("GET", "/breakers/gateway", ""), "$.since");
			gateway.open();
			gateway.forceOpen();
			String shown = ok("GET", "/breakers/gateway", "");
			assertThat(JsonPath.<List<String>>read(shown, "$.changes[*].to")).containsExactly("forced_open", "open",
					"closed", "forced_open", "disabled");
			assertThat(JsonPath.<List<String>>read(shown, "$.changes[*].from")).startsWith("open", "closed");
			assertThat(closed).isEqualTo(JsonPath.<String>read(shown, "$.changes[2].at"));
			assertThat(JsonPath.<String>read(shown, "$.since")).as("when it left closed")
				.isEqualTo(JsonPath.<String>read(shown, "$.changes[1].at"))
				.isEqualTo(JsonPath.<String>read(ok("GET", "?view=activity", ""), "$.breakers.gateway.since"));
		}

		@Test
		void budgetsAreFilled() throws Exception {
			waits();
			assertThat(budgets.get("orders").balance()).isLessThan(50);
			String answer = ok("POST", "/budgets/orders", "{\"reset\": true}");
			assertThat(budgets.get("orders").balance()).isEqualTo(50);
			assertThat(JsonPath.<String>read(answer, "$.changes[0].now.value")).isEqualTo("50.0");
			assertThat(JsonPath.<Double>read(ok("GET", "/budgets/orders", ""), "$.balance")).isEqualTo(50);
		}

	}

	@Nested
	class Activity {

		@Test
		void isCountedSinceTheStartAndShownWithoutMessages() throws Exception {
			String before = ok("GET", "/orders", "");
			waits();
			String shown = ok("GET", "/orders", "");
			assertThat(count(shown, "calls.attempts_exhausted") - count(before, "calls.attempts_exhausted"))
				.isEqualTo(1);
			assertThat(count(shown, "attempts") - count(before, "attempts")).isEqualTo(3);
			assertThat(count(shown, "retries") - count(before, "retries")).isEqualTo(2);
			assertThat(JsonPath.<String>read(shown, "$.activity.stopped[0].stop")).isEqualTo("attempts_exhausted");
			assertThat(JsonPath.<List<Double>>read(shown, "$.activity.stopped[0].waitsMs")).containsExactly(1000.0,
					2000.0);
			assertThat(JsonPath.<String>read(shown, "$.activity.stopped[0].failure")).isEqualTo("java.io.IOException");
			assertThat(JsonPath.<String>read(shown, "$.activity.stopped[0].host")).isEqualTo("pay.example:81");
			String everything = ok("GET", "", "") + shown + ok("GET", "/Orders.place", "");
			assertThat(everything).doesNotContain("4111");
		}

		@Test
		void isShownByMethod() throws Exception {
			waits();
			String shown = ok("GET", "/Orders.place", "");
			assertThat(JsonPath.<String>read(shown, "$.policy")).isEqualTo("orders");
			assertThat(JsonPath.<Integer>read(shown, "$.counters.attempts")).isPositive();
			assertThat(JsonPath.<String>read(shown, "$.stopped[0].method")).isEqualTo("Orders.place");
			assertThat(JsonPath.<String>read(shown, "$.plan.values.base.value")).isEqualTo("1s");
		}

		private static int count(String shown, String counter) {
			List<Integer> counts = JsonPath.read(shown, "$..counters['Orders.place']." + counter);
			return counts.isEmpty() ? 0 : counts.get(0);
		}

	}

	@Test
	void waitingOnesAreShownAndWoken() throws Exception {
		CompletableFuture<String> one = this.orders.sync();
		CompletableFuture<String> other = this.orders.sync();
		String shown = ok("GET", "/sync", "");
		assertThat(JsonPath.<Integer>read(shown, "$.activity.waiting")).isEqualTo(2);
		assertThat(JsonPath.<String>read(shown, "$.activity.oldestWaiting[0].method")).isEqualTo("Orders.sync");
		assertThat(JsonPath.<Integer>read(shown, "$.activity.oldestWaiting[0].attempt")).isEqualTo(1);
		assertThat(JsonPath.<Double>read(shown, "$.activity.oldestWaiting[0].dueInMs")).isEqualTo(60_000);
		assertThat(JsonPath.<Integer>read(ok("POST", "/sync/wake", "{}"), "$.calls")).isEqualTo(2);
		for (CompletableFuture<String> call : List.of(one, other)) {
			assertThat(RetriesStoppedException.of(catchThrowable(call::join)).reason())
				.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}
	}

	@Test
	void runningOnesAreShownUnderADeadline() throws Exception {
		CompletableFuture<String> hanging = this.orders.hang();
		this.time.advance(Duration.ofSeconds(40));
		JSONAssert.assertEquals("[ { 'method': 'Orders.hang', 'attempt': 1, 'elapsedMs': 40000.0 } ]",
				JsonPath.<List<?>>read(ok("GET", "/hanging", ""), "$.activity.oldestRunning").toString(), false);
		assertThat(hanging.cancel(true)).isTrue();
		assertThat(JsonPath.<List<?>>read(ok("GET", "/hanging", ""), "$.activity.oldestRunning")).isEmpty();
		assertThat(JsonPath.<Map<String, ?>>read(ok("GET", "/sync", ""), "$.activity")).as("without one, unknown")
			.containsKey("oldestWaiting")
			.doesNotContainKey("oldestRunning");
	}

	@Nested
	class Bodies {

		@ParameterizedTest
		@ValueSource(strings = { "", "/orders", "/sync/wake", "/sync/wake?now=true", "/breakers/gateway" })
		void areJson(String path) throws Exception {
			LocalClient client = LocalClient.on(port);
			HttpResponse<String> without = client.send("POST", "/actuator/backoff" + path, "", null);
			assertThat(without.statusCode()).isEqualTo(415);
			assertThat(JsonPath.<String>read(without.body(), "$.problems[0].message"))
				.isEqualTo("The request: has no JSON body.");
			assertThat(JsonPath.<String>read(without.body(), "$.problems[0].fix"))
				.isEqualTo("Send one, such as {}, with Content-Type: application/json.");
			for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
				assertThat(client.send("POST", "/actuator/backoff" + path, "{\"base\": \"2s\"}", type).statusCode())
					.isEqualTo(415);
			}
			assertThat(policies.configuration().overrides().isEmpty()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "{\"base\": \"2s\", \"for\": 0}", "{\"base\": \"2s\", \"for\": \"0s\"}",
				"{\"base\": \"2s\", \"for\": \"-1s\"}", "{\"base\": \"2s\", \"for\": \"99999999999999999999d\"}",
				"{\"base\": \"2s\", \"for\": \"+5\"}", "{\"base\": \"2s\", \"for\": \"soon\"}",
				"{\"base\": \"2s\", \"for\": null}", "{\"base\": \"2s\", \"for\": \"\"}", "{\"base\": null}",
				"{\"base\": true}", "{\"base\": \"${secret}\"}", "{\"base\": \"#{1+1}\"}", "{\"max-attempts\": 1e3}",
				"{\"max-attempts\": 5.0}", "{\"max-attempts\": NaN}", "{\"multiplier\": \"NaN\"}",
				"{\"max-attempts\": 5, \"maxAttempts\": 6}", "{\"written\": 5, \"base\": \"2s\"}",
				"{\"written\": \"x\"}", "{\"written\": {\"bose\": \"2s\"}}", "{\"enabled\": \"perhaps\"}",
				"{\"base\": [[[[1]]]]}", "{\"enabled\": {}}", "{\"base\": \"1s\\n2s\"}",
				"{\"jitter\": \"beta\\n0.3..0.7\"}", "{\"jitter\": \"beta \\u2028 0.3..0.7\"}", "{\"\": \"\"}",
				"{\"base\": 1e400}", "{\"\\u001b[31mcap\": \"2s\"}" })
		void areRefusedAndChangeNothing(String body) throws Exception {
			HttpResponse<String> response = send("POST", "/orders", body);
			assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
			assertThat(response.body()).doesNotContain("sesame").doesNotContain("\\u001b", "\u001b", "\u2028");
			assertThat(policies.configuration().overrides().isEmpty()).isTrue();
		}

		@Test
		void areAnsweredBrieflyIfTheyAreHuge() throws Exception {
			String longValue = "{\"base\": \"" + "9".repeat(1_000_000) + "\"}";
			String longKey = "{\"" + "b".repeat(1_000_000) + "\": 1}";
			for (String body : List.of(longValue, longKey)) {
				assertThat(refused(400, "POST", "/orders", body)).hasSizeLessThan(10_000);
			}
		}

		@Test
		void forgeNoLines(CapturedOutput output) throws Exception {
			String before = output.getAll();
			HttpResponse<String> response = send("POST", "/orders", "{\"max\\r\\n-attempts\\u2028\": \" 7\\r\\n\"}");
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<List<String>>read(response.body(), "$.configuration"))
				.containsExactly("backoff.policies.orders.max-attempts=7");
			assertThat(output.getAll().substring(before.length()).lines().filter((line) -> line.contains("7")))
				.hasSize(1);
		}

		@Test
		void mayHoldVeryLong() throws Exception {
			HttpResponse<String> response = send("POST", "/orders",
					"{\"base\": \"2s\", \"for\": \"9223372036854775807s\"}");
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<String>read(send("GET", "/orders", "").body(), "$.overrides.base.until")).isNotBlank();
		}

	}

	@ParameterizedTest
	@CsvSource({ "cap, 10s, throttled-base, 10s", "base, 2m, cap, 2m" })
	void valuesThatMoveOthersAreAnsweredWithTheOthersToo(String key, String value, String other, String moved)
			throws Exception {
		HttpResponse<String> response = send("POST", "/moved", "{\"" + key + "\": \"" + value + "\"}");
		List<String> lines = JsonPath.read(response.body(), "$.configuration");
		assertThat(lines).contains("backoff.policies.moved." + key + "=" + value,
				"backoff.policies.moved." + other + "=" + moved);
		Map<Key<?>, EffectiveValue> here = this.policies.current().peek("moved").orElseThrow().values();
		configured(lines, (theirs) -> {
			Map<Key<?>, EffectiveValue> there = theirs.current().peek("moved").orElseThrow().values();
			here.forEach(
					(each, written) -> assertThat(there.get(each).value()).as(each.key()).isEqualTo(written.value()));
		});
	}

	@Nested
	class Names {

		@ParameterizedTest
		@ValueSource(strings = { "orders", "payment callback", "Mixed", "zahlung-über", "with_under", "written",
				"breakers", "支付", "Mails.send", "Mails.other", "a/b" })
		void areAnsweredWithKeysThatSayTheSame(String name) throws Exception {
			String path = "/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
			if (name.contains("/")) {
				// the server takes no encoded slash, but any spelling will do
				path = "/ab";
			}
			HttpResponse<String> response = send("POST", path, "{\"base\": \"3s\", \"maxAttempts\": \"6\"}");
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			List<String> lines = JsonPath.read(response.body(), "$.configuration");
			assertThat(lines).hasSize(2);
			configured(lines, (theirs) -> {
				Map<Key<?>, EffectiveValue> values = theirs.current()
					.peek(theirs.find(name).orElseThrow())
					.orElseThrow()
					.values();
				assertThat(values.get(PolicyKey.BASE).value()).isEqualTo("3s");
				assertThat(values.get(PolicyKey.MAX_ATTEMPTS).value()).isEqualTo("6");
			});
		}

		@ParameterizedTest
		@ValueSource(strings = { "/%00", "/%1b%5b31m", "/..%2f", "/%E2%80%A8", "/[x]", "/%25%25", "/%24%7Bsecret%7D",
				"/.", "/-" })
		void areNotFoundIfTheyAreUnknown(String path) throws Exception {
			String encoded = path.replace("[", "%5B").replace("]", "%5D");
			int status = send("POST", encoded, "{\"base\": \"3s\"}").statusCode();
			assertThat(status).isIn(400, 404);
			assertThat(policies.configuration().overrides().isEmpty()).isTrue();
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ VirtualTime.class, Orders.class, Mails.class })
	static class Shop {

		@Bean
		RetryTemplate template() {
			return new RetryTemplate();
		}

		@Bean
		List<AuditEvent> audits() {
			return new CopyOnWriteArrayList<>();
		}

		@Bean
		ApplicationListener<AuditApplicationEvent> auditor(List<AuditEvent> audits) {
			return (event) -> {
				audits.add(event.getAuditEvent());
				if (event.getAuditEvent().getData().toString().contains("after=13s")) {
					throw new IllegalStateException("no room for the audit");
				}
			};
		}

		/* Any login is that of Ann. */
		@Bean
		Filter login() {
			return (request, response, chain) -> chain
				.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

					@Override
					public Principal getUserPrincipal() {
						return () -> "ann";
					}

				}, response);
		}

	}

	static class Orders {

		@Backoff("orders")
		public void place() throws IOException {
			OutboundRequest.begin("GET", URI.create("http://pay.example:81/cards"));
			throw new IOException("card 4111 refused");
		}

		@Backoff("hanging")
		public CompletableFuture<String> hang() {
			return new CompletableFuture<>();
		}

		@Backoff("sync")
		public CompletableFuture<String> sync() {
			return CompletableFuture.failedFuture(new IOException("down"));
		}

	}

	static class Mails {

		@Backoff
		public void send() throws IOException {
			throw new IOException("down");
		}

		@Backoff
		public void other() throws IOException {
			throw new IOException("down");
		}

		@Backoff
		public void other(String text) throws IOException {
			throw new IOException(text);
		}

	}

}
