package dev.backoff.test;

import java.time.Duration;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.backoff.fixture.CallSetup;
import dev.backoff.spring.contract.ReturnTypesContractTests;

/** The drivers' contract in virtual time: by a thread, a stage and a subscription. */
@Tag("long")
class VirtualTimeContractTests {

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class AThread extends ReturnTypesContractTests.ABlockingMethod {

		AThread() {
			new InVirtualTime().super();
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class AStage extends ReturnTypesContractTests.AMethodOfACompletableFuture {

		AStage() {
			new InVirtualTime().super();
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class ASubscription extends ReturnTypesContractTests.AMethodOfAMono {

		ASubscription() {
			new InVirtualTime().super();
		}

	}

	private static final class InVirtualTime extends ReturnTypesContractTests {

		@Override
		protected CallSetup prepared(CallSetup setup) {
			VirtualTime time = new VirtualTime().patience(Duration.ofMillis(500));
			setup.time().goWith(time);
			return setup.observer(new BackoffCalls(time));
		}

	}

}
