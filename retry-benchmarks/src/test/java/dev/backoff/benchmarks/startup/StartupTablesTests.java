package dev.backoff.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** That the applications start as they should; what they cost is for a quiet machine. */
@Timeout(120)
class StartupTablesTests {

	@TempDir
	private Path directory;

	@Test
	void showWhatAnAnnotatedMethodCosts() throws IOException, InterruptedException {
		StartupTables tables = new StartupTables(1, this.directory);
		tables.addBeans(3);
		assertThat(tables.page()).containsPattern("\\| Framework `@Retryable` \\| [\\d,]+ \\| [\\d,]+ \\|")
			.containsPattern("\\| \\*\\*Backoff\\*\\*, a policy for each method \\| [\\d,]+ \\| [\\d,]+ \\|")
			.contains("Against Framework, for each annotated method");
	}

	@Test
	void showWhatTheStarterCosts() throws IOException, InterruptedException {
		StartupTables tables = new StartupTables(1, this.directory);
		tables.addEmptyApplication(false);
		assertThat(tables.page()).containsPattern("\\| without the starter \\| [\\d,]+ \\| [\\d,]+ \\|")
			.containsPattern("\\| with it \\| [\\d,]+ \\| [\\d,]+ \\| [\\d,]+ \\| [\\d,]+ \\|");
	}

}
