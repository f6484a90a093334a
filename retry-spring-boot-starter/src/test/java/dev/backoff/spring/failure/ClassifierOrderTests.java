package dev.backoff.spring.failure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.server.ResponseStatusException;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.describe;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests for all classifiers together, in the order that the package describes. */
class ClassifierOrderTests {

	private static final Clock CLOCK = Clock.systemUTC();

	private final List<FailureClassifier> ordered = List.of(
			new RestClientFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)), new IoFailureClassifier(true)),
			new WebClientFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)), new IoFailureClassifier(true)),
			new FeignFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)), new IoFailureClassifier(true)),
			new GrpcFailureClassifier(), new DubboFailureClassifier(), new RedisFailureClassifier(),
			new MailFailureClassifier(), new DataAccessFailureClassifier(), new SqlFailureClassifier(),
			new RefusalFailureClassifier(), new WebStatusFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK))),
			new IoFailureClassifier(false));

	private final FailureClassifier builtIn = new BuiltInFailureClassifiers(getClass().getClassLoader(), CLOCK, true);

	@Test
	void aFailedCallOutranksTheStatusOfOurOwnAnswer() {
		assertSays(this::first, ourAnswer(new HttpClientErrorException(HttpStatus.BAD_REQUEST)), "permanent");
		assertSays(this::first, ourAnswer(new ResourceAccessException("x", new ConnectException())),
				"transient connect");
		assertSays(this::first, ourAnswer(new DuplicateKeyException("x")), "permanent");
		assertSays(this::first, ourAnswer(new SQLException("x", "40001")), "transient lock");
		assertSays(this::first, ourAnswer(new SecurityException()), "permanent");
	}

	@Test
	void theStatusOfOurOwnAnswerOutranksIo() {
		assertSays(this::first, ourAnswer(new FileNotFoundException()), "transient http_5xx");
		assertSays(this::first, new ResponseStatusException(HttpStatus.NOT_FOUND, "x", new IOException()), "permanent");
	}

	@Test
	void aReplyOfRedisOutranksDataAccess() {
		Throwable reply = new RedisCommandExecutionException("WRONGPASS no");
		assertSays(this::first, new RedisConnectionFailureException("x", reply), "permanent");
	}

	@Test
	void unknownFailuresStayUnknown() {
		assertSays(this::first, new IllegalStateException(), "nothing");
		Exception first = new IllegalStateException();
		first.initCause(new IllegalArgumentException(first));
		assertSays(this::first, first, "nothing");
	}

	private static Throwable ourAnswer(Throwable cause) {
		return new ResponseStatusException(HttpStatus.BAD_GATEWAY, "x", cause);
	}

	/* Whoever is not asked would have said nothing. */
	private @Nullable FailureClassification first(Throwable failure) {
		FailureClassification answer = this.builtIn.classify(failure);
		assertThat(describe(answer)).isEqualTo(describe(firstOfAll(failure)));
		return answer;
	}

	private @Nullable FailureClassification firstOfAll(Throwable failure) {
		for (FailureClassifier classifier : this.ordered) {
			FailureClassification answer = classifier.classify(failure);
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

}
