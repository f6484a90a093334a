package dev.backoff.spring.advice

import java.io.IOException
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executor

import io.micrometer.observation.Observation
import io.micrometer.observation.tck.TestObservationRegistry
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.FilteredClassLoader
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.cache.CacheManager
import org.springframework.cache.annotation.Cacheable
import org.springframework.cache.annotation.EnableCaching
import org.springframework.cache.concurrent.ConcurrentMapCacheManager
import org.springframework.context.ApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

import dev.backoff.Attempt
import dev.backoff.annotation.Backoff
import dev.backoff.event.CallObserver
import dev.backoff.event.RetriesStoppedException
import dev.backoff.event.StopReason
import dev.backoff.failure.RetryCause
import dev.backoff.fixture.RecordingListener
import dev.backoff.fixture.RecordingObserver
import dev.backoff.fixture.VirtualTime
import dev.backoff.spring.observation.MicrometerObserver

/** Functions that suspend and functions of a Flow, through their proxies. */
class SuspendFunctionsTests {

	private val failure = IOException("down")

	private val runner: ApplicationContextRunner = AdviceContexts.runner()
		.withBean("applicationTaskExecutor", Executor::class.java, { Executor { it.run() } })
		.withPropertyValues("backoff.policies.replayed.replay=true")
		.withBean(Orders::class.java)

	private fun run(vararg configurations: Class<*>, test: (ApplicationContext) -> Unit) {
		runner.withUserConfiguration(*configurations).run { context -> test(context) }
	}

	private val ApplicationContext.orders get() = getBean(Orders::class.java)

	private val ApplicationContext.time get() = getBean(VirtualTime::class.java)

	private val ApplicationContext.listener get() = getBean(RecordingListener::class.java)

	private fun observed(test: (Orders, (String) -> List<String>) -> Unit) = run(RecordingObserver::class.java) { context ->
		test(context.orders) { prefix ->
			context.getBean(RecordingObserver::class.java).lines().filter { it.startsWith(prefix) }
		}
	}

	@Nested
	inner class ACall {

		@Test
		fun succeedsAfterFailuresAndHoldsNoThreadMeanwhile() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.place { if (it < 3) throw failure else "placed at attempt $it" }
			}
			assertThat(result).isNotDone()
			context.time.runAll()
			assertThat(result).isCompletedWithValue("placed at attempt 3")
			assertThat(context.time.delays()).hasSize(2)
		}

		@Test
		fun isObservedInItsReactorContext() {
			val registry = TestObservationRegistry.create()
			runner.withBean(CallObserver::class.java, { MicrometerObserver(registry) }).run { context ->
				val seen = CopyOnWriteArrayList<String?>()
				val result = CoroutineScope(Dispatchers.Unconfined).future {
					context.orders.placeBy {
						yield()
						val carried = currentCoroutineContext()[ReactorContext]?.context
						seen.add(carried?.get<Observation>("micrometer.observation")?.context?.name)
						if (seen.size < 3) throw failure else "placed"
					}
				}
				context.time.runAll()
				assertThat(result).isCompletedWithValue("placed")
				assertThat(seen).hasSize(3).containsOnly("backoff.attempt")
				assertThat(registry.currentObservationScope).isNull()
			}
		}

		@Test
		fun endsWithTheExceptionItself() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future { context.orders.place { throw failure } }
			context.time.runAll()
			assertThat(catchThrowable { result.join() }).hasCause(failure)
			assertThat(RetriesStoppedException.of(failure)).isSameAs(context.listener.report())
			assertThat(context.listener.report().attempts()).isEqualTo(4)
			assertThat(context.listener.report().method()).isEqualTo("Orders.place")
		}

		@Test
		fun ofNothingIsASuccess() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future { context.orders.touch() }
			assertThat(result).isCompleted()
			assertThat(context.listener.events()).isEmpty()
		}

		@Test
		fun endsItsWaitWhenTheCoroutineIsCancelled() = run { context ->
			val scope = CoroutineScope(Dispatchers.Unconfined)
			val result = scope.future { context.orders.place { throw failure } }
			assertThat(context.time.pending()).isEqualTo(1)
			scope.cancel()
			assertThat(context.time.pending()).isZero()
			assertThat(result).isCancelled()
			assertThat(context.listener.report().reason()).isEqualTo(StopReason.CANCELLED)
		}

		@Test
		fun endsItsAttemptWhenTheCoroutineIsCancelled() = run { context ->
			val scope = CoroutineScope(Dispatchers.Unconfined)
			var ended = 0
			val result = scope.future {
				context.orders.placeBy {
					try {
						awaitCancellation()
					} finally {
						ended++
					}
				}
			}
			assertThat(ended).isZero()
			scope.cancel()
			assertThat(ended).isEqualTo(1)
			assertThat(result).isCancelled()
			assertThat(context.listener.report().reason()).isEqualTo(StopReason.CANCELLED)
		}

		@Test
		fun seesTheContextOfItsCallerAtEachAttempt() = run { context ->
			val seen = mutableListOf<String?>()
			val result = CoroutineScope(Dispatchers.Unconfined + User("alice")).future {
				context.orders.placeBy {
					seen += coroutineContext[User]?.name
					throw failure
				}
			}
			context.time.runAll()
			assertThat(result).isCompletedExceptionally()
			assertThat(seen).containsExactly("alice", "alice", "alice", "alice")
		}

		@Test
		fun insideAnotherIsNotRetriedAgain() = run { context ->
			var attempts = 0
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.placeBy {
					context.orders.place {
						attempts++
						throw failure
					}
				}
			}
			context.time.runAll()
			assertThat(result).isCompletedExceptionally()
			assertThat(attempts).isEqualTo(4)
			assertThat(context.listener.stopped().map { it.report().reason() })
				.containsExactly(StopReason.ATTEMPTS_EXHAUSTED, StopReason.NESTED)
		}

		@Test
		fun isRetriedAfterATimeLimitInsideAndAfterTheCancellationOfAPart() = run { context ->
			var attempts = 0
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.placeBy {
					when (++attempts) {
						1 -> withTimeout(0) { "too late" }
						2 -> coroutineScope { async { "cancelled" }.also { it.cancel() }.await() }
						else -> "placed"
					}
				}
			}
			context.time.runAll()
			assertThat(result).isCompletedWithValue("placed")
			assertThat(context.listener.scheduled().map { it.cause() })
				.containsExactly(RetryCause.TIMEOUT, RetryCause.OTHER)
		}

		@Test
		fun isOverForWhatItsCallerDoesNext() = run { context ->
			val seen = mutableListOf<Boolean>()
			val gate = CompletableDeferred<String>()
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				val placed = context.orders.placeBy { gate.await().also { seen += Attempt.isRunning() } }
				seen += Attempt.isRunning()
				placed
			}
			gate.complete("placed")
			assertThat(result).isCompletedWithValue("placed")
			assertThat(seen).containsExactly(true, false)
		}

		@Test
		fun isOverForWhatItsCallerDoesOnAnotherThread() = run { context ->
			val seen = CopyOnWriteArrayList<Boolean>()
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				val placed = context.orders.placeBy {
					withContext(Dispatchers.Default) { yield() }
					seen += Attempt.isRunning()
					"placed"
				}
				seen += Attempt.isRunning()
				placed
			}
			assertThat(result.join()).isEqualTo("placed")
			assertThat(seen).containsExactly(true, false)
		}

		@Test
		fun hasSucceededBeforeTheCoroutineIsCancelled() = observed { orders, lines ->
			val scope = CoroutineScope(Dispatchers.Unconfined)
			val result = scope.future {
				orders.place { "placed" }
				scope.cancel()
			}
			assertThat(result).isCompletedExceptionally()
			assertThat(lines("call ends")).containsExactly("call ends succeeded after 1 none")
		}

		@Test
		fun givesWhatAdviceInsideGivesForIt() = run(Caching::class.java) { context ->
			val cached = context.getBean(Cached::class.java)
			val cache = context.getBean(CacheManager::class.java).getCache("orders")!!
			for (value in listOf("known", null, Unit)) {
				cache.put("o-1", value)
				val result = CoroutineScope(Dispatchers.Unconfined).future { cached.place("o-1") }
				assertThat(result).isCompletedWithValue(value)
			}
			val made = CoroutineScope(Dispatchers.Unconfined).future { cached.place("o-2") }
			assertThat(made).isCompletedWithValue("placed o-2")
			assertThat(cache.get("o-2")!!.get()).isEqualTo("placed o-2")
			assertThat(context.listener.events()).isEmpty()
		}

		@Test
		fun passesItsChildrensFailureOnOnce() = run { context ->
			var attempts = 0
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.placeBy {
					coroutineScope {
						attempts++
						launch { throw failure }
						awaitCancellation()
					}
				}
			}
			context.time.runAll()
			assertThat(catchThrowable { result.join() }).hasRootCause(failure)
			assertThat(attempts).isEqualTo(4)
		}

	}

	@Nested
	inner class AFlow {

		@Test
		fun isNotRetriedForItsCollector() = run { context ->
			var attempts = 0
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.read {
					attempts++
					flow {
						emit(1)
						emit(2)
					}
				}.collect { throw failure }
			}
			context.time.runAll()
			assertThat(catchThrowable { result.join() }).hasRootCause(failure)
			assertThat(attempts).isEqualTo(1)
			assertThat(context.listener.events()).isEmpty()
		}

		@Test
		fun isNoAttemptForItsCollectorNorAfterIt() = run { context ->
			val seen = mutableListOf<Boolean>()
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.read {
					flow {
						seen += Attempt.isRunning()
						emit(1)
						seen += Attempt.isRunning()
					}
				}.collect { seen += Attempt.isRunning() }
				seen += Attempt.isRunning()
			}
			assertThat(result).isCompleted()
			assertThat(seen).containsExactly(true, true, false, false)
		}

		@Test
		fun isASuccessOfItsAttemptIfItIsReadInPart() = observed { orders, lines ->
			val scope = CoroutineScope(Dispatchers.Unconfined)
			val source = flow {
				emit(1)
				awaitCancellation()
			}
			assertThat(scope.future { orders.read { source }.first() }).isCompletedWithValue(1)
			scope.launch { orders.read { source }.collect { scope.cancel() } }
			assertThat(lines("attempt 1 ends")).containsExactly("attempt 1 ends success", "attempt 1 ends success")
			assertThat(lines("call ends")).hasSize(2)
				.containsOnly("call ends cancelled after 1 none CancellationException")
		}

		@Test
		fun isRetriedBeforeItsFirstElement() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.read { number ->
					flow {
						if (number < 3) throw failure
						emit(1)
						emit(2)
					}
				}.toList()
			}
			context.time.runAll()
			assertThat(result).isCompletedWithValue(listOf(1, 2))
		}

		@Test
		fun isNotRetriedAfterItsFirstElement() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.read {
					flow {
						emit(1)
						throw failure
					}
				}.toList()
			}
			context.time.runAll()
			assertThat(catchThrowable { result.join() }).hasCause(failure)
			assertThat(context.listener.report().attempts()).isEqualTo(1)
		}

		@Test
		fun comesAgainIfThatIsWanted() = run { context ->
			val result = CoroutineScope(Dispatchers.Unconfined).future {
				context.orders.replay { number ->
					flow {
						emit(1)
						if (number < 3) throw failure
						emit(2)
					}
				}.toList()
			}
			context.time.runAll()
			assertThat(result).isCompletedWithValue(listOf(1, 1, 1, 2))
		}

	}

	@Nested
	inner class OfAValueClass {

		@Test
		fun isRecoveredAndNamedAsItIsWritten() {
			runner.withBean(Parcels::class.java).run { context ->
				val parcels = context.getBean(Parcels::class.java)
				assertThat(parcels.place(ParcelId("p-1"))).isEqualTo("backup of p-1")
				val result = CoroutineScope(Dispatchers.Unconfined).future { parcels.send(ParcelId("p-2")) }
				context.time.runAll()
				assertThat(result).isCompletedWithValue("kept p-2 after IOException")
				assertThat(context.listener.stopped()).extracting<String> { it.method() }
					.containsExactly("Parcels.place", "Parcels.send")
				assertThat(context.listener.stopped()).extracting<String> { it.policy() }
					.containsExactly("Parcels.place", "Parcels.send")
			}
		}

		@Test
		fun isReportedWithANameThatCanBeWritten() {
			AdviceContexts.runner().withBean(Unrecovered::class.java).run { context ->
				assertThat(context.startupFailure).hasMessageContaining("Unrecovered.place(String): invalid recover " +
					"(bakup): names no method of Unrecovered. Write backup.")
			}
		}

	}

	@Nested
	inner class AtStartUp {

		@Test
		fun refusesARecoveryThatDoesNotSuspend() {
			AdviceContexts.runner().withBean(PlainRecovery::class.java).run { context ->
				assertThat(context.startupFailure)
					.hasMessageContaining(
						"invalid recover (park): does not fit PlainRecovery.place(String), " +
							"because it is String park(String)",
					)
					.hasMessageContaining("Write suspending String park(String)")
			}
		}

		@Test
		fun refusesAConditionOverNothing() {
			AdviceContexts.runner().withBean(NoResult::class.java).run { context ->
				assertThat(context.startupFailure)
					.hasMessageContaining("judges a result, and NoResult.touch() returns none")
			}
		}

		@Test
		fun namesWhatIsMissing() {
			for ((missing, artifact) in mapOf(
				"reactor.core.publisher" to "io.projectreactor:reactor-core",
				"kotlinx.coroutines.reactor" to "org.jetbrains.kotlinx:kotlinx-coroutines-reactor",
				"kotlin.reflect.full" to "org.jetbrains.kotlin:kotlin-reflect",
			)) {
				runner.withClassLoader(FilteredClassLoader(missing)).run { context ->
					assertThat(context.startupFailure).hasMessageContaining(
						"@Backoff on Orders.touch(): is on a method that suspends, and $artifact is not on the " +
							"class path. Add the dependency $artifact.",
					)
				}
			}
		}

	}

	/** Who calls. */
	class User(val name: String) : AbstractCoroutineContextElement(User) {

		companion object Key : CoroutineContext.Key<User>

	}

	open class Orders {

		@Backoff
		open suspend fun place(attempt: (Int) -> String): String = attempt(Attempt.current().number())

		@Backoff
		open suspend fun placeBy(attempt: suspend () -> String): String = attempt()

		@Backoff
		open suspend fun touch() {
			assertThat(Attempt.isRunning()).isTrue()
		}

		@Backoff
		open fun read(attempt: (Int) -> Flow<Int>): Flow<Int> = attempt(Attempt.current().number())

		@Backoff("replayed")
		open fun replay(attempt: (Int) -> Flow<Int>): Flow<Int> = attempt(Attempt.current().number())

	}

	open class Cached {

		@Cacheable("orders", key = "#a0")
		@Backoff(recover = "park")
		open suspend fun place(id: String): Any? = "placed $id"

		open suspend fun park(id: String): Any? = "parked $id"

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	open class Caching {

		@Bean
		open fun cacheManager() = ConcurrentMapCacheManager()

		@Bean
		open fun cached() = Cached()

	}

	@JvmInline
	value class ParcelId(val id: String)

	open class Parcels {

		@Backoff(recover = "backup")
		open fun place(id: ParcelId): String = throw IOException("down")

		open fun backup(id: ParcelId) = "backup of ${id.id}"

		@Backoff(recover = "keep")
		open suspend fun send(id: ParcelId): String = throw IOException("down")

		open suspend fun keep(id: ParcelId, failure: Throwable) = "kept ${id.id} after ${failure.javaClass.simpleName}"

	}

	open class Unrecovered {

		@Backoff(recover = "bakup")
		open fun place(id: ParcelId): String = id.id

		open fun backup(id: ParcelId) = id.id

	}

	open class PlainRecovery {

		@Backoff(recover = "park")
		open suspend fun place(order: String): String = order

		open fun park(order: String): String = order

	}

	open class NoResult {

		@Backoff(until = "#result == true")
		open suspend fun touch() {
			// no result
		}

	}

}
