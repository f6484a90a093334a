package dev.backoff.spring.live;

import java.io.IOException;
import java.util.NoSuchElementException;

import org.junit.jupiter.api.Test;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A stop report names a list as the place does where the list is written. */
class ListNamesTests extends LiveApplication {

	private static final String UNREACHED = "NullPointerException is a programming error, which RuntimeException in %s "
			+ "does not reach; name it in %1$s to retry";

	ListNamesTests() {
		super("backoff.policies.orders.base=1s", "backoff.policies.mail.base=1s");
	}

	private void assertReport(String why, Class<? extends Desk> desk, Exception failure) {
		RetriesStoppedException report = RetriesStoppedException
			.of(catchThrowable(() -> this.context.getBean(desk).work(failure)));
		assertThat(report).isNotNull();
		assertThat(report.getMessage()).contains("NOT_RETRYABLE, " + why + " (policy");
	}

	@Test
	void isThatOfTheAnnotation() {
		start(Listed.class);
		assertReport(UNREACHED.formatted("retryOn"), Listed.class, new NullPointerException());
		assertReport("IOException is not listed in retryOn", Listed.class, new IOException());
		assertReport("IllegalStateException is listed in abortOn", Listed.class, new IllegalStateException());
	}

	@Test
	void isThatOfTheFileAndOfEachTypeThatIsNeverRetried() {
		this.centre.put("backoff.defaults.abort-on", "java.util.NoSuchElementException");
		this.centre.put("backoff.policies.desk.retry-on", "java.lang.RuntimeException");
		start(Listed.class);
		assertReport(UNREACHED.formatted("retry-on"), Listed.class, new NullPointerException());
		assertReport("IOException is not listed in retry-on", Listed.class, new IOException());
		assertReport("NoSuchElementException is listed in abort-on", Listed.class, new NoSuchElementException());
		assertReport("IllegalStateException is listed in abortOn", Listed.class, new IllegalStateException());
	}

	@Test
	void followsALiveChange() {
		start(Listed.class);
		this.centre.put("backoff.policies.desk.retry-on", "java.lang.RuntimeException");
		this.centre.put("backoff.policies.desk.abort-on", "java.lang.IllegalStateException");
		assertThat(refresh()).isTrue();
		assertReport(UNREACHED.formatted("retry-on"), Listed.class, new NullPointerException());
		assertReport("IllegalStateException is listed in abort-on", Listed.class, new IllegalStateException());
		this.centre.clear();
		assertThat(refresh()).isTrue();
		assertReport(UNREACHED.formatted("retryOn"), Listed.class, new NullPointerException());
		assertReport("IllegalStateException is listed in abortOn", Listed.class, new IllegalStateException());
	}

	@Test
	void isThatOfThePlaceOfThePolicyWithoutAList() {
		start(Bare.class);
		String why = "NullPointerException is a programming error; name it in ";
		assertReport(why + "retryOn to retry", Bare.class, new NullPointerException());
		this.centre.put("backoff.policies.[Bare.work].cap", "2s");
		assertThat(refresh()).isTrue();
		assertReport(why + "retry-on to retry", Bare.class, new NullPointerException());
	}

	public interface Desk {

		void work(Exception failure) throws Exception;

	}

	static class Listed implements Desk {

		@Override
		@Backoff(value = "desk", retryOn = RuntimeException.class, abortOn = IllegalStateException.class)
		public void work(Exception failure) throws Exception {
			throw failure;
		}

	}

	static class Bare implements Desk {

		@Override
		@Backoff(base = "1s")
		public void work(Exception failure) throws Exception {
			throw failure;
		}

	}

}
