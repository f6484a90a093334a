package dev.backoff.spring.failure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.KeyStoreException;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.grpc.Status;
import io.lettuce.core.RedisCommandExecutionException;
import jakarta.mail.AuthenticationFailedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageConversionException;
import org.springframework.mail.MailSendException;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import dev.backoff.Retry;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests for the types that permanent judgements name. */
class JudgedTypesTests {

	private final FailureClassifier builtIn = new BuiltInFailureClassifiers(getClass().getClassLoader(),
			Clock.systemUTC(), true);

	private static Throwable noJson() {
		return thrownBy(() -> new JsonMapper().readValue("Certainly!", Integer.class));
	}

	static Stream<Arguments> judged() {
		return Stream.of(Arguments.of(noJson(), JacksonException.class),
				Arguments.of(new RestClientException("unreadable", new HttpMessageConversionException("x", noJson())),
						JacksonException.class),
				Arguments.of(new RestClientException("unreadable", new HttpMessageConversionException("x")),
						HttpMessageConversionException.class),
				Arguments.of(new DuplicateKeyException("x"), NonTransientDataAccessException.class),
				Arguments.of(new SQLSyntaxErrorException("x"), java.sql.SQLNonTransientException.class),
				Arguments.of(new FileNotFoundException(), FileNotFoundException.class),
				Arguments.of(new KeyStoreException(), java.security.GeneralSecurityException.class),
				Arguments.of(new IOException(new IllegalArgumentException("no host")), IllegalArgumentException.class),
				Arguments.of(new RedisCommandExecutionException("WRONGPASS"), RedisCommandExecutionException.class),
				Arguments.of(new MailSendException("x", new AuthenticationFailedException()),
						AuthenticationFailedException.class),
				Arguments.of(new SecurityException(), SecurityException.class),
				Arguments.of(new HttpClientErrorException(HttpStatus.BAD_REQUEST), null),
				Arguments.of(new ResponseStatusException(HttpStatus.NOT_FOUND), null),
				Arguments.of(Status.INVALID_ARGUMENT.asRuntimeException(), null),
				Arguments.of(new SQLException("duplicate", "23505"), null));
	}

	@ParameterizedTest
	@MethodSource("judged")
	void areThoseOfTheTablesAndNoneForAStatus(Throwable failure, @Nullable Class<?> type) {
		FailureClassification answer = this.builtIn.classify(new IllegalStateException(failure));
		assertThat(answer).isNotNull();
		assertThat(answer.kind()).isEqualTo(Kind.PERMANENT);
		assertThat((Object) answer.judgedType()).isEqualTo(type);
	}

	@Test
	void letAListedTypeRetryAnAnswerThatIsNoJson() {
		for (Class<? extends Throwable> listed : List.of(JacksonException.class, noJson().getClass(),
				Exception.class)) {
			AtomicInteger requests = new AtomicInteger();
			Retry retry = Retry
				.builder(RetryPolicy.builder("model").retryOn(listed).classifiers(List.of(this.builtIn)).build())
				.time(new VirtualTime())
				.build();
			assertThatThrownBy(() -> retry.call(() -> {
				requests.incrementAndGet();
				throw new RestClientException("unreadable", noJson());
			})).isInstanceOf(RestClientException.class);
			assertThat(requests).hasValue((listed != Exception.class) ? 4 : 1);
		}
	}

}
