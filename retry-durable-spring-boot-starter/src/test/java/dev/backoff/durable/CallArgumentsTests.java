package dev.backoff.durable;

import java.io.File;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.DecimalNode;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What is stored of arguments is what an attempt gets. */
class CallArgumentsTests {

	private static final CallJson JSON = new CallJson(JsonMapper.shared());

	private static AnnotatedMethod method(String name) {
		return method(Methods.class, name);
	}

	private static AnnotatedMethod method(Class<?> type, String name) {
		Method method = Arrays.stream(type.getMethods())
			.filter((one) -> one.getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new AnnotatedMethod(type, method, null, null);
	}

	/** Return arguments after they were in a row. */
	private static @Nullable Object[] back(CallJson json, AnnotatedMethod method, @Nullable Object... arguments) {
		String written = json.write(method, arguments);
		StoredCall call = StoredCall.submitted("id", null, "method", written, Instant.EPOCH, Nanos.UNLIMITED, null);
		StoredCall row = new CallJson.Rows(json).deserialize(StoredCall.class, json.serialize(call));
		assertThat(row).isEqualTo(call);
		return json.read(method, row.arguments());
	}

	private static @Nullable Object back(String method, @Nullable Object argument) {
		return back(JSON, method(method), argument)[0];
	}

	@Test
	void decimalsAreExactWithTheirScale() {
		for (String text : List.of("99999999999999999.99", "1.10", "1E+400", "0.00", "-0.10", "1E-400")) {
			assertThat(back("decimal", new BigDecimal(text))).isEqualTo(new BigDecimal(text));
			assertThat(back("money", new Money(new BigDecimal(text)))).isEqualTo(new Money(new BigDecimal(text)));
		}
		CallJson plain = new CallJson(
				JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build());
		assertThat(back(plain, method("decimal"), new BigDecimal("1E+400"))).containsExactly(new BigDecimal("1E+400"));
		assertThat(back("tree", new DecimalNode(new BigDecimal("1.10")))).hasToString("1.10");
	}

	@Test
	void whateverIsGeneratedComesBackAsItWas() {
		Random random = new Random(29);
		for (int i = 0; i < 2_000; i++) {
			Everything everything = everything(random);
			assertThat(back("everything", everything)).isEqualTo(everything);
		}
	}

	private static Everything everything(Random random) {
		BigDecimal decimal = new BigDecimal(new BigInteger(random.nextInt(400), random), random.nextInt(600) - 300);
		BigInteger integer = new BigInteger(random.nextInt(3_000), random).negate();
		double number = Double.longBitsToDouble(random.nextLong());
		Instant instant = Instant.ofEpochSecond(random.nextLong(-60_000_000_000L, 60_000_000_000L),
				random.nextInt(1_000_000_000));
		ZoneId zone = List.of(ZoneId.of("Europe/Berlin"), ZoneOffset.UTC, ZoneId.of("UTC"), ZoneOffset.ofHours(-11))
			.get(random.nextInt(4));
		OffsetDateTime offset = instant.atOffset(ZoneOffset.ofTotalSeconds(random.nextInt(129_600) - 64_800));
		return new Everything(decimal, integer, number, (float) number, random.nextLong(), text(random), instant,
				instant.atZone(zone), offset, offset.toLocalDateTime(), offset.toLocalDate(),
				Duration.ofSeconds(random.nextInt(), random.nextInt(1_000_000_000)), Optional.of(text(random)),
				List.of(new Box<>(new Money(decimal)), new Box<>(new Money(BigDecimal.TEN))),
				Map.of(text(random).replaceAll("\\p{Cs}", ""),
						random.nextBoolean() ? new Charge(decimal) : new Refund(integer, text(random))),
				random.nextBoolean() ? null : random.nextInt(), (char) random.nextInt(0xD800));
	}

	/* All planes of Unicode, and now and then half of a pair. */
	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(20); i > 0; i--) {
			text.appendCodePoint(random.nextInt(Character.MAX_CODE_POINT + 1));
		}
		return text.toString();
	}

	@Test
	void datesKeepZoneAndOffset() {
		CallJson timestamps = new CallJson(JsonMapper.builder()
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
					DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE, DateTimeFeature.TRUNCATE_TO_MSECS_ON_WRITE)
			.build());
		ZonedDateTime zoned = ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 123_456_789, ZoneId.of("Europe/Berlin"));
		OffsetDateTime offset = zoned.withLaterOffsetAtOverlap().toOffsetDateTime();
		for (CallJson json : List.of(JSON, timestamps)) {
			assertThat(back(json, method("dates"), zoned, offset)[0]).isEqualTo(zoned);
			assertThat(back(json, method("dates"), zoned.withLaterOffsetAtOverlap(), offset))
				.containsExactly(zoned.withLaterOffsetAtOverlap(), offset);
		}
	}

	@Test
	void elementsOfACollectionKeepTheirTypes() {
		Base refund = new Back("r1");
		assertThat(back("bases", List.of(refund, new Base())))
			.asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
			.satisfiesExactly((one) -> assertThat(one).isInstanceOf(Back.class),
					(two) -> assertThat(two).isExactlyInstanceOf(Base.class));
		assertThat(back("basesByName", Map.of("a", refund)))
			.asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
			.hasValueSatisfying(new org.assertj.core.api.Condition<>((one) -> one instanceof Back, "a refund"));
		assertThat(back("base", refund)).isInstanceOf(Back.class);
		assertThat(back("payment", new Refund(BigInteger.ONE, "x"))).isEqualTo(new Refund(BigInteger.ONE, "x"));
	}

	@Test
	void rowsOfTodayThatHoldNoTypeAreReadAsTheDeclaredOneOrNotAtAll() {
		assertThat(JSON.read(method("bases"), "[[{}]]")).hasSize(1);
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> JSON.read(method("bases"), "[[{\"id\":\"r1\"}]]"));
	}

	@Test
	void whatASubclassAddsIsRefusedWhereNoTypeIsStored() {
		for (String method : List.of("plain", "plains")) {
			Object argument = method.equals("plain") ? new Coloured() : List.of(new Coloured());
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> JSON.write(method(method), new Object[] { argument }))
				.withMessageContaining("colour");
		}
	}

	@Test
	void typeVariablesOfASuperclassAreResolved() {
		AnnotatedMethod method = method(OfMoney.class, "call");
		assertThat(back(JSON, method, List.of(new Money(BigDecimal.ONE))))
			.containsExactly(List.of(new Money(BigDecimal.ONE)));
	}

	@Test
	void aConstantWithABodyAndAPathComeBack() {
		assertThat(back(JSON, method("odd"), Size.LARGE, Path.of("/a"), ZoneId.of("Europe/Berlin"), 3))
			.containsExactly(Size.LARGE, Path.of("/a"), ZoneId.of("Europe/Berlin"), 3);
	}

	@Test
	void aRelativeFileStaysRelative() {
		for (String name : List.of("a/b", "./x", "../a/", "/a/../b", "/a:b c%20", "/", "文件.txt")) {
			assertThat(back(JSON, method("files"), new File(name), List.of(Path.of(name))))
				.containsExactly(new File(name), List.of(Path.of(name)));
		}
		// read as they are, or refused
		for (String name : List.of("", "a:b", "file:/etc", " a ")) {
			assertThatExceptionOfType(RuntimeException.class).as(name)
				.isThrownBy(() -> JSON.write(method("files"), new Object[] { null, List.of(Path.of(name)) }));
		}
	}

	@Test
	void noAnnotationAndNoSettingLeavesAnythingOut() {
		CallJson json = new CallJson(JsonMapper.builder()
			.changeDefaultPropertyInclusion((value) -> value.withValueInclusion(JsonInclude.Include.NON_DEFAULT)
				.withContentInclusion(JsonInclude.Include.NON_NULL))
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.build());
		Map<String, @Nullable String> values = new LinkedHashMap<>();
		values.put("a", null);
		Sparse sparse = new Sparse(0, null, values);
		assertThat(json.write(method("sparse"), new Object[] { sparse }))
			.isEqualTo("[{\"count\":0,\"name\":null,\"values\":{\"a\":null}}]");
		assertThat(back(json, method("sparse"), sparse)).containsExactly(sparse);
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> json.read(method("sparse"), "[{\"count\":0,\"other\":1}]"))
			.withMessageContaining("other");
	}

	@Test
	void aPropertyThatIsWrittenAndNotReadIsSkipped() {
		assertThat(back("order", new Order(7))).isEqualTo(new Order(7));
		Bean bean = new Bean();
		bean.name = "x";
		assertThat(JSON.write(method("bean"), new Object[] { bean })).contains("\"empty\":false");
		assertThat(((Bean) java.util.Objects.requireNonNull(back("bean", bean))).name).isEqualTo("x");
	}

	@Test
	void anotherVersionOfAMethodIsNotRead() {
		for (String row : List.of("[]", "[{},{}]", "{}", "5", "", "[{\"amount\":1.5,\"other\":null}]")) {
			assertThatExceptionOfType(RuntimeException.class).as(row).isThrownBy(() -> JSON.read(method("money"), row));
		}
		assertThat(JSON.read(method("money"), "[{}]")).containsExactly(new Money(null));
		assertThat(JSON.read(method("money"), "[null]")).containsNull();
		for (String row : List.of("[{}]", "[{\"id\":null}]", "[{\"id\":1.5}]")) {
			assertThatExceptionOfType(RuntimeException.class).as(row).isThrownBy(() -> JSON.read(method("order"), row));
		}
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> JSON.read(method("number"), "[null]"));
		assertThat(JSON.read(method("bean"), "[{}]")).hasSize(1);
	}

	@Test
	void aNamingStrategyThatComesWithADeployIsAnotherVersion() {
		String written = JSON.write(method("transfer"), new Object[] { new Transfer("a", "b", BigDecimal.TEN) });
		CallJson snakes = new CallJson(
				JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> snakes.read(method("transfer"), written));
	}

	@Test
	void whatComesBackOtherwiseIsRefusedWithItsPlace() {
		Rounding rounding = new Rounding();
		rounding.v = new BigDecimal("1.10");
		Object[] lists = { Map.of("l", List.of(new Rounded(rounding))) };
		assertThatIllegalArgumentException().isThrownBy(() -> JSON.write(method("lists"), lists))
			.withMessage("value.l[0].x.v: 1.10 comes back as 1.1");
	}

	@Test
	void theOrderOfPropertiesAndOfSetsDoesNotCount() {
		assertThat(back("sets", Set.of(Set.of(1, 2, 3, 4, 5), Set.of(6, 7, 8))))
			.isEqualTo(Set.of(Set.of(1, 2, 3, 4, 5), Set.of(6, 7, 8)));
	}

	@Test
	void theLimitsOfTheApplicationHoldForArgumentsOnly() {
		BigInteger digits = BigInteger.TEN.pow(1_499);
		String name = "k".repeat(60_000);
		List<Object> deep = List.of();
		for (int i = 0; i < 900; i++) {
			deep = List.of(deep);
		}
		JsonNode nested = JsonMapper.shared().valueToTree(deep);
		for (Object argument : List.of(digits, Map.of(name, 1))) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(
					() -> JSON.write(method((argument == digits) ? "integer" : "names"), new Object[] { argument }));
		}
		CallJson lenient = new CallJson(JsonMapper
			.builder(JsonFactory.builder()
				.streamReadConstraints(StreamReadConstraints.builder()
					.maxNameLength(100_000)
					.maxNumberLength(10_000)
					.maxNestingDepth(2_000)
					.build())
				.streamWriteConstraints(StreamWriteConstraints.builder().maxNestingDepth(2_000).build())
				.build())
			.build());
		assertThat(back(lenient, method("integer"), digits)).containsExactly(digits);
		assertThat(back(lenient, method("names"), Map.of(name, 1))).containsExactly(Map.of(name, 1));
		assertThat(back(lenient, method("tree"), nested)).containsExactly(nested);
	}

	@Test
	void aNameWithHalfAPairIsRefusedSinceNoRowHoldsIt() {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> JSON.write(method("names"), new Object[] { Map.of("\ud800", 1) }))
			.withMessageContaining("surrogate");
	}

	/** Takes arguments of many types. */
	public interface Methods {

		void decimal(BigDecimal value);

		void integer(BigInteger value);

		void number(int value);

		void money(Money value);

		void tree(JsonNode value);

		void everything(Everything value);

		void dates(ZonedDateTime zoned, OffsetDateTime offset);

		void base(Base value);

		void bases(List<Base> value);

		void basesByName(Map<String, Base> value);

		void payment(Payment value);

		void plain(Plain value);

		void plains(List<Plain> value);

		void odd(Size size, Path path, ZoneId zone, int number);

		void files(File file, List<Path> paths);

		void sparse(Sparse value);

		void order(Order value);

		void bean(Bean value);

		void transfer(Transfer value);

		void lists(Map<String, List<Rounded>> value);

		void sets(Set<Set<Integer>> value);

		void names(Map<String, Integer> value);

	}

	public interface Generic<T> {

		void call(List<T> values);

	}

	public interface OfMoney extends Generic<Money> {

	}

	record Money(@Nullable BigDecimal amount) {
	}

	record Box<T>(T content) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Payment permits Charge, Refund {

	}

	record Charge(BigDecimal amount) implements Payment {
	}

	record Refund(BigInteger cents, String reason) implements Payment {
	}

	record Everything(BigDecimal decimal, BigInteger integer, double number, float single, long count, String text,
			Instant instant, ZonedDateTime zoned, OffsetDateTime offset, LocalDateTime time, LocalDate date,
			Duration duration, Optional<String> perhaps, List<Box<Money>> boxes, Map<String, Payment> payments,
			@Nullable Integer priority, char letter) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, defaultImpl = Base.class)
	@JsonSubTypes(@JsonSubTypes.Type(Back.class))
	public static class Base {

	}

	public static class Back extends Base {

		public String id;

		public Back() {
			this("");
		}

		Back(String id) {
			this.id = id;
		}

	}

	public static class Plain {

		public int size = 1;

	}

	public static class Coloured extends Plain {

		public String colour = "red";

	}

	enum Size {

		SMALL, LARGE {
			@Override
			boolean isLarge() {
				return true;
			}
		};

		boolean isLarge() {
			return false;
		}

	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	record Sparse(int count, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String name,
			Map<String, @Nullable String> values) {
	}

	record Order(int id) {

		public boolean isPaid() {
			return this.id > 5;
		}

	}

	public static class Bean {

		private String name = "";

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

		public boolean isEmpty() {
			return this.name.isEmpty();
		}

	}

	record Transfer(String fromAccount, String toAccount, BigDecimal amount) {
	}

	record Rounded(Rounding x) {
	}

	public static class Rounding {

		private BigDecimal v = BigDecimal.ZERO;

		public BigDecimal getV() {
			return this.v;
		}

		public void setV(BigDecimal v) {
			this.v = v.setScale(1, RoundingMode.UP);
		}

	}

}
