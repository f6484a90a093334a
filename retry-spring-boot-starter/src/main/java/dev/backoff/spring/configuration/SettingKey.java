package dev.backoff.spring.configuration;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** The keys directly below {@code backoff}, with their parsers and defaults. */
enum SettingKey implements ConfigurationKey {

	ENABLED("enabled", TextValues::flag, "true"),

	RETRIES_ENABLED("retries-enabled", TextValues::flag, "true"),

	UNKNOWN_KEYS("unknown-keys", (text) -> TextValues.word(BackoffProperties.UnknownKeys.class, text), "error"),

	INSTANCES("instances", OverloadValues::wholeNumber, "1"),

	RANDOM("random", (text) -> TextValues.word(BackoffProperties.RandomKind.class, text), "fast"),

	MODE("mode", (text) -> TextValues.word(BackoffProperties.AdviceMode.class, text), "proxy"),

	OTHER_RETRIES("other-retries", (text) -> TextValues.word(BackoffProperties.OtherRetries.class, text), "warn"),

	METRICS_ENABLED("metrics.enabled", TextValues::flag, "true"),

	METRICS_SLO("metrics.slo", TextValues::positiveDuration),

	METRICS_DURATIONS("metrics.durations", TextValues::flag, "false"),

	OBSERVATION_ENABLED("observation.enabled", TextValues::flag, "false"),

	HTTP_HOSTS("http.hosts", TextValues::hostPattern),

	HTTP_ATTEMPT_HEADER("http.attempt-header", TextValues::headerName, HttpSettings.ATTEMPT),

	HTTP_DEADLINE_HEADER("http.deadline-header", TextValues::headerName, HttpSettings.DEADLINE),

	HTTP_IDEMPOTENCY_HEADER("http.idempotency-header", TextValues::headerName, HttpSettings.IDEMPOTENCY),

	HTTP_INBOUND("http.inbound", TextValues::flag, "false"),

	ENDPOINT_MESSAGES("endpoint.messages", TextValues::flag, "false"),

	HEALTH_BREAKERS("health.breakers", TextValues::flag, "false"),

	SHUTDOWN_WAIT("shutdown.wait", TextValues::duration, "0ms"),

	DURABLE_WORK("durable.work", TextValues::flag, "true"),

	DURABLE_STORE("durable.store", (text) -> TextValues.word(DurableSettings.Store.class, text), "auto"),

	DURABLE_DATA_SOURCE("durable.data-source", Function.identity(), null),

	DURABLE_FILE("durable.file", Function.identity(), "./backoff-durable"),

	DURABLE_TABLE("durable.table", TextValues::tableName, "backoff_calls"),

	DURABLE_INITIALIZE_SCHEMA("durable.initialize-schema",
			(text) -> TextValues.word(DurableSettings.InitializeSchema.class, text), "auto"),

	DURABLE_POLL_INTERVAL("durable.poll-interval", TextValues::positiveDuration, "5s"),

	DURABLE_HEARTBEAT("durable.heartbeat", TextValues::positiveDuration, "5s"),

	DURABLE_MAX_LOSSES("durable.max-losses", OverloadValues::wholeNumber, "5"),

	DURABLE_MAX_PAYLOAD("durable.max-payload", TextValues::size, "64KB"),

	DURABLE_SHUTDOWN_WAIT("durable.shutdown-wait", TextValues::duration, "20s");

	private final String key;

	@SuppressWarnings("ImmutableEnumChecker") // parsers have no state
	private final ValueType type;

	SettingKey(String key, Function<String, ?> parser, @Nullable String builtIn) {
		this.key = key;
		this.type = ValueType.of(parser, builtIn);
	}

	/** A list, each of whose elements is read by itself. */
	SettingKey(String key, Function<String, ?> parser) {
		this.key = key;
		this.type = ValueType.each(parser);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public ValueType type() {
		return this.type;
	}

}
