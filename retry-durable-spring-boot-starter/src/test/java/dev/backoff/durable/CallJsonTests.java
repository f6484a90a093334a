package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

import dev.backoff.ResumedCall;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

class CallJsonTests {

	private static final Instant NOW = Instant.parse("2026-11-23T10:15:30.123456Z");

	private final CallJson json = new CallJson(JsonMapper.shared());

	private static StoredCall call() {
		return StoredCall.submitted("id-1", "o1", "Mails.send(String)", "[\"o1\"]", NOW, Nanos.UNLIMITED, null);
	}

	@Test
	void rowsDoNotDependOnTheMapperOfTheApplication() {
		CallJson other = new CallJson(JsonMapper.builder()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
			.build());
		StoredCall call = call().again(new ResumedCall.Again(1, Duration.ZERO, Duration.ZERO, true, 0, null));
		assertThat(this.json.deserialize(StoredCall.class, other.serialize(call))).isEqualTo(call);
		assertThat(new String(other.serialize(call), StandardCharsets.UTF_8)).contains("\"finalPoll\"")
			.contains("\"2026-11-23T10:15:30.123456Z\"");
	}

	@Test
	void rowsCarryHowManyAttemptsTimedOutLast() {
		StoredCall again = call()
			.again(new ResumedCall.Again(2, Duration.ofSeconds(1), Duration.ofSeconds(1), false, 2, null));
		String row = new String(this.json.serialize(again), StandardCharsets.UTF_8);
		assertThat(read(this.json, row).kept(NOW, 0, null).timeouts()).isEqualTo(2);
		assertThat(row).contains(",\"timeouts\":2");
		String zeros = row.replace(",\"timeouts\":2", ",\"losses\":0,\"finalPoll\":false,\"timeouts\":0,\"stop\":null");
		assertThat(read(this.json, zeros)).isEqualTo(read(this.json, row.replace(",\"timeouts\":2", "")));
		assertThat(read(this.json, zeros).kept(NOW, 0, null).timeouts()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "null", "{}", "no json", "{\"format\":2,\"id\":\"x\"}", "[[" })
	void whatIsNoCallKeepsItsBytes(String text) {
		assertThat(read(new CallJson.Rows(this.json), text)).isEqualTo(StoredCall.unreadable(text));
	}

	@Test
	void whatASerializerThrowsMakesTheRowUnreadable() {
		List<Supplier<Throwable>> thrown = List.of(() -> new IllegalStateException("another key"),
				() -> new NoClassDefFoundError("Cipher"), StackOverflowError::new);
		for (Supplier<Throwable> failure : thrown) {
			assertThat(read(new CallJson.Rows(new Serializer() {

				@Override
				public byte[] serialize(Object data) {
					throw new AssertionError("not called");
				}

				@Override
				public <T> T deserialize(Class<T> type, byte[] data) {
					if (failure.get() instanceof Error error) {
						throw error;
					}
					throw (RuntimeException) failure.get();
				}

			}), "secret")).isEqualTo(StoredCall.unreadable("secret"));
		}
	}

	private static StoredCall read(Serializer rows, String text) {
		return rows.deserialize(StoredCall.class, text.getBytes(StandardCharsets.ISO_8859_1));
	}

}
