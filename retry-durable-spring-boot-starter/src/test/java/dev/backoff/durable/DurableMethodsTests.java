package dev.backoff.durable;

import java.io.InputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

import dev.backoff.annotation.Backoff;
import dev.backoff.failure.Idempotency;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/** Which methods can be durable, and which the start-up refuses. */
@Execution(ExecutionMode.SAME_THREAD)
class DurableMethodsTests {

	/** What two starts report of all refused methods. */
	private static final List<Problem> REFUSALS = new ArrayList<>();

	@TempDir
	Path directory;

	@BeforeAll
	static void collectRefusals(@TempDir Path directory) {
		for (Class<?> methods : List.of(Refused.class, RefusedWithItsAnnotation.class)) {
			DurableCheckTests.runner(directory)
				.withBean(methods)
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOfSatisfying(InvalidBackoffException.class,
							(invalid) -> REFUSALS.addAll(invalid.problems())));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					slash          | invalid value (a/b): must not contain a quote, a slash or a backslash for a durable policy
					result         | needs a method that returns nothing or a DurableCall, and RefusedWithItsAnnotation.result() returns a String
					future         | returns a CompletableFuture
					ofNoPolicy     | returns a DurableCall, and its policy is not durable
					object         | the parameter value of Refused.object(Object) is of no certain type
					stream         | is a InputStream, which JSON does not hold whole
					function       | is a Supplier, which JSON does not hold whole
					dataSource     | is a DataSource, which JSON does not hold whole
					anInterface    | is of the abstract type Payable, and no type is stored
					wildcard       | the parameter values of Refused.wildcard(List) is of no certain type
					serializable   | the parameter value of Refused.serializable(Serializable) is of no certain type
					comparable     | the parameter value of Refused.comparable(Comparable) is of no certain type
					number         | the parameter value of Refused.number(Number) is of no certain type
					objectField    | the parameter value.lines.content of Refused.objectField(Cart) is of no certain type
					objectKey      | the parameter values of Refused.objectKey(Map) is of no certain type
					openProperty   | the parameter value.payable of Refused.openProperty(Invoice) is of the abstract type Payable
					writeOnly      | the parameter value.secret of Refused.writeOnly(Login) is read and never written
					withoutGetter  | the parameter value.amount of Refused.withoutGetter(Hidden) is read and never written
					withoutReader  | the parameter value of Refused.withoutReader(Entry) cannot be read: Missing generic type
					lock           | the parameter value.lock of Refused.lock(Guarded) is a ReentrantLock, which JSON does not hold whole
					calendar       | the parameter value of Refused.calendar(GregorianCalendar) is a GregorianCalendar, which JSON does not hold whole
					async          | is beside @Async
					scheduled      | is beside @Scheduled
					unknownName    | uses #oder, which is no parameter of Refused.unknownName(String). Use #order.
					bareName       | invalid key (order): uses order without #. Use #order.
					bareMember     | uses id(), which is no parameter of Refused.bareMember(String). Use #order.
					wrongKey       | invalid key (#order.): is no expression
					untilOfNothing | judges a result, and RefusedWithItsAnnotation.untilOfNothing() returns none
					badCron        | invalid schedule (* *): is no schedule
					bareInterval   | invalid schedule (every 10): is no schedule: needs a unit, such as every 10m
					arguments      | calls Refused.arguments(String), which needs arguments
					scheduleOnly   | is of a durable policy, and this one is not
					""")
	void aMethodThatCannotBeDurableIsRefusedWithItsPlaceAndTheRule(String method, String message) {
		assertThat(REFUSALS).filteredOn((problem) -> problem.message().contains("." + method + "("))
			.singleElement()
			.extracting(Problem::toString, STRING)
			.contains(message);
	}

	@Test
	void aMethodNeedsAPolicyName() {
		DurableCheckTests.assertRefused(DurableCheckTests.runner(this.directory).withBean(WithoutName.class),
				"needs a policy name, by which rows find their method after a renaming");
	}

	@Test
	void typesThatJacksonReadsAreTakenThoughTheyAreAbstract() {
		DurableCheckTests.runner(this.directory)
			.withBean(WithFitting.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource({ "base, 10s, YES", "idempotent, by-method, BY_METHOD", "idempotent, no, NO" })
	void requestsAreRepeatedUnlessThePolicySaysMore(String key, String value, Idempotency idempotency) {
		DurableCheckTests.runner(this.directory)
			.withPropertyValues("backoff.policies.fitting." + key + "=" + value)
			.withBean(WithFitting.class)
			.run((context) -> assertThat(context.getBean(BackoffMethods.class).uses())
				.extracting((use) -> use.policy().numbers().idempotency())
				.containsOnly(idempotency));
	}

	@Test
	void aDurablePolicyIsOfOneMethod() {
		DurableCheckTests.assertRefused(DurableCheckTests.runner(this.directory).withBean(WithTwo.class),
				"rows of a durable policy are of one method");
	}

	@Test
	void aMethodIsOfOneBean() {
		DurableCheckTests.assertRefused(
				DurableCheckTests.runner(this.directory)
					.withBean("one", DurableCheckTests.Fine.class)
					.withBean("two", DurableCheckTests.Fine.class),
				"needs one bean of Fine for its attempts, and there are one, two. Keep one of them, or make one primary.");
	}

	record Line<T>(String article, T content) {
	}

	record Cart(Optional<List<Line<Object>>> lines) {
	}

	record Invoice(Payable payable) {
	}

	record Shipped(Instant at) {
	}

	record Login(String name, @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String secret) {
	}

	static class Hidden {

		public void setAmount(int amount) {
		}

	}

	record Guarded(ReentrantLock lock) {
	}

	/** What is abstract, recursive or ignored, and comes back all the same. */
	record Fitting(ZoneId zone, Path path, CharSequence text, TimeUnit unit, AtomicLong count, List<Fitting> parts,
			Parcel parcel, List<Move> moves, @JsonIgnore @Nullable Object ignored, JsonNode tree, Locale locale,
			@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Shipped.class)) Object typed,
			@JsonTypeInfo(
					use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Shipped.class)) List<Object> typedToo,
			@JsonDeserialize(using = Texts.class) Object read, Linked linked, Owner owner) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Parcel permits Letter {

	}

	record Letter(String to) implements Parcel {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
	@JsonSubTypes({ @JsonSubTypes.Type(Push.class), @JsonSubTypes.Type(Pull.class) })
	interface Move {

	}

	record Push(int times) implements Move {
	}

	record Pull(String rope) implements Move {
	}

	static class Texts extends ValueDeserializer<Object> {

		@Override
		public Object deserialize(JsonParser parser, DeserializationContext context) {
			return parser.getString();
		}

	}

	@JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
	static class Linked {

		public @Nullable Linked next;

	}

	static class Owner {

		@JsonManagedReference
		public List<Owned> owned = List.of();

	}

	static class Owned {

		@JsonBackReference
		public @Nullable Owner owner;

	}

	static class WithFitting {

		@Backoff(value = "fitting", durable = "true")
		public void call(ZoneId zone, Path path, TimeUnit unit, Fitting value) {
		}

	}

	static class WithoutName {

		@Backoff(durable = "true")
		public void call() {
		}

	}

	interface Payable {

	}

	/** Each method has one thing that no durable method can have. */
	static class Refused {

		@Backoff(value = "wildcard", durable = "true")
		public void wildcard(List<?> values) {
		}

		@Backoff(value = "serializable", durable = "true")
		public void serializable(Serializable value) {
		}

		@Backoff(value = "comparable", durable = "true")
		public void comparable(Comparable<String> value) {
		}

		@Backoff(value = "number", durable = "true")
		public void number(Number value) {
		}

		@Backoff(value = "objectField", durable = "true")
		public void objectField(Cart value) {
		}

		@Backoff(value = "objectKey", durable = "true")
		public void objectKey(Map<Object, String> values) {
		}

		@Backoff(value = "openProperty", durable = "true")
		public void openProperty(Invoice value) {
		}

		@Backoff(value = "writeOnly", durable = "true")
		public void writeOnly(Login value) {
		}

		@Backoff(value = "withoutGetter", durable = "true")
		public void withoutGetter(Hidden value) {
		}

		@Backoff(value = "withoutReader", durable = "true")
		@SuppressWarnings("rawtypes")
		public void withoutReader(Map.Entry value) {
		}

		@Backoff(value = "lock", durable = "true")
		public void lock(Guarded value) {
		}

		@Backoff(value = "calendar", durable = "true")
		public void calendar(GregorianCalendar value) {
		}

		@Backoff(value = "a/b", durable = "true")
		public void slash() {
		}

		@Backoff(value = "object", durable = "true")
		public void object(Object value) {
		}

		@Backoff(value = "stream", durable = "true")
		public void stream(InputStream value) {
		}

		@Backoff(value = "function", durable = "true")
		public void function(Supplier<String> value) {
		}

		@Backoff(value = "dataSource", durable = "true")
		public void dataSource(DataSource value) {
		}

		@Backoff(value = "anInterface", durable = "true")
		public void anInterface(Payable value) {
		}

		@Async
		@Backoff(value = "async", durable = "true")
		public void async() {
		}

		@Scheduled(fixedDelay = 1000)
		@Backoff(value = "scheduled", durable = "true")
		public void scheduled() {
		}

		@Backoff(value = "unknownName", durable = "true", key = "#oder")
		public void unknownName(String order) {
		}

		@Backoff(value = "bareName", durable = "true", key = "order")
		public void bareName(String order) {
		}

		@Backoff(value = "bareMember", durable = "true", key = "#order.isEmpty() ? id() : #order.length() + args[0]")
		public void bareMember(String order) {
		}

		@Backoff(value = "wrongKey", durable = "true", key = "#order.")
		public void wrongKey(String order) {
		}

		@Backoff(value = "badCron", durable = "true", schedule = "* *")
		public void badCron() {
		}

		@Backoff(value = "bareInterval", durable = "true", schedule = "every 10")
		public void bareInterval() {
		}

		@Backoff(value = "arguments", durable = "true", schedule = "every 10m")
		public void arguments(String value) {
		}

	}

	/** The same, found with the annotations. */
	static class RefusedWithItsAnnotation {

		@Backoff(value = "result", durable = "true")
		public String result() {
			return "";
		}

		@Backoff(value = "future", durable = "true")
		public CompletableFuture<String> future() {
			return new CompletableFuture<>();
		}

		@Backoff(value = "ofNoPolicy", base = "1s")
		public DurableCall<String> ofNoPolicy() {
			return DurableCall.result("");
		}

		@Backoff(value = "untilOfNothing", durable = "true", until = "#result != null")
		public void untilOfNothing() {
		}

		@Backoff(value = "scheduleOnly", schedule = "every 10m")
		public void scheduleOnly() {
		}

	}

	static class WithTwo {

		@Backoff(value = "a", durable = "true")
		public void first() {
		}

		@Backoff(value = "a", durable = "true")
		public void second() {
		}

	}

}
