package dev.backoff.kit;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Component;

/** A merchant who applies a notice once for each key. */
@Component
public class Merchant {

	private final Map<String, Payment> applied = new ConcurrentHashMap<>();

	String notify(Payment payment, String key) {
		this.applied.put(key, payment);
		return "noticed";
	}

	Collection<Payment> applied() {
		return this.applied.values();
	}

}
