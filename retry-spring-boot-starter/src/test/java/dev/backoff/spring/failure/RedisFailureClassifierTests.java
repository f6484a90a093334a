package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.PoolException;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.failure.LineServer.Reply;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.assertWithoutEffect;
import static dev.backoff.spring.failure.Classified.thrownBy;

/**
 * Tests for {@link RedisFailureClassifier}, through Spring Data and Lettuce against a
 * server of a few lines.
 */
class RedisFailureClassifierTests {

	private final FailureClassifier classifier = new RedisFailureClassifier();

	@ParameterizedTest
	@CsvSource({ "LOADING Redis is loading the dataset in memory,transient other",
			"BUSY Redis is busy running a script,transient other", "TRYAGAIN Multiple keys request,transient other",
			"CLUSTERDOWN The cluster is down,transient other", "MASTERDOWN Link with MASTER is down,transient other",
			"READONLY You can't write against a read only replica.,transient other",
			"WRONGTYPE Operation against a key holding the wrong kind of value,permanent",
			"ERR unknown command,permanent", "NOPERM this user has no permissions,permanent" })
	void classifiesWhatTheServerReplies(String error, String expected) throws IOException {
		try (LineServer server = redis((line) -> line.equals("GET") ? "-" + error : null)) {
			assertGetting(server.port(), expected);
		}
	}

	@Test
	void noReplyInTimeIsTimeout() throws IOException {
		try (LineServer server = redis((line) -> null)) {
			assertGetting(server.port(), "transient timeout",
					TimeoutOptions.builder().timeoutSource(new OfTheCommand()));
		}
	}

	@Test
	void refusedIsConnect() throws IOException {
		assertGetting(SocketServer.closedPort(), "transient connect");
	}

	@Test
	void wrongPasswordIsPermanent() throws IOException {
		try (LineServer server = LineServer.start("",
				(line) -> line.equals("HELLO") ? "-WRONGPASS invalid username-password pair" : null)) {
			assertGetting(server.port(), "permanent");
		}
	}

	@Test
	void emptyPoolIsPool() {
		assertSays(this.classifier, new PoolException("Could not get a resource from the pool"), "transient pool");
	}

	@Test
	void knowsJedisByName() {
		assertSays(this.classifier, NamedFailures.create("redis.clients.jedis.exceptions.JedisConnectionException"),
				"transient connect");
		assertWithoutEffect(this.classifier,
				NamedFailures.create("redis.clients.jedis.exceptions.JedisConnectionException"), false);
		assertSays(this.classifier, NamedFailures.create("redis.clients.jedis.exceptions.JedisDataException"),
				"permanent");
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	/* Answers the greeting of a client, and each command word as told. */
	private static LineServer redis(Reply reply) {
		return LineServer.start("", (line) -> switch (line) {
			case "HELLO" -> "%1\r\n$5\r\nproto\r\n:3";
			case "CLIENT" -> "+OK";
			default -> reply.to(line);
		});
	}

	private void assertGetting(int port, String expected) {
		assertGetting(port, expected, TimeoutOptions.builder());
	}

	private void assertGetting(int port, String expected, TimeoutOptions.Builder timeouts) {
		LettuceClientConfiguration configuration = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ofMinutes(1))
			.clientOptions(ClientOptions.builder().timeoutOptions(timeouts.build()).build())
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port), configuration);
		factory.start();
		try {
			StringRedisTemplate template = new StringRedisTemplate(factory);
			ThrowingCallable get = () -> template.opsForValue().get("order");
			assertSays(this.classifier, thrownBy(get), expected);
		}
		finally {
			factory.destroy();
		}
	}

	/** Much time for the greeting, little for the command. */
	private static final class OfTheCommand extends TimeoutOptions.TimeoutSource {

		@Override
		public long getTimeout(RedisCommand<?, ?, ?> command) {
			return (command.getType() == CommandType.GET) ? 100 : 60_000;
		}

	}

}
