package dev.backoff.durable;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Reads the log, so that it runs beside no class that does the same. */
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class ForgedRowTests extends ShopFixture {

	@Test
	void aRowWrittenByOthersForgesNoLineOfTheLog(CapturedOutput output) {
		StoredCall old = new CallJson(JsonMapper.shared()).deserialize(StoredCall.class,
				"{\"id\":\"i1\",\"key\":\"o1\\nERROR\"}".getBytes(StandardCharsets.UTF_8));
		assertThat(old.label()).isEqualTo("i1 (key o1?ERROR)");
		store("o1", "o2");
		run((shop) -> {
			shop.execute("update backoff_calls set task_instance = ?, task_data = ? where task_instance = 'o1'", 1,
					"o1\nERROR", "no json".getBytes(StandardCharsets.UTF_8));
			shop.failures("mails", "o1\nERROR");
			shop.execute("update backoff_calls set task_name = ? where task_instance = 'o2'", 1, "o2\nERROR");
		}, NO_WORK);
		run((shop) -> assertThat(output).contains("row o1?ERROR: it is no call", "policy o2?ERROR of 1")
			.doesNotContain("\nERROR"));
	}

}
