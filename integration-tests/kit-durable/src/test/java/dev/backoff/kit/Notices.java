package dev.backoff.kit;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.boot.autoconfigure.SpringBootApplication;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.durable.DurableCall;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.test.VirtualTime;

/** An application with durable methods. */
@SpringBootApplication
class Notices {

	private final List<String> sent = new CopyOnWriteArrayList<>();

	private final List<String> parked = new CopyOnWriteArrayList<>();

	private final List<Duration> reports = new CopyOnWriteArrayList<>();

	private final List<String> hourly = new CopyOnWriteArrayList<>();

	private final Merchant merchant = (trade, key) -> this.sent.add(trade);

	private final VirtualTime time;

	Notices(VirtualTime time) {
		this.time = time;
	}

	List<String> sent() {
		return this.sent;
	}

	List<String> parked() {
		return this.parked;
	}

	List<Duration> reports() {
		return this.reports;
	}

	@Backoff(value = "notice", durable = "true", ladder = { "1m", "10m", "1h x2", "1d" }, recover = "park")
	void send(String order) throws IOException {
		this.sent.add(order);
	}

	void park(String trade, RetriesStoppedException report) {
		this.parked.add(trade);
	}

	@Backoff(value = "merchant-callback", durable = "true", key = "#trade", idempotent = "by-key",
			ladder = { "4m", "10m", "10m", "1h", "2h", "6h", "15h" }, recover = "park")
	public void notifyMerchant(String trade) {
		this.merchant.notify(trade, Attempt.current().idempotencyKey());
	}

	@Backoff(value = "settlement", durable = "true")
	void settle(Duration time) {
		try {
			this.time.sleep(time);
			// let the next test begin meanwhile, if it does not wait
			Thread.sleep(20);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Backoff(value = "status", durable = "true", key = "#trade", base = "20s", cap = "20s", maxAttempts = "1000",
			deadline = "1h", until = "#result == 'PAID'")
	DurableCall<String> poll(String trade) {
		return DurableCall.result((this.time.elapsed().toMinutes() < 30) ? "PENDING" : "PAID");
	}

	@Backoff(value = "first", durable = "true", schedule = "0 0 * * * *", base = "5s", cap = "5s")
	void first() {
		this.hourly.add("first");
	}

	@Backoff(value = "second", durable = "true", schedule = "0 0 * * * *", base = "5s", cap = "5s")
	void second() {
		this.hourly.add("second");
	}

	@Backoff(value = "third", durable = "true", schedule = "0 0 * * * *", base = "5s", cap = "5s")
	void third() {
		this.hourly.add("third");
	}

	List<String> hourly() {
		return this.hourly;
	}

	@Backoff(value = "report", durable = "true", schedule = "every 10m", base = "5s", cap = "5s")
	void report() {
		this.reports.add(this.time.elapsed());
	}

	interface Merchant {

		void notify(String trade, String key);

	}

}
