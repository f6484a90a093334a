package dev.backoff.spring.contract

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.future
import org.junit.jupiter.api.Nested

import dev.backoff.annotation.Backoff
import dev.backoff.event.RetriesStoppedException
import dev.backoff.fixture.CallSetup
import dev.backoff.fixture.ContractDriver
import dev.backoff.fixture.DriverContract
import dev.backoff.fixture.ResultContract
import dev.backoff.spring.contract.SpringDriver.Kind

/** The contract of the drivers, held by what Kotlin has for asynchronous work. */
class KotlinContractTests {

	@Nested
	inner class ASuspendFunction : ResultContract() {

		override fun open(setup: CallSetup): ContractDriver =
			SpringDriver(setup, Suspending.OrderService::class.java) { orders, kind, work ->
				later {
					when (kind) {
						Kind.UNLESS_DONE -> orders.placeUnlessDone(work)
						Kind.UNTIL_DONE -> orders.placeUntilDone(work)
						Kind.RECOVERED -> orders.placeRecovered(work)
						else -> orders.place(work)
					}
				}
			}

	}

	@Nested
	inner class AFunctionOfAFlow : DriverContract() {

		override fun open(setup: CallSetup): ContractDriver =
			SpringDriver(setup, Flows.OrderService::class.java) { orders, kind, work ->
				later {
					val elements = if (kind == Kind.RECOVERED) orders.placeRecovered(work) else orders.place(work)
					elements.toList().firstOrNull()
				}
			}

	}

	@Nested
	inner class ASuspendFunctionOfAFlow : DriverContract() {

		override fun open(setup: CallSetup): ContractDriver =
			SpringDriver(setup, SuspendingFlows.OrderService::class.java) { orders, kind, work ->
				later {
					val elements = if (kind == Kind.RECOVERED) orders.placeRecovered(work) else orders.place(work)
					elements.toList().firstOrNull()
				}
			}

	}

	private fun later(call: suspend () -> Any?) = CoroutineScope(Dispatchers.Unconfined).future { call() }

	class Suspending {

		open class OrderService {

			@Backoff("orders")
			open suspend fun place(work: Work): Any? = work.attempt()

			@Backoff("orders", retryWhen = "#result != 'done'")
			open suspend fun placeUnlessDone(work: Work): Any? = work.attempt()

			@Backoff("orders", until = "#result == 'done'")
			open suspend fun placeUntilDone(work: Work): Any? = work.attempt()

			@Backoff("orders", recover = "park")
			open suspend fun placeRecovered(work: Work): Any? = work.attempt()

			open suspend fun park(work: Work, report: RetriesStoppedException): Any? = work.recover(report)

		}

	}

	class Flows {

		open class OrderService {

			@Backoff("orders")
			open fun place(work: Work): Flow<Any> = flow { work.attempt()?.let { emit(it) } }

			@Backoff("orders", recover = "park")
			open fun placeRecovered(work: Work): Flow<Any> = flow { work.attempt()?.let { emit(it) } }

			open fun park(work: Work, report: RetriesStoppedException): Flow<Any> =
				flow { work.recover(report)?.let { emit(it) } }

		}

	}

	class SuspendingFlows {

		open class OrderService {

			@Backoff("orders")
			open suspend fun place(work: Work): Flow<Any> = listOfNotNull(work.attempt()).asFlow()

			@Backoff("orders", recover = "park")
			open suspend fun placeRecovered(work: Work): Flow<Any> = listOfNotNull(work.attempt()).asFlow()

			open suspend fun park(work: Work, report: RetriesStoppedException): Flow<Any> =
				listOfNotNull(work.recover(report)).asFlow()

		}

	}

}
