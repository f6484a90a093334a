package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class BackoffBreakersHealthIndicatorTests {

	private final VirtualTime time = new VirtualTime();

	private final CircuitBreaker gateway = breaker("gateway");

	private final CircuitBreaker stock = breaker("stock");

	private final CircuitBreakers breakers = CircuitBreakers.of(List.of(this.gateway, this.stock));

	private CircuitBreaker breaker(String name) {
		return CircuitBreaker.builder(name)
			.settings(BreakerSettings.builder().minimumCalls(4).slowCall(Duration.ofSeconds(1)).build())
			.time(this.time)
			.build();
	}

	private void end(boolean failed) {
		Permit permit = this.gateway.tryAcquire(this.time.nanoTime());
		if (failed) {
			permit.failed(1, this.time.nanoTime(), null);
		}
		else {
			permit.succeeded(1, this.time.nanoTime());
		}
	}

	private Health informative() {
		return new BackoffBreakersHealthIndicator(this.breakers, false).health();
	}

	private Status deciding() {
		return new BackoffBreakersHealthIndicator(this.breakers, true).health().getStatus();
	}

	@Test
	void showsStatesAndRates() {
		end(false);
		end(true);
		end(true);
		end(true);
		assertThat(informative().getStatus()).isEqualTo(Status.UP);
		assertThat(informative().getDetails()).containsExactly(
				entry("gateway", Map.of("state", "open", "failureRate", 0.75, "slowCallRate", 0.0)),
				entry("stock", Map.of("state", "closed")));
	}

	@Test
	void staysUpWhateverTheirStatesUnlessAskedOtherwise() {
		for (Runnable move : List.<Runnable>of(this.gateway::open, this.gateway::forceOpen, this.gateway::disable)) {
			move.run();
			assertThat(informative().getStatus()).isEqualTo(Status.UP);
		}
	}

	@Test
	void ofABreakerWithKeys_isDownIfMoreThanHalfOfThemAreOpen() {
		this.gateway.ofKey("one").open();
		this.gateway.ofKey("two");
		assertThat(deciding()).isEqualTo(Status.UP);
		assertThat(informative().getDetails()).containsEntry("gateway",
				Map.of("state", "closed", "keys", 2, "openKeys", 1L));
		this.gateway.ofKey("two").open();
		assertThat(deciding()).isEqualTo(Status.DOWN);
	}

	@Test
	void isDownIfAskedToDecideAndOneIsOpen() {
		assertThat(deciding()).isEqualTo(Status.UP);
		this.stock.open();
		assertThat(deciding()).isEqualTo(Status.DOWN);
		this.gateway.forceOpen();
		assertThat(deciding()).isEqualTo(Status.DOWN);
	}

	@Test
	void isOutOfServiceIfAskedToDecideAndOneIsForcedOpen() {
		this.stock.forceOpen();
		assertThat(deciding()).isEqualTo(Status.OUT_OF_SERVICE);
	}

	@Test
	void isHalfOpenAndUpOnceAProbeIsDue() {
		this.gateway.openFor(Duration.ofSeconds(1));
		this.time.advance(Duration.ofMillis(999));
		assertThat(deciding()).isEqualTo(Status.DOWN);
		assertThat(informative().getDetails()).containsEntry("gateway", Map.of("state", "open"));
		this.time.advance(Duration.ofMillis(1));
		assertThat(deciding()).isEqualTo(Status.UP);
		assertThat(informative().getDetails()).containsEntry("gateway", Map.of("state", "half_open"));
	}

	@Test
	void isDownWhileAnotherOneIsOpenThoughAProbeIsDue() {
		this.gateway.openFor(Duration.ofSeconds(1));
		this.stock.openFor(Duration.ofSeconds(2));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(deciding()).isEqualTo(Status.DOWN);
	}

	@Test
	void isUpIfAskedToDecideAndOneIsHalfOpen() {
		this.gateway.openFor(Duration.ofSeconds(1));
		this.time.advance(Duration.ofSeconds(1));
		this.gateway.tryAcquire(this.time.nanoTime());
		assertThat(this.gateway.state()).isEqualTo(BreakerState.HALF_OPEN);
		assertThat(deciding()).isEqualTo(Status.UP);
	}

	@Test
	void hasNothingToShowWithoutBreakers() {
		Health health = new BackoffBreakersHealthIndicator(CircuitBreakers.of(List.of()), true).health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).isEmpty();
	}

}
