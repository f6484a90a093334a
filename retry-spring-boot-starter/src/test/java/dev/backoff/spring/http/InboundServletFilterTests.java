package dev.backoff.spring.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import jakarta.servlet.FilterChain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ServerHttpObservationFilter;

import dev.backoff.Attempt;
import dev.backoff.RetryContext;
import dev.backoff.spring.configuration.HttpSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SuppressWarnings("try") // a scope is opened for its effect, and has no other use
class InboundServletFilterTests {

	private static final HttpSettings SETTINGS = new HttpSettings(List.of(), HttpSettings.ATTEMPT,
			HttpSettings.DEADLINE, HttpSettings.IDEMPOTENCY);

	private final InboundServletFilter filter = new InboundServletFilter(SETTINGS);

	@AfterEach
	void leavesNothing() {
		assertThat(Attempt.current().timeLeft()).isNull();
		assertThat(MDC.get("backoff.attempt")).isNull();
	}

	@Test
	void theTimeLeftIsTheDeadline() throws Exception {
		assertThat(timeLeft("600000")).isBetween(Duration.ofMillis(1), Duration.ofMinutes(10));
	}

	@Test
	void zeroIsADeadlineThatHasPassed() throws Exception {
		assertThat(timeLeft("0")).isEqualTo(Duration.ZERO);
	}

	@Test
	void theLongestTimeIsReadable() throws Exception {
		assertThat(timeLeft("999999999999")).isGreaterThan(Duration.ofDays(10_000));
	}

	@Test
	void whatNobodyLivesToSeeIsNoDeadline() throws Exception {
		assertThat(timeLeft("999999999999999")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "-1", "+5", "1.5", "1e3", "0x10", "2s", "garbage", "9999999999999999",
			"99999999999999999999999", "\u0661", "5, 6" })
	void garbageIsIgnored(String header) throws Exception {
		assertThat(timeLeft(header)).isNull();
	}

	@Test
	void aDeadlineThatHoldsAlreadyStaysIfItIsSooner() throws Exception {
		try (RetryContext.Scope scope = RetryContext.ofDeadline(Duration.ofSeconds(1)).open()) {
			assertThat(timeLeft("3600000")).isLessThanOrEqualTo(Duration.ofSeconds(1));
		}
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "1, 1, 1", "4, 4, 4", "5, 5, 5+", "77, 77, 5+", "007, 7, 5+", "0, -, none",
			"-1, -, none", "x, -, none", "9999999999, -, none", "-, -, none" })
	void theAttemptGoesIntoTheLogsAndTheObservation(String header, String logged, String observed) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
		ServerRequestObservationContext context = new ServerRequestObservationContext(request,
				new MockHttpServletResponse());
		request.setAttribute(ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, context);
		if (header != null) {
			request.addHeader("X-Retry-Attempt", header);
		}
		List<String> seen = new ArrayList<>();
		run(request, (req, res) -> seen.add(MDC.get("backoff.attempt")));
		assertThat(seen).containsExactly(logged);
		assertThat(context.getLowCardinalityKeyValues()).contains(KeyValue.of("backoff.attempt", observed));
	}

	@Test
	void theObservationOfBootsFilterIsReached() throws Exception {
		TestObservationRegistry registry = TestObservationRegistry.create();
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
		request.addHeader("X-Retry-Attempt", "3");
		FilterChain inner = (req, res) -> this.filter.doFilter(req, res, (one, two) -> {
		});
		new ServerHttpObservationFilter(registry).doFilter(request, new MockHttpServletResponse(), inner);
		TestObservationRegistryAssert.assertThat(registry)
			.hasObservationWithNameEqualTo("http.server.requests")
			.that()
			.hasLowCardinalityKeyValue("backoff.attempt", "3");
	}

	@Test
	void whatTheLogsHadBeforeComesBack() throws Exception {
		MDC.put("backoff.attempt", "outer");
		try {
			MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
			request.addHeader("X-Retry-Attempt", "3");
			run(request, (req, res) -> assertThat(MDC.get("backoff.attempt")).isEqualTo("3"));
			assertThat(MDC.get("backoff.attempt")).isEqualTo("outer");
		}
		finally {
			MDC.remove("backoff.attempt");
		}
	}

	@Test
	void aFailureOfTheRequestLeavesNothing() {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
		request.addHeader("X-Retry-Deadline-Ms", "2000");
		request.addHeader("X-Retry-Attempt", "2");
		assertThatThrownBy(() -> run(request, (req, res) -> {
			throw new IOException("handler");
		})).hasMessage("handler");
	}

	@Test
	void aCallableOfAControllerSeesTheSameAndSoDoesTheDispatchAfterIt() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Slow()).addFilters(this.filter).build();
		MvcResult started = mvc
			.perform(MockMvcRequestBuilders.get("/slow")
				.header("X-Retry-Deadline-Ms", "60000")
				.header("X-Retry-Attempt", "2"))
			.andReturn();
		String seen = mvc.perform(MockMvcRequestBuilders.asyncDispatch(started))
			.andReturn()
			.getResponse()
			.getContentAsString();
		assertThat(seen).isEqualTo("2 true true");
	}

	private Duration timeLeft(String header) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
		request.addHeader("X-Retry-Deadline-Ms", header);
		List<Duration> seen = new ArrayList<>();
		run(request, (req, res) -> seen.add(Attempt.current().timeLeft()));
		assertThat(seen).hasSize(1);
		return seen.get(0);
	}

	private void run(MockHttpServletRequest request, FilterChain chain) throws Exception {
		this.filter.doFilter(request, new MockHttpServletResponse(), chain);
	}

	@RestController
	static class Slow {

		@GetMapping("/slow")
		Callable<String> slow() {
			Thread thread = Thread.currentThread();
			return () -> MDC.get("backoff.attempt") + " " + (Attempt.current().timeLeft() != null) + " "
					+ (Thread.currentThread() != thread);
		}

	}

}
