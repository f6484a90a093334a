package dev.backoff.spring.advice;

import java.io.BufferedReader;
import java.io.DataOutput;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.grpc.stub.StreamObserver;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import kotlinx.coroutines.channels.SendChannel;
import kotlinx.coroutines.flow.FlowCollector;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PatchExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.SmallApplication;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;

/** What a start without problems logs, and which methods it finds. */
class StartupLogTests {

	private static List<String> log(String yaml, Class<?>... beans) {
		return SmallApplication.of(beans).yaml(yaml).startupLog();
	}

	private static void uses(String yaml, Class<?> bean, java.util.function.Consumer<List<PolicyUse>> check) {
		SmallApplication.of(bean)
			.yaml(yaml)
			.run((context) -> check.accept(context.getBean(BackoffMethods.class).uses()));
	}

	@Nested
	class Log {

		@Test
		void isSilentForWhatNeedsNoAttention() {
			assertThat(log("backoff.policies.orders.base: 1s", Orders.class)).isEmpty();
		}

		@Test
		void catchesArgumentsThatTheFirstAttemptUsesUp() {
			assertThat(log("backoff.policies.once.max-attempts: 1", UsedUp.class)).containsOnlyOnce(
					"WARN The first attempt uses up an argument or writes into it, so that later ones may read or change "
							+ "nothing, or write again, and succeed: "
							+ "UsedUp.buffer(ByteBuffer), UsedUp.channel(SocketChannel), UsedUp.copy(String, Writer[]), UsedUp.file(MultipartFile), UsedUp.flux(Flux), "
							+ "UsedUp.iterator(Scanner), UsedUp.list(List), UsedUp.map(Map), UsedUp.optional(Optional), UsedUp.part(Part), UsedUp.reader(String, BufferedReader), "
							+ "UsedUp.resource(InputStreamResource), UsedUp.stream(InputStream), UsedUp.streams(InputStream[]), "
							+ "UsedUp.values(IntStream); make it inside the method, pass bytes or the id, or return the content");
		}

		@ParameterizedTest
		@ValueSource(classes = { OutputStream.class, StringBuilder.class, DataOutput.class, HttpServletResponse.class,
				ServerHttpResponse.class, ServletServerHttpResponse.class, SseEmitter.class, FluxSink.class,
				Subscriber.class, StreamObserver.class, SendChannel.class, FlowCollector.class })
		void knowsWhatAnAttemptWritesInto(Class<?> type) {
			assertThat(UsedUpArguments.isUsedUp(type)).isTrue();
		}

		@Test
		void catchesRequestsThatAreNotRepeatedBecauseThePolicySaysNothing() {
			String policies = "backoff.policies: { answered.idempotent: by-method, once.max-attempts: 1 }";
			assertThat(log(policies, WithCarrier.class)).containsOnlyOnce(
					"WARN Requests of these methods are not repeated once they may have been applied: Carrier.book(), "
							+ "Carrier.change(), Carrier.place(); set idempotent: true if a repetition does no harm, "
							+ "by-key if the server honours the idempotency key, by-method to keep this");
			assertThat(log(policies, CarrierServer.class)).isEmpty();
		}

		@Test
		void catchesAMisspeltPolicyWhoseValuesHaveNoEffect() {
			assertThat(log("""
					backoff.policies:
					  orders.base: 1s
					  ordres.cap: 5s
					  spare.base: 1s
					  "[Job.rnu]": { base: 10ms }
					""", Orders.class, Job.class)).filteredOn((line) -> !line.contains("@Backoff"))
				.containsExactly(
						"WARN No method known at start-up uses the policy ordres, so what is set for it has no effect: "
								+ "write orders if that is meant",
						"WARN No method known at start-up uses the policy Job.rnu, so what is set for it has no effect: "
								+ "write Job.run if that is meant");
		}

		@Test
		void namesUnknownKeysThatAreIgnored() {
			assertThat(log("""
					backoff.unknown-keys: warn
					backoff.policies.orders: { base: 1s, delay: 2s }
					""", Orders.class)).containsExactly("WARN Ignored: Invalid backoff.policies.orders.delay (2s) at "
					+ "application.yml:2: is no key of a policy. Write base instead of delay.");
		}

		@Test
		void catchesADeadlineThatCutsNoHangingCall() {
			assertThat(log("backoff.policies.orders: { deadline: 3s }", Orders.class)).containsExactly(
					"INFO @Backoff on Orders.place(), policy orders: a call that hangs is not cut: the deadline of 3s is "
							+ "checked between attempts; set attempt-timeout, or timeouts of the client");
			assertThat(log("backoff.policies.orders: { deadline: 3s, attempt-timeout: 500ms }", Orders.class))
				.isEmpty();
			assertThat(log("backoff.policies.orders: { deadline: 3s }", Eventual.class)).isEmpty();
			assertThat(log("""
					backoff.policies.orders.deadline: 3s
					spring.http.clients.read-timeout: 2s
					""", Orders.class)).isEmpty();
		}

		@Test
		void catchesUnlimitedAttemptsWithoutADeadline() {
			String policy = "backoff.policies.orders: { max-attempts: unlimited%s }";
			assertThat(log(policy.formatted(""), Orders.class))
				.containsExactly("WARN @Backoff on Orders.place(), policy orders: more than 16 attempts without a "
						+ "deadline: set a deadline; waits of any length hold the calling thread");
			assertThat(log(policy.formatted(", deadline: 9s, attempt-timeout: 3s"), Orders.class)).isEmpty();
			assertThat(log("backoff.policies.orders.preset: message", Orders.class))
				.containsExactly("INFO @Backoff on Orders.place(), policy orders: more than 16 attempts without a "
						+ "deadline: set a deadline; waits of any length hold the calling thread");
			assertThat(log("backoff.policies.orders.max-attempts: unlimited", Eventual.class))
				.containsExactly("WARN @Backoff on Eventual.place(), policy orders: more than 16 attempts without a "
						+ "deadline: set a deadline");
		}

		@Test
		void warnsOfWaitsOfMoreThanAnHour() {
			String advice = " @Backoff on Orders.place(), policy orders: waits of up to %s in all hold the calling thread";
			assertThat(log("backoff.policies.orders: { base: 20m, max-attempts: 3 }", Orders.class))
				.containsExactly("INFO" + advice.formatted("60 min"));
			assertThat(log("backoff.policies.orders: { base: 21m, max-attempts: 3 }", Orders.class))
				.containsExactly("WARN" + advice.formatted("63 min"));
			assertThat(log("backoff.policies.orders: { base: 21m, max-attempts: 3 }", Eventual.class)).isEmpty();
			assertThat(log("backoff.policies.orders.preset: long-job", Orders.class))
				.containsExactly("INFO" + advice.formatted("118 min 45 s"));
			for (String longer : List.of("preset: long-job, cap: 1h", "preset: background, base: 5m")) {
				assertThat(log("backoff.policies.orders: { " + longer + " }", Orders.class)).singleElement()
					.asString()
					.startsWith("WARN");
			}
		}

		@Test
		void catchesATimeoutAboveTheDeadline() {
			String advice = " @Backoff on Orders.place(), policy orders: an attempt that uses up the attempt-timeout of "
					+ "%s leaves no time for a retry before the deadline of 5s";
			assertThat(log("backoff.policies.orders: { attempt-timeout: 6s, deadline: 5s }", Orders.class))
				.containsExactly("WARN" + advice.formatted("6s"));
			assertThat(log("backoff.policies.orders: { attempt-timeout: 5s, deadline: 5s }", Orders.class))
				.containsExactly("INFO" + advice.formatted("5s"));
		}

		@Test
		void tellsNamesWithDigitsApart() {
			String yaml = """
					backoff.policies:
					  cart: { base: 2s, max-attempts: 2 }
					  orders.base: 1s
					  orders2.base: 1s
					""";
			assertThat(log(yaml, Cart.class, Orders.class)).isEmpty();
			uses(yaml, Cart.class, (uses) -> assertThat(uses).singleElement().satisfies((use) -> {
				assertThat(use.policy().name()).isEqualTo("cart2");
				assertThat(use.policy().values().get(PolicyKey.BASE).value()).isEqualTo("1s");
			}));
		}

		@Test
		void catchesWaitsThatHoldAThread() {
			assertThat(log("backoff.policies.orders.base: 2s", Orders.class)).containsExactly(
					"INFO @Backoff on Orders.place(), policy orders: waits of up to 14 s in all hold the calling thread");
			assertThat(log("backoff.policies.orders: { preset: message, multiplier: 2 }", Orders.class)).singleElement()
				.asString()
				.endsWith("waits of any length hold the calling thread");
		}

		@Test
		void catchesABreakerThatHoldsAThreadForAWholeOutage() {
			String breaker = "backoff: { breakers.gateway.on-open: %s, policies.orders: { breaker: gateway, deadline: %s } }";
			assertThat(log(breaker.formatted("wait", "none"), Orders.class)).containsExactly(
					"WARN @Backoff on Orders.place(), policy orders: a call holds its thread as long as the "
							+ "breaker gateway stays open (on-open: wait): set a deadline");
			assertThat(log(breaker.formatted("wait", "8s"), Orders.class)).singleElement()
				.asString()
				.startsWith("INFO");
			assertThat(log(breaker.formatted("fail", "none"), Orders.class)).isEmpty();
			assertThat(log(breaker.formatted("wait", "none"), Eventual.class)).isEmpty();
			uses(breaker.formatted("wait", "none"), Orders.class,
					(uses) -> assertThat(uses).singleElement()
						.extracting(PolicyUse::advice)
						.asString()
						.contains("holds its thread"));
		}

		@Test
		void advisesMostAgainstThemOnASchedule() {
			assertThat(log("", Job.class)).containsExactly(
					"INFO @Backoff on Job.run(), policy Job.run: waits of up to 14 s in all hold the calling thread, and the "
							+ "next run of the schedule with it");
		}

		@Test
		void doesNotStopAnApplicationThatIsSwitchedOff() {
			assertThat(log("backoff: { enabled: false, policies: { orders: { cap: 0s } } }", Orders.class))
				.containsExactly("WARN Without effect while backoff.enabled is false: "
						+ "Invalid backoff.policies.orders.cap (0s) at application.yml:1: must be above zero. "
						+ "Write a number and a unit, such as 250ms, 2s or 5m.");
		}

		@Test
		void saysWhatATypeAdvisesOnlyOnce() {
			assertThat(log("backoff.policies.many.base: 2s", Many.class)).containsExactly(
					"INFO @Backoff on Many, policy many: waits of up to 14 s in all hold the calling thread");
		}

		@Test
		void namesMethodsThatATypeCannotReach() {
			assertThat(log("", WithFinal.class))
				.containsExactly("WARN @Backoff on WithFinal: WithFinal.locked() is final, so no proxy can advise it "
						+ "and it is not retried");
		}

		@Test
		void tellsClassesOfTheSameNameApart() {
			SmallApplication.of(One.Client.class, Two.Client.class)
				.run((context) -> assertThat(context.getBean(BackoffMethods.class).uses())
					.extracting((use) -> use.policy().name())
					.containsExactly(One.Client.class.getName() + ".send", Two.Client.class.getName() + ".send"));
		}

	}

	@Nested
	class Discovery {

		@Test
		void mergesComposedAnnotationsOverTwoLevels() {
			uses("", Composed.class, (uses) -> assertThat(uses).singleElement().satisfies((use) -> {
				assertThat(use.policy().name()).isEqualTo("remote");
				assertThat(use.policy().values().get(PolicyKey.MAX_ATTEMPTS).value()).isEqualTo("7");
				assertThat(use.policy().values().get(PolicyKey.CAP).value()).isEqualTo("3s");
				assertThat(use.policy().values().get(PolicyKey.BASE).value()).isEqualTo("30ms");
			}));
		}

		@Test
		void leavesBeansOfInterfacesWhoseRecoverMethodIsInTheClass() {
			SmallApplication.of(ByInterface.class)
				.run((context) -> assertThat(context.getBean(Gateway.class).pay("o-1")).isEqualTo("parked o-1"));
		}

		@Test
		void makesNoFactoryBean() {
			MakesClients.made = 0;
			SmallApplication.of(WithFactory.class).run((context) -> {
				assertThat(MakesClients.made).isZero();
				assertThat(context.getBean(Gateway.class)).isNotNull();
			});
		}

		@Test
		void recoversOthersByAMethodThatTheTypeReachesToo() {
			SmallApplication.of(TypeRecover.class)
				.run((context) -> assertThat(context.getBean(TypeRecover.class).send("o-1")).isEqualTo("parked o-1"));
		}

	}

	@Backoff
	public static class UsedUp {

		public void stream(InputStream in) {
		}

		public void streams(InputStream... in) {
		}

		public void reader(String name, BufferedReader reader) {
		}

		public void channel(SocketChannel channel) {
		}

		public void buffer(ByteBuffer buffer) {
		}

		public void copy(String name, Writer... out) {
		}

		public void iterator(Scanner scanner) {
		}

		public void values(IntStream values) {
		}

		public void list(List<Iterator<String>> values) {
		}

		public void map(Map<String, MultipartFile> files) {
		}

		public void optional(Optional<InputStream> in) {
		}

		public void flux(Flux<String> values) {
		}

		public void file(MultipartFile file) {
		}

		public void part(Part part) {
		}

		public void resource(InputStreamResource resource) {
		}

		@Backoff("once")
		public void once(InputStream in) {
		}

		public void supplied(Supplier<InputStream> in, Resource resource, List<String> lines, byte[] bytes) {
		}

	}

	@HttpExchange(method = "POST")
	public interface Carrier {

		@Backoff
		@PostExchange
		void place();

		@Backoff
		@PatchExchange
		void change();

		@Backoff
		@HttpExchange("/book")
		void book();

		@Backoff("once")
		@PostExchange
		void once();

		@Backoff("answered")
		@PostExchange
		void answered();

		@Backoff
		@GetExchange
		void read();

	}

	public static class CarrierServer implements Carrier {

		@Override
		public void place() {
		}

		@Override
		public void change() {
		}

		@Override
		public void book() {
		}

		@Override
		public void once() {
		}

		@Override
		public void answered() {
		}

		@Override
		public void read() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithCarrier {

		@Bean
		Carrier carrier() {
			return new CarrierServer();
		}

	}

	public static class Orders {

		@Backoff("orders")
		public void place() {
		}

	}

	public static class Eventual {

		@Backoff("orders")
		public CompletableFuture<String> place() {
			return CompletableFuture.completedFuture("");
		}

	}

	public static class Cart {

		@Backoff(value = "cart2", base = "1s")
		public void place() {
		}

	}

	public static class Job {

		@Backoff(base = "2s")
		@Scheduled(fixedDelay = 1_000)
		public void run() {
		}

	}

	@Backoff("many")
	public static class Many {

		public void one() {
		}

		public void two() {
		}

	}

	@Backoff
	public static class WithFinal {

		public final void locked() {
		}

		public void open() {
		}

	}

	static class One {

		public static class Client {

			@Backoff
			public void send() {
			}

		}

	}

	static class Two {

		public static class Client {

			@Backoff
			public void send() {
			}

		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Backoff(value = "remote", base = "30ms", cap = "1s")
	@interface Remote {

		@AliasFor(annotation = Backoff.class, attribute = "maxAttempts")
		String tries() default "5";

		@AliasFor(annotation = Backoff.class)
		String cap() default "2s";

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Remote(cap = "3s")
	@interface Patient {

		@AliasFor(annotation = Remote.class, attribute = "tries")
		String times() default "6";

	}

	public static class Composed {

		@Patient(times = "7")
		public void send() {
		}

	}

	public interface Gateway {

		@Backoff(base = "0ms", recover = "park")
		String pay(String order);

	}

	public static class RealGateway implements Gateway {

		@Override
		public String pay(String order) {
			throw new IllegalStateException("down");
		}

		String park(String order) {
			return "parked " + order;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByInterface {

		@Bean
		Gateway gateway() {
			return new RealGateway();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithFactory {

		@Bean
		@org.springframework.context.annotation.Lazy
		MakesClients gateway() {
			return new MakesClients();
		}

	}

	static class MakesClients implements FactoryBean<Gateway> {

		static int made;

		MakesClients() {
			made++;
		}

		@Override
		public Gateway getObject() {
			return new RealGateway();
		}

		@Override
		public Class<?> getObjectType() {
			return Gateway.class;
		}

	}

	@Backoff(base = "0ms", recover = "park")
	public static class TypeRecover {

		public String send(String order) {
			throw new IllegalStateException("down");
		}

		public String park(String order) {
			return "parked " + order;
		}

	}

}
