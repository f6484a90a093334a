package dev.backoff.failure;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

public class CausesTests {

	@Test
	void startWithTheFailureItself() {
		IOException root = new IOException("root");
		RuntimeException middle = new IllegalStateException(root);
		Exception outer = new Exception(middle);
		assertThat(Causes.of(outer)).containsExactly(outer, middle, root);
		assertThat(Causes.of(root)).containsExactly(root);
		assertThat(Causes.root(outer)).isSameAs(root);
		assertThat(Causes.root(root)).isSameAs(root);
	}

	@Test
	void findTheFirstThatMatches() {
		IOException root = new IOException("root");
		IOException middle = new IOException("middle", root);
		Exception outer = new Exception(middle);
		assertThat(Causes.find(outer, IOException.class)).isSameAs(middle);
		assertThat(Causes.find(outer, (cause) -> "root".equals(cause.getMessage()))).isSameAs(root);
		assertThat(Causes.find(outer, IllegalStateException.class)).isNull();
	}

	@Test
	void endInACycle() {
		Exception first = new Exception("first");
		Exception second = new Exception("second", first);
		Exception third = new Exception("third", second);
		first.initCause(third);
		assertThat(Causes.of(first)).startsWith(first, third, second).hasSize(Causes.LIMIT);
		assertThat(Causes.find(first, IOException.class)).isNull();
	}

	@Test
	void areNoneAndSoIsTheMessageOfAnExceptionWhoseMethodsThrow() {
		Exception hostile = new Exception() {

			private static final long serialVersionUID = 1L;

			@Override
			public synchronized Throwable getCause() {
				throw new IllegalStateException();
			}

			@Override
			public String getMessage() {
				throw new StackOverflowError();
			}

		};
		Exception outer = new Exception("outer", hostile);
		assertThat(Causes.of(outer)).containsExactly(outer, hostile);
		assertThat(Causes.cause(outer)).isSameAs(hostile);
		assertThat(Causes.cause(hostile)).isNull();
		assertThat(Causes.message(outer)).isEqualTo("outer");
		assertThat(Causes.message(hostile)).isNull();
	}

	@Test
	void lookAtThirtyTwoOfAHundredThousand() {
		Exception deep = deep(new IOException("root"), 100_000);
		assertThat(Causes.of(deep)).hasSize(Causes.LIMIT).hasSize(32);
		assertThat(Causes.find(deep, IOException.class)).isNull();
		assertThat(Causes.find(deep(new IOException("root"), 31), IOException.class)).isNotNull();
		assertThat(Causes.find(deep(new IOException("root"), 32), IOException.class)).isNull();
	}

	@Test
	void areNoTimeoutsIfNoConnectionWasMade() {
		Exception timeout = new TimeoutException();
		assertThat(Causes.isTimeout(timeout, null)).isTrue();
		for (RetryCause cause : List.of(RetryCause.CONNECT, RetryCause.POOL)) {
			FailureClassification known = FailureClassification.transientFailure(cause).withPossibleEffect();
			assertThat(Causes.isTimeout(timeout, known)).isFalse();
		}
	}

	private static Exception deep(Exception root, int depth) {
		Exception outer = root;
		for (int i = 0; i < depth; i++) {
			outer = new Wrapped(outer);
		}
		return outer;
	}

	/* Without a stack trace, since there are many. */
	@SuppressWarnings("serial") // never serialized
	private static final class Wrapped extends Exception {

		Wrapped(Exception cause) {
			super("wrapped", cause, true, false);
		}

	}

}
