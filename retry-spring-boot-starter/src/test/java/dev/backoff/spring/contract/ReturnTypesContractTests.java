package dev.backoff.spring.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.CallSetup;
import dev.backoff.fixture.ContractDriver;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.ResultContract;

/** The contract of the drivers, held by each return type but those of Kotlin. */
@SuppressWarnings("FutureReturnValueIgnored") // what a bean returns is waited for
												// elsewhere
public class ReturnTypesContractTests {

	/** Return the setup of each case, which a subclass can change. */
	protected CallSetup prepared(CallSetup setup) {
		return setup;
	}

	@Nested
	public class ABlockingMethod extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, ABlockingMethod.OrderService.class, (given) -> given);
		}

		static class OrderService extends JudgedOrders<@Nullable Object> {

			@Override
			@Nullable Object make(Callable<@Nullable Object> work) throws Exception {
				return work.call();
			}

		}

	}

	@Nested
	public class AMethodOfACompletableFuture extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, AMethodOfACompletableFuture.OrderService.class, (given) -> given);
		}

		static class OrderService extends JudgedOrders<CompletableFuture<@Nullable Object>> {

			@Override
			CompletableFuture<@Nullable Object> make(Callable<@Nullable Object> work) {
				return completed(work);
			}

		}

	}

	@Nested
	public class AMethodOfAMono extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, AMethodOfAMono.OrderService.class, Mono::toFuture);
		}

		static class OrderService extends JudgedOrders<Mono<Object>> {

			@Override
			Mono<Object> make(Callable<@Nullable Object> work) {
				return Mono.fromCallable(work);
			}

		}

	}

	@Nested
	class AMethodOfAFlux extends DriverContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return driver(setup, AMethodOfAFlux.OrderService.class, ReturnTypesContractTests::first);
		}

		static class OrderService extends Orders<Flux<Object>> {

			@Override
			Flux<Object> make(Callable<@Nullable Object> work) {
				return Mono.fromCallable(work).flux();
			}

		}

	}

	private <R extends @Nullable Object> ContractDriver judged(CallSetup setup, Class<? extends JudgedOrders<R>> type,
			Function<R, @Nullable Object> given) {
		return open(setup, type, given, (orders, kind, work) -> switch (kind) {
			case UNLESS_DONE -> orders.placeUnlessDone(work);
			case UNTIL_DONE -> orders.placeUntilDone(work);
			case PLAIN -> orders.place(work);
			case RECOVERED -> orders.placeRecovered(work);
		});
	}

	private <R extends @Nullable Object> ContractDriver driver(CallSetup setup, Class<? extends Orders<R>> type,
			Function<R, @Nullable Object> given) {
		return open(setup, type, given, (orders, kind, work) -> switch (kind) {
			case PLAIN -> orders.place(work);
			case RECOVERED -> orders.placeRecovered(work);
			default -> throw new IllegalArgumentException(kind + " judges one result");
		});
	}

	private <R extends @Nullable Object, B extends Orders<R>> ContractDriver open(CallSetup setup, Class<B> type,
			Function<R, @Nullable Object> given, Call<R, B> call) {
		return new SpringDriver<>(prepared(setup), type,
				(orders, kind, work) -> given.apply(call.call(orders, kind, work)));
	}

	private static CompletableFuture<@Nullable Object> completed(Callable<@Nullable Object> work) {
		try {
			return CompletableFuture.completedFuture(work.call());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/* Not next(), which would cancel. */
	private static CompletableFuture<Object> first(Flux<Object> elements) {
		return elements.collectList().flatMap((list) -> Mono.justOrEmpty(list.stream().findFirst())).toFuture();
	}

	/** Call one of a bean's methods. */
	@FunctionalInterface
	private interface Call<R extends @Nullable Object, B> {

		R call(B orders, SpringDriver.Kind kind, Work work) throws Throwable;

	}

	/** Methods that return what a subclass makes of the work. */
	abstract static class Orders<R extends @Nullable Object> {

		@Backoff("orders")
		public R place(Work work) throws Exception {
			return make(work::attempt);
		}

		@Backoff(value = "orders", recover = "park")
		public R placeRecovered(Work work) throws Exception {
			return make(work::attempt);
		}

		R park(Work work, RetriesStoppedException report) throws Exception {
			return make(() -> work.recover(report));
		}

		abstract R make(Callable<@Nullable Object> work) throws Exception;

	}

	/** Methods whose results are judged, too. */
	abstract static class JudgedOrders<R extends @Nullable Object> extends Orders<R> {

		@Backoff(value = "orders", retryWhen = "#result != 'done'")
		public R placeUnlessDone(Work work) throws Exception {
			return make(work::attempt);
		}

		@Backoff(value = "orders", until = "#result == 'done'")
		public R placeUntilDone(Work work) throws Exception {
			return make(work::attempt);
		}

	}

}
