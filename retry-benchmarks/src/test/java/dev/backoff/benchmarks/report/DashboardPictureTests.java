package dev.backoff.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DashboardPictureTests {

	@Test
	void drawsAPanelForEachTitleWithoutSeriesThatNeverChange(@TempDir Path folder) throws IOException {
		Path figures = folder.resolve("dashboard.csv");
		Csv.write(figures, "panel,unit,series,seconds,value",
				List.of("Retries per call,percentunit,orders,0,0", "Retries per call,percentunit,orders,60,0.25",
						"Tokens of budgets,short,orders,0,50", "Tokens of budgets,short,orders,60,10",
						"Tokens of budgets,short,mail,0,50", "Tokens of budgets,short,mail,60,50"));
		Path picture = folder.resolve("pictures/dashboard.svg");
		DashboardPicture.main(new String[] { figures.toString(), picture.toString(), "10", "20" });
		assertThat(Files.readString(picture)).contains(">Retries per call<", ">%<", ">25<", ">Tokens of budgets<")
			.contains(">orders<")
			.doesNotContain(">mail<")
			.containsOnlyOnce("prefers-color-scheme:dark");
	}

}
