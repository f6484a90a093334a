package dev.backoff.durable;

import java.time.Instant;

import com.github.kagkarlsson.scheduler.serializer.Serializer;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;

/** The Java of the page on durable calls. */
class DurablePage {

	private final Payments payments;

	private final Partner partner;

	private final DurableCalls calls;

	DurablePage(Payments payments, Partner partner, DurableCalls calls) {
		this.payments = payments;
		this.partner = partner;
		this.calls = calls;
	}

	@Backoff(value = "payment-polling", durable = "true", key = "#trade",
			ladder = { "1s x5", "5s x5", "10s x10", "30s" }, deadline = "3m",
			until = "#result.status.name != 'PENDING'", recover = "timeOut")
	public DurableCall<Payment> poll(String trade) {
		Payment payment = this.payments.get(trade);
		if (!payment.isFinal()) {
			payment = this.payments.settle(trade, this.partner.status(trade));
		}
		return DurableCall.result(payment);
	}

	void timeOut(String trade) {
		this.payments.settle(trade, Status.TIMED_OUT);
	}

	@Backoff(value = "daily-mails", durable = "true", schedule = "0 0 7 * * *", base = "10s", cap = "5120s",
			maxAttempts = "11")
	public void sendMails() {
		this.partner.send(Attempt.current().idempotencyKey());
	}

	void noticeCame(String trade) {
		this.payments.settle(trade, Status.PAID);
		this.calls.end("payment-polling", trade);
	}

	void later(DurablePage polls, String trade) {
		this.calls.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(60)), () -> polls.poll(trade));
	}

	@Bean
	Serializer backoffCallSerializer(@Qualifier("backoffCallJson") Serializer json, Cipher cipher) {
		return new EncryptingSerializer(json, cipher);
	}

	enum Status {

		PENDING, PAID, TIMED_OUT

	}

	record Payment(Status status) {

		boolean isFinal() {
			return this.status != Status.PENDING;
		}

	}

	record EncryptingSerializer(Serializer json, Cipher cipher) implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return this.cipher.encrypt(this.json.serialize(data));
		}

		@Override
		public <T> T deserialize(Class<T> type, byte[] data) {
			return this.json.deserialize(type, this.cipher.decrypt(data));
		}

	}

	interface Cipher {

		byte[] encrypt(byte[] data);

		byte[] decrypt(byte[] data);

	}

	interface Payments {

		Payment get(String trade);

		Payment settle(String trade, Status status);

	}

	interface Partner {

		Status status(String trade);

		void send(String idempotencyKey);

	}

}
