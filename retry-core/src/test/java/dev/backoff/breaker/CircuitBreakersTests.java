package dev.backoff.breaker;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CircuitBreakersTests {

	private final CircuitBreaker payments = CircuitBreaker.builder("card-payments").build();

	private final CircuitBreaker stock = CircuitBreaker.builder("stock2").build();

	private final CircuitBreakers breakers = CircuitBreakers.of(List.of(this.payments, this.stock));

	@ParameterizedTest
	@ValueSource(strings = { "card-payments", "cardPayments", "CARD_PAYMENTS", "card.payments" })
	void comparesNamesByLettersAndDigits(String name) {
		assertThat(this.breakers.get(name)).isSameAs(this.payments);
		assertThat(this.breakers.find(name)).containsSame(this.payments);
	}

	@Test
	void listsThemInOrder() {
		assertThat(this.breakers.all()).containsExactly(this.payments, this.stock);
		assertThat(this.breakers).hasToString("CircuitBreakers [card-payments, stock2]");
	}

	@Test
	void namesThoseThereAreForAnUnknownName() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.breakers.get("stock"))
			.withMessage("Invalid name (stock): must be one of card-payments, stock2.");
		assertThat(this.breakers.find("stock")).isEmpty();
		assertThat(this.breakers.all()).hasSize(2);
	}

	@Test
	void saysThatThereIsNone() {
		CircuitBreakers none = CircuitBreakers.of(List.of());
		assertThat(none.all()).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> none.get("stock"))
			.withMessage("Invalid name (stock): must be that of a breaker, and there is none.");
	}

	@Test
	void rejectsTwoOfTheSameName() {
		CircuitBreaker same = CircuitBreaker.builder("cardPayments").build();
		assertThatIllegalArgumentException().isThrownBy(() -> CircuitBreakers.of(List.of(this.payments, same)))
			.withMessage("Invalid names (card-payments, cardPayments): must differ in a letter or a digit.");
	}

}
