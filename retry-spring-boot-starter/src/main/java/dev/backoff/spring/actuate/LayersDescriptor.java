package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.spring.layers.RetryLayer;
import dev.backoff.spring.layers.RetryLayers;

/** Other retries in the application, and the methods that meet them. */
record LayersDescriptor(List<RetryLayer> layers, Map<String, MeetingDescriptor> methods,
		List<String> unretried) implements OperationResponseBody {

	static LayersDescriptor of(RetryLayers.Report report) {
		Map<String, MeetingDescriptor> methods = new TreeMap<>();
		report.methods()
			.forEach((name, met) -> methods.put(name, new MeetingDescriptor(met.attempts(),
					met.meets().stream().map(RetryLayer::name).distinct().toList(), met.atMost())));
		return new LayersDescriptor(report.layers(), methods, report.unretried());
	}

	record MeetingDescriptor(@Nullable Integer attempts, List<String> meets, @Nullable Long atMost) {
	}

}
