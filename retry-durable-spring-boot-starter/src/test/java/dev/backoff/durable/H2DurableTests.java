package dev.backoff.durable;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

class H2DurableTests extends DurableContract {

	@Nested
	@Execution(ExecutionMode.SAME_THREAD)
	class Transactions extends TransactionContract {

	}

}
