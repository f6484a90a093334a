package dev.backoff.sample.gateway;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import org.springframework.boot.convert.DurationStyle;

/**
 * The fault of one call. As parameters of {@code POST /faults/<route>}, exactly one of:
 * <ul>
 * <li>{@code answer=503}, optionally with {@code retry-after=2} or, to be late, with
 * {@code hang=1s}: answer that status</li>
 * <li>{@code hang=5s}: work and answer, but late</li>
 * <li>{@code reset}: reset the connection instead of working</li>
 * <li>{@code apply-and-reset}: work, then reset the connection instead of answering</li>
 * <li>{@code pending}: answer that the payment is still pending</li>
 * </ul>
 */
@FunctionalInterface
interface Fault {

	void happen(Exchange exchange) throws IOException, InterruptedException;

	static Fault of(Map<String, String> parameters) {
		if (parameters.containsKey("answer")) {
			Reply reply = Reply.of(Integer.parseInt(parameters.get("answer")), parameters.get("retry-after"));
			Duration length = DurationStyle.detectAndParse(parameters.getOrDefault("hang", "0"));
			return (exchange) -> {
				Thread.sleep(length.toMillis());
				exchange.answer(reply);
			};
		}
		if (parameters.containsKey("hang")) {
			Duration length = DurationStyle.detectAndParse(parameters.get("hang"));
			return (exchange) -> {
				Thread.sleep(length.toMillis());
				exchange.answer(exchange.work());
			};
		}
		if (parameters.containsKey("reset")) {
			return Exchange::reset;
		}
		if (parameters.containsKey("apply-and-reset")) {
			return (exchange) -> {
				exchange.work();
				exchange.reset();
			};
		}
		if (parameters.containsKey("pending")) {
			return (exchange) -> exchange.answer(Partners.PENDING);
		}
		throw new IllegalArgumentException(
				"Invalid fault (%s): must name one of answer, hang, reset, apply-and-reset, pending."
					.formatted(parameters));
	}

}
