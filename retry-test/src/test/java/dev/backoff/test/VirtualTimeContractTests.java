package dev.backoff.test;

import java.time.Duration;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.backoff.fixture.CallSetup;
import dev.backoff.spring.contract.KotlinContractTests;
import dev.backoff.spring.contract.ReturnTypesContractTests;

/** The contract of the drivers, held by each return type in virtual time. */
@Tag("long")
class VirtualTimeContractTests {

	private static CallSetup inVirtualTime(CallSetup setup) {
		VirtualTime time = new VirtualTime().patience(Duration.ofMillis(500));
		setup.time().goWith(time);
		return setup.observer(new BackoffCalls(time));
	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class ReturnTypes extends ReturnTypesContractTests {

		@Override
		protected CallSetup prepared(CallSetup setup) {
			return inVirtualTime(setup);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Kotlin extends KotlinContractTests {

		@Override
		protected CallSetup prepared(CallSetup setup) {
			return inVirtualTime(setup);
		}

	}

}
