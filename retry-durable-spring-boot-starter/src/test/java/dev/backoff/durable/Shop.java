package dev.backoff.durable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import org.awaitility.Awaitility;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

/** An application with durable methods, whose attempts do what a test says. */
@Configuration(proxyBeanMethods = false)
@Import({ Shop.Mails.class, Shop.Payments.class, Shop.Reports.class, Shop.Transfers.class })
class Shop {

	static {
		// for all classes that await something here: ten seconds are short on a machine
		// on which four of them and their processes run at once
		Awaitility.setDefaultTimeout(Duration.ofMinutes(5));
		// a thread of another class is of no concern
		Awaitility.doNotCatchUncaughtExceptionsByDefault();
	}

	@Bean
	Journal journal(ObjectProvider<Work> work) {
		return new Journal(work.getIfAvailable(() -> (attempt) -> "done"));
	}

	/** What attempts do and have done. */
	static class Journal {

		final List<String> lines = new CopyOnWriteArrayList<>();

		final List<Attempt> attempts = new CopyOnWriteArrayList<>();

		final List<RetriesStoppedException> stories = new CopyOnWriteArrayList<>();

		private final Map<String, Work> works = new ConcurrentHashMap<>();

		private final Work otherwise;

		Journal(Work otherwise) {
			this.otherwise = otherwise;
		}

		void when(String name, Work work) {
			this.works.put(name, work);
		}

		@Nullable Object made(String name) {
			Attempt attempt = Attempt.current();
			this.attempts.add(attempt);
			this.lines.add(name + " " + attempt.number());
			return run(name, attempt);
		}

		void recovered(String line, RetriesStoppedException report) {
			this.lines.add(line);
			this.stories.add(report);
			Object unused = run("recover", Attempt.current());
		}

		private @Nullable Object run(String name, Attempt attempt) {
			try {
				return this.works.getOrDefault(name, this.otherwise).run(attempt);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("interrupted", ex);
			}
		}

	}

	/** What an attempt does. */
	@FunctionalInterface
	interface Work {

		@Nullable Object run(Attempt attempt) throws InterruptedException;

	}

	/** Sends mails, without a result. */
	static class Mails {

		private final Journal journal;

		Mails(Journal journal) {
			this.journal = journal;
		}

		@Backoff(value = "mails", durable = "true", key = "#order", ladder = "20ms", maxAttempts = "3")
		public void send(String order) {
			Object unused = this.journal.made(order);
		}

		@Backoff(value = "fragile", durable = "true", ladder = "20ms", idempotent = "false")
		public DurableCall<String> sendOnce(Mail mail) {
			return DurableCall.result(String.valueOf(this.journal.made(mail.order())));
		}

	}

	/** Moves money. */
	static class Transfers {

		private final List<Transfer> made = new CopyOnWriteArrayList<>();

		private final Journal journal;

		Transfers(Journal journal) {
			this.journal = journal;
		}

		@Backoff(value = "transfers", durable = "true", ladder = "20ms", maxAttempts = "3")
		public void transfer(Transfer transfer) {
			this.made.add(transfer);
			Object unused = this.journal.made("transfer");
		}

		public List<Transfer> made() {
			return this.made;
		}

	}

	/** Runs by itself. */
	static class Reports {

		private final Journal journal;

		Reports(Journal journal) {
			this.journal = journal;
		}

		@Backoff(value = "report", durable = "true", schedule = "${report.schedule:0 0 0 1 1 *}", ladder = "20ms",
				maxAttempts = "3")
		public void run() {
			Object unused = this.journal.made("report");
		}

	}

	/** Polls payments. */
	static class Payments {

		private final Journal journal;

		Payments(Journal journal) {
			this.journal = journal;
		}

		@Backoff(value = "polling", durable = "true", key = "#root.args[0]", ladder = "20ms", deadline = "1m",
				maxAttempts = "4", until = "#result != 'PENDING'", recover = "timeOut")
		public DurableCall<String> poll(String trade, Map<String, List<Integer>> details) {
			return DurableCall.result(String.valueOf(this.journal.made(trade + details)));
		}

		void timeOut(String trade, Map<String, List<Integer>> details, RetriesStoppedException report) {
			this.journal.recovered("timed out " + trade + details + " " + report.reason(), report);
		}

	}

	/** An argument of which every digit counts. */
	record Transfer(String account, BigDecimal amount, ZonedDateTime at) {
	}

	/** An argument. */
	record Mail(String order, @Nullable Integer priority, java.time.Instant at) {
	}

}
