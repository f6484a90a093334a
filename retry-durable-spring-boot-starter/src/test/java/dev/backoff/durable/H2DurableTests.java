package dev.backoff.durable;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

class H2DurableTests extends DurableContract {

	@TempDir
	Path directory;

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop")
				+ ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE");
	}

	@Nested
	@Execution(ExecutionMode.SAME_THREAD)
	class Transactions extends TransactionContract {

		@Override
		List<String> database() {
			return H2DurableTests.this.database();
		}

	}

}
