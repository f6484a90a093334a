package dev.backoff.kit;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.testng.AbstractTestNGSpringContextTests;
import org.testng.annotations.Test;

import dev.backoff.annotation.Backoff;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;

/** Virtual time, faults and records without JUnit and without Boot's test starter. */
@ContextConfiguration(classes = TestNgTests.Application.class)
public class TestNgTests extends AbstractTestNGSpringContextTests {

	@Autowired
	private Letters letters;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@Test
	public void waitsInVirtualTime() {
		this.faults.of("letters").fails(2);
		assertThat(this.letters.send()).isEqualTo("sent");
		assertThat(this.calls.of("letters")).attempts(3).waited("30m", "1h").succeeded();
	}

	@Test
	public void beginsAnew() {
		this.letters.send();
		assertThat(this.calls.of("letters")).succeededOnFirstAttempt();
		this.faults.of("letters").fails();
	}

	@Configuration
	@EnableAutoConfiguration
	@Import(Letters.class)
	static class Application {

	}

	static class Letters {

		@Backoff(value = "letters", base = "1h", cap = "1d")
		String send() {
			return "sent";
		}

	}

}
