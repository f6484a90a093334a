package dev.backoff.sample.partner;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import dev.backoff.sample.gateway.PartnerAddress;

/**
 * Call the partners, without retries, which are up to the callers. A failure is a
 * {@link RestClientException}. Timeouts come from {@code spring.http.clients.*}.
 */
@Component
public class PartnerClient {

	private final RestClient http;

	PartnerClient(RestClient.Builder builder, PartnerAddress partners) {
		this.http = builder.baseUrl(partners.url()).build();
	}

	/**
	 * Authorise the payment of an order, once per key.
	 * @param trade the payment's trade number
	 * @param cents the amount
	 * @param key the idempotency key
	 */
	public void authorise(String trade, int cents, String key) {
		this.http.post()
			.uri("/payments/{trade}", trade)
			.header("Idempotency-Key", quoted(key))
			.body(Map.of("cents", cents))
			.retrieve()
			.toBodilessEntity();
	}

	/**
	 * {@return the status of a payment, in the partner's words}
	 */
	public String paymentStatus(String trade) {
		return answer(this.http.get().uri("/payments/{trade}", trade).retrieve().body(StatusAnswer.class)).status();
	}

	/**
	 * Notify the merchant of a change of a payment, once per key.
	 * @param trade the payment's trade number
	 * @param key the idempotency key
	 */
	public void notifyMerchant(String trade, String key) {
		this.http.post()
			.uri("/notifications")
			.header("Idempotency-Key", quoted(key))
			.body(Map.of("trade", trade))
			.retrieve()
			.toBodilessEntity();
	}

	/**
	 * Refund a payment, once per key.
	 * @param trade the payment's trade number
	 * @param key the idempotency key
	 */
	public void refund(String trade, String key) {
		this.http.post()
			.uri("/refunds/{trade}", trade)
			.header("Idempotency-Key", quoted(key))
			.retrieve()
			.toBodilessEntity();
	}

	/**
	 * Send the mail that confirms an order, once per order.
	 * @param order the order's number
	 */
	public void sendMail(long order) {
		this.http.post()
			.uri("/mails")
			.header("Idempotency-Key", quoted("order-" + order))
			.body(Map.of("order", order))
			.retrieve()
			.toBodilessEntity();
	}

	/**
	 * Announce orders to logistics. A repeated announcement has no effect.
	 * @param orders the orders' numbers
	 */
	public void announceShipments(List<Long> orders) {
		this.http.put().uri("/shipments").body(Map.of("orders", orders)).retrieve().toBodilessEntity();
	}

	/**
	 * Ask what a shipment costs.
	 * @param sku what is shipped
	 * @return the price in cents
	 */
	public int shippingQuote(String sku) {
		return answer(this.http.get().uri("/quotes/{sku}", sku).retrieve().body(QuoteAnswer.class)).cents();
	}

	/**
	 * Ask the AI provider a question.
	 * @param question the question
	 * @return the answer
	 */
	public String ask(String question) {
		return answer(this.http.post()
			.uri("/answers")
			.body(Map.of("question", question))
			.retrieve()
			.body(QuestionAnswer.class)).text();
	}

	private static <T> T answer(@Nullable T body) {
		if (body == null) {
			throw new RestClientException("The partner's answer has no body");
		}
		return body;
	}

	/** Return the key as a structured string, the format of the header. */
	private static String quoted(String key) {
		return '"' + key + '"';
	}

	private record StatusAnswer(String status) {
	}

	private record QuoteAnswer(int cents) {
	}

	private record QuestionAnswer(String text) {
	}

}
