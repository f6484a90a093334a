package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import dev.backoff.spring.configuration.BackoffProperties.AdviceMode;
import dev.backoff.spring.configuration.BackoffProperties.OtherRetries;
import dev.backoff.spring.configuration.BackoffProperties.RandomKind;
import dev.backoff.spring.configuration.BackoffProperties.UnknownKeys;
import dev.backoff.spring.configuration.DurableSettings.InitializeSchema;
import dev.backoff.spring.configuration.DurableSettings.Store;

/**
 * The keys directly below {@code backoff}, with their parsers and defaults.
 *
 * @since 0.1
 */
public final class SettingKey {

	static final List<Key<?>> KEYS = new ArrayList<>();

	public static final Key<Boolean> ENABLED = Key.of(KEYS, "enabled", TextValues::flag, "true");

	public static final Key<Boolean> RETRIES_ENABLED = Key.of(KEYS, "retries-enabled", TextValues::flag, "true");

	public static final Key<UnknownKeys> UNKNOWN_KEYS = Key.of(KEYS, "unknown-keys",
			OverloadValues.oneOf(UnknownKeys.class), "error");

	public static final Key<Integer> INSTANCES = Key.of(KEYS, "instances", OverloadValues::wholeNumber, "1");

	public static final Key<RandomKind> RANDOM = Key.of(KEYS, "random", OverloadValues.oneOf(RandomKind.class), "fast");

	public static final Key<AdviceMode> MODE = Key.of(KEYS, "mode", OverloadValues.oneOf(AdviceMode.class), "proxy");

	public static final Key<OtherRetries> OTHER_RETRIES = Key.of(KEYS, "other-retries",
			OverloadValues.oneOf(OtherRetries.class), "warn");

	public static final Key<Boolean> METRICS_ENABLED = Key.of(KEYS, "metrics.enabled", TextValues::flag, "true");

	public static final Key<List<Duration>> METRICS_SLO = Key.ofEach(KEYS, "metrics.slo", TextValues::positiveDuration);

	public static final Key<Boolean> METRICS_DURATIONS = Key.of(KEYS, "metrics.durations", TextValues::flag, "false");

	public static final Key<Boolean> OBSERVATION_ENABLED = Key.of(KEYS, "observation.enabled", TextValues::flag,
			"false");

	public static final Key<List<String>> HTTP_HOSTS = Key.ofEach(KEYS, "http.hosts", TextValues::hostPattern);

	public static final Key<String> HTTP_ATTEMPT_HEADER = Key.of(KEYS, "http.attempt-header", TextValues::headerName,
			HttpSettings.ATTEMPT);

	public static final Key<String> HTTP_DEADLINE_HEADER = Key.of(KEYS, "http.deadline-header", TextValues::headerName,
			HttpSettings.DEADLINE);

	public static final Key<String> HTTP_IDEMPOTENCY_HEADER = Key.of(KEYS, "http.idempotency-header",
			TextValues::headerName, HttpSettings.IDEMPOTENCY);

	public static final Key<Boolean> HTTP_INBOUND = Key.of(KEYS, "http.inbound", TextValues::flag, "false");

	public static final Key<Boolean> ENDPOINT_MESSAGES = Key.of(KEYS, "endpoint.messages", TextValues::flag, "false");

	public static final Key<Boolean> HEALTH_BREAKERS = Key.of(KEYS, "health.breakers", TextValues::flag, "false");

	public static final Key<Duration> SHUTDOWN_WAIT = Key.of(KEYS, "shutdown.wait", TextValues::duration, "0ms");

	public static final Key<Boolean> DURABLE_WORK = Key.of(KEYS, "durable.work", TextValues::flag, "true");

	public static final Key<Store> DURABLE_STORE = Key.of(KEYS, "durable.store", OverloadValues.oneOf(Store.class),
			"auto");

	public static final Key<String> DURABLE_DATA_SOURCE = Key.of(KEYS, "durable.data-source", Function.identity(),
			null);

	public static final Key<String> DURABLE_FILE = Key.of(KEYS, "durable.file", Function.identity(),
			"./backoff-durable");

	public static final Key<String> DURABLE_TABLE = Key.of(KEYS, "durable.table", TextValues::tableName,
			"backoff_calls");

	public static final Key<InitializeSchema> DURABLE_INITIALIZE_SCHEMA = Key.of(KEYS, "durable.initialize-schema",
			OverloadValues.oneOf(InitializeSchema.class), "auto");

	public static final Key<Duration> DURABLE_POLL_INTERVAL = Key.of(KEYS, "durable.poll-interval",
			TextValues::positiveDuration, "5s");

	public static final Key<Duration> DURABLE_HEARTBEAT = Key.of(KEYS, "durable.heartbeat",
			TextValues::positiveDuration, "5s");

	public static final Key<Integer> DURABLE_MAX_LOSSES = Key.of(KEYS, "durable.max-losses",
			OverloadValues::wholeNumber, "5");

	public static final Key<Integer> DURABLE_MAX_PAYLOAD = Key.of(KEYS, "durable.max-payload", TextValues::size,
			"64KB");

	public static final Key<Duration> DURABLE_SHUTDOWN_WAIT = Key.of(KEYS, "durable.shutdown-wait",
			TextValues::duration, "20s");

	private SettingKey() {
	}

}
