package dev.backoff.spring.configuration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NameTests {

	@ParameterizedTest
	@CsvSource({ "[Order-Service.place_2], orderserviceplace2", "Zahlung-Ü, zahlungü", "--, ''", "none, NONE" })
	void isEqualByLettersAndDigitsAndKeepsWhatWasWritten(String written, String other) {
		assertThat(Name.of(written)).isEqualTo(Name.of(other))
			.hasSameHashCodeAs(Name.of(other))
			.isNotEqualTo(Name.of(other + "s"))
			.hasToString(written);
		assertThat(Name.of(written).is(other)).isTrue();
	}

}
