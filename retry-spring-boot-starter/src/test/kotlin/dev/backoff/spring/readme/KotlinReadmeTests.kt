package dev.backoff.spring.readme

import java.io.IOException
import java.util.concurrent.Executor

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner

import dev.backoff.annotation.Backoff
import dev.backoff.event.RetriesStoppedException
import dev.backoff.fixture.VirtualTime
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration

/** What the pages show in Kotlin compiles, runs and is true. */
class KotlinReadmeTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration::class.java, BackoffAutoConfiguration::class.java))
		.withBean(VirtualTime::class.java)

	@Test
	fun theFunctionIsRetriedAndRecovered() {
		this.runner.withPropertyValues("backoff.policies.payment-callback.max-attempts=3")
			.withBean("applicationTaskExecutor", Executor::class.java, { Executor { it.run() } })
			.withBean(Callbacks::class.java)
			.run { context ->
				val sent = CoroutineScope(Dispatchers.Unconfined).future {
					context.getBean(Callbacks::class.java).send(Payment("t-1"))
				}
				context.getBean(VirtualTime::class.java).runAll()
				assertThat(sent).isCompletedWithValue(Receipt("parked: ATTEMPTS_EXHAUSTED"))
			}
	}

	@Test
	fun anEmptyAnswerIsRetriedWhereItsFailureIsNamed() {
		this.runner.withBean(Stock::class.java).run { context ->
			assertThat(context.getBean(Stock::class.java).count("tea")).isEqualTo(3)
		}
	}

	data class Payment(val trade: String)

	data class Receipt(val text: String)

	/** What is called. */
	fun interface Client {

		suspend fun send(payment: Payment): Receipt

	}

	open class Stock {

		private var asked = 0

		private fun answer(sku: String): Int? = if (++this.asked < 3) null else sku.length

		@Backoff("stock", retryOn = [NullPointerException::class, IOException::class])
		open fun count(sku: String): Int = answer(sku)!!

	}

	open class Callbacks {

		private val client = Client { payment -> throw IOException("down: ${payment.trade}") }

		@Backoff("payment-callback", recover = "park")
		open suspend fun send(payment: Payment): Receipt = client.send(payment)

		open suspend fun park(payment: Payment, report: RetriesStoppedException): Receipt = Receipt("parked: ${report.reason()}")

	}

}
