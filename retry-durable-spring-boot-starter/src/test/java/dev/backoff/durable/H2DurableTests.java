package dev.backoff.durable;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.io.TempDir;

class H2DurableTests extends DurableContract {

	@TempDir
	Path directory;

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop") + ";WRITE_DELAY=0");
	}

}
