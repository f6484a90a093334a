package dev.backoff.sample.traffic;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import dev.backoff.sample.gateway.PartnerAddress;

/**
 * Request shipping quotes a few times a second, and let the gateway fail some of them.
 * Only this traffic uses quotes, so the other routes and their meters show only your own
 * calls. {@code shop.traffic.enabled=false} switches it off.
 */
@Component
@ConditionalOnBooleanProperty(name = "shop.traffic.enabled", matchIfMissing = true)
class TrafficGenerator {

	private static final Log logger = LogFactory.getLog(TrafficGenerator.class);

	private final RestClient http;

	private final PartnerAddress partners;

	private final Environment environment;

	private volatile @Nullable String shop;

	TrafficGenerator(RestClient.Builder builder, PartnerAddress partners, Environment environment) {
		this.http = builder.build();
		this.partners = partners;
		this.environment = environment;
	}

	@EventListener(ApplicationReadyEvent.class)
	void open() {
		this.http.post()
			.uri(this.partners.url() + "/faults/quotes?answer=503&seed=1&percent={percent}",
					this.environment.getRequiredProperty("shop.traffic.fault-percent"))
			.retrieve()
			.toBodilessEntity();
		this.shop = "http://localhost:" + this.environment.getRequiredProperty("local.server.port");
	}

	@Scheduled(fixedRateString = "${shop.traffic.every}")
	void ask() {
		String url = this.shop;
		if (url == null) {
			return;
		}
		try {
			this.http.get().uri(url + "/quotes/tea").retrieve().toBodilessEntity();
		}
		catch (RestClientException ex) {
			logger.debug("No quote", ex);
		}
	}

}
