package dev.backoff.kit

import java.time.Duration

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Import

import dev.backoff.Attempt
import dev.backoff.annotation.Backoff
import dev.backoff.test.BackoffCalls
import dev.backoff.test.BackoffFaults
import dev.backoff.test.VirtualTime

/** A function that suspends or gives a flow is called in `runTest`. */
@SpringBootTest
@Import(SuspendFunctionTests.Callbacks::class, SuspendFunctionTests.Around::class)
class SuspendFunctionTests {

	@Test
	fun sendsAtTheThirdAttempt(@Autowired callbacks: Callbacks, @Autowired calls: BackoffCalls,
			@Autowired faults: BackoffFaults, @Autowired time: VirtualTime) = runTest {
		faults.of("kotlin-callback").fails(1).losesTheAnswer(1)
		assertThat(callbacks.send(Payment("t-1"))).isEqualTo("noticed")
		assertThat(calls.of("kotlin-callback")).attempts(3).waited("500ms", "1s").succeeded().sameKeyAtEachAttempt()
		assertThat(time.elapsed()).isEqualTo(Duration.ofMillis(1500))
	}

	@Test
	fun collectsWhatTheThirdAttemptEmits(@Autowired callbacks: Callbacks, @Autowired calls: BackoffCalls,
			@Autowired faults: BackoffFaults, @Autowired time: VirtualTime) = runTest {
		faults.of("kotlin-flow").fails(1).losesTheAnswer(1)
		assertThat(callbacks.parts(Payment("t-1")).toList()).containsExactly("first noticed", "second noticed")
		assertThat(calls.of("kotlin-flow")).attempts(3).waited("500ms", "1s").succeeded().sameKeyAtEachAttempt()
		assertThat(time.elapsed()).isEqualTo(Duration.ofMillis(1500))
	}

	@Test
	fun aFunctionInsideAnotherCostsNoPatience(@Autowired around: Around, @Autowired calls: BackoffCalls,
			@Autowired faults: BackoffFaults, @Autowired time: VirtualTime) = runTest {
		time.patience(Duration.ofDays(1))
		faults.of("kotlin-callback").fails(2)
		assertThat(around.send(Payment("t-1"))).isEqualTo("noticed")
		time.patience(Duration.ofSeconds(10))
		assertThat(calls.of("kotlin-callback")).attempts(3).waited("500ms", "1s").succeeded()
		assertThat(calls.of("kotlin-around")).succeededOnFirstAttempt().took(Duration.ofMinutes(1).plusMillis(1500))
	}

	open class Around(private val callbacks: Callbacks, private val time: VirtualTime) {

		@Backoff(value = "kotlin-around", base = "1s")
		open suspend fun send(payment: Payment): String = withContext(Dispatchers.Default) {
			time.sleep(Duration.ofMinutes(1))
			callbacks.send(payment)
		}

	}

	open class Callbacks(private val merchant: Merchant) {

		@Backoff(value = "kotlin-callback", base = "1s")
		open suspend fun send(payment: Payment): String =
			merchant.notify(payment, Attempt.current().idempotencyKey())

		@Backoff(value = "kotlin-flow", base = "1s")
		open fun parts(payment: Payment): Flow<String> {
			val key = Attempt.current().idempotencyKey()
			return flowOf("first", "second").map { part -> "$part " + merchant.notify(payment, key) }
		}

	}

}
