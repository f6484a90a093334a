package dev.backoff.sample.ops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Prometheus and Grafana beside the sample, in {@code compose.yaml}. */
class ComposeFileTests {

	@Test
	void publishesPortsOnThisMachineOnly() throws IOException {
		Map<String, Map<String, Map<String, List<String>>>> file = new Yaml()
			.load(Files.readString(Path.of("..", "compose.yaml")));
		assertThat(file.get("services")).containsOnlyKeys("prometheus", "grafana")
			.allSatisfy((service, settings) -> assertThat(settings.get("ports")).isNotEmpty()
				.allMatch((port) -> port.startsWith("127.0.0.1:")));
	}

}
