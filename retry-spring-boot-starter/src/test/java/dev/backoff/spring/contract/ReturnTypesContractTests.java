package dev.backoff.spring.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

import io.reactivex.rxjava3.core.Maybe;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.CallSetup;
import dev.backoff.fixture.ContractDriver;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.ResultContract;

/**
 * The contract of the drivers, held by each return type; those of Kotlin are in Kotlin.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what a bean returns is waited for
												// elsewhere
public class ReturnTypesContractTests {

	/** Return the setup of each case, which a subclass can change. */
	protected CallSetup prepared(CallSetup setup) {
		return setup;
	}

	@Nested
	class ABlockingMethod extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, Blocking.OrderService.class, (given) -> given);
		}

	}

	@Nested
	class AMethodOfACompletableFuture extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, Futures.OrderService.class, (given) -> given);
		}

	}

	@Nested
	class AMethodOfACompletionStage extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, Stages.OrderService.class, CompletionStage::toCompletableFuture);
		}

	}

	@Nested
	class AMethodOfAFuture extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, PlainFutures.OrderService.class, (given) -> given);
		}

	}

	@Nested
	class AMethodOfAMono extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, Monos.OrderService.class, Mono::toFuture);
		}

	}

	@Nested
	class AMethodOfAMaybe extends ResultContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return judged(setup, Maybes.OrderService.class, (given) -> Mono.from(given.toFlowable()).toFuture());
		}

	}

	@Nested
	class AMethodOfAFlux extends DriverContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return driver(setup, Fluxes.OrderService.class, ReturnTypesContractTests::first);
		}

	}

	@Nested
	class AMethodOfAFlowPublisher extends DriverContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return driver(setup, FlowPublishers.OrderService.class,
					(given) -> first(JdkFlowAdapter.flowPublisherToFlux(given)));
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

	private static Future<@Nullable Object> ended(Callable<@Nullable Object> work) {
		FutureTask<@Nullable Object> task = new FutureTask<>(work);
		task.run();
		return task;
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

	/** What each bean can do. */
	public interface Orders<R extends @Nullable Object> {

		R place(Work work) throws Exception;

		R placeRecovered(Work work) throws Exception;

	}

	/** What a bean can do besides, whose results are judged. */
	public interface JudgedOrders<R extends @Nullable Object> extends Orders<R> {

		R placeUnlessDone(Work work) throws Exception;

		R placeUntilDone(Work work) throws Exception;

	}

	static final class Blocking {

		private Blocking() {
		}

		public static class OrderService implements JudgedOrders<@Nullable Object> {

			@Override
			@Backoff("orders")
			public @Nullable Object place(Work work) throws Exception {
				return work.attempt();
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public @Nullable Object placeRecovered(Work work) throws Exception {
				return work.attempt();
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public @Nullable Object placeUnlessDone(Work work) throws Exception {
				return work.attempt();
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public @Nullable Object placeUntilDone(Work work) throws Exception {
				return work.attempt();
			}

			@Nullable Object park(Work work, RetriesStoppedException story) throws Exception {
				return work.recover(story);
			}

		}

	}

	static final class Futures {

		private Futures() {
		}

		public static class OrderService implements JudgedOrders<CompletableFuture<@Nullable Object>> {

			@Override
			@Backoff("orders")
			public CompletableFuture<@Nullable Object> place(Work work) {
				return completed(work::attempt);
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public CompletableFuture<@Nullable Object> placeRecovered(Work work) {
				return completed(work::attempt);
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public CompletableFuture<@Nullable Object> placeUnlessDone(Work work) {
				return completed(work::attempt);
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public CompletableFuture<@Nullable Object> placeUntilDone(Work work) {
				return completed(work::attempt);
			}

			CompletableFuture<@Nullable Object> park(Work work, RetriesStoppedException story) {
				return completed(() -> work.recover(story));
			}

		}

	}

	static final class Stages {

		private Stages() {
		}

		public static class OrderService implements JudgedOrders<CompletionStage<@Nullable Object>> {

			@Override
			@Backoff("orders")
			public CompletionStage<@Nullable Object> place(Work work) {
				return completed(work::attempt).minimalCompletionStage();
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public CompletionStage<@Nullable Object> placeRecovered(Work work) {
				return completed(work::attempt).minimalCompletionStage();
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public CompletionStage<@Nullable Object> placeUnlessDone(Work work) {
				return completed(work::attempt).minimalCompletionStage();
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public CompletionStage<@Nullable Object> placeUntilDone(Work work) {
				return completed(work::attempt).minimalCompletionStage();
			}

			CompletionStage<@Nullable Object> park(Work work, RetriesStoppedException story) {
				return completed(() -> work.recover(story));
			}

		}

	}

	static final class PlainFutures {

		private PlainFutures() {
		}

		public static class OrderService implements JudgedOrders<Future<@Nullable Object>> {

			@Override
			@Backoff("orders")
			public Future<@Nullable Object> place(Work work) {
				return ended(work::attempt);
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public Future<@Nullable Object> placeRecovered(Work work) {
				return ended(work::attempt);
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public Future<@Nullable Object> placeUnlessDone(Work work) {
				return ended(work::attempt);
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public Future<@Nullable Object> placeUntilDone(Work work) {
				return ended(work::attempt);
			}

			Future<@Nullable Object> park(Work work, RetriesStoppedException story) {
				return ended(() -> work.recover(story));
			}

		}

	}

	static final class Monos {

		private Monos() {
		}

		public static class OrderService implements JudgedOrders<Mono<Object>> {

			@Override
			@Backoff("orders")
			public Mono<Object> place(Work work) {
				return Mono.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public Mono<Object> placeRecovered(Work work) {
				return Mono.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public Mono<Object> placeUnlessDone(Work work) {
				return Mono.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public Mono<Object> placeUntilDone(Work work) {
				return Mono.fromCallable(work::attempt);
			}

			Mono<Object> park(Work work, RetriesStoppedException story) {
				return Mono.fromCallable(() -> work.recover(story));
			}

		}

	}

	static final class Maybes {

		private Maybes() {
		}

		public static class OrderService implements JudgedOrders<Maybe<Object>> {

			@Override
			@Backoff("orders")
			public Maybe<Object> place(Work work) {
				return Maybe.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public Maybe<Object> placeRecovered(Work work) {
				return Maybe.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", retryWhen = "#result != 'done'")
			public Maybe<Object> placeUnlessDone(Work work) {
				return Maybe.fromCallable(work::attempt);
			}

			@Override
			@Backoff(value = "orders", until = "#result == 'done'")
			public Maybe<Object> placeUntilDone(Work work) {
				return Maybe.fromCallable(work::attempt);
			}

			Maybe<Object> park(Work work, RetriesStoppedException story) {
				return Maybe.fromCallable(() -> work.recover(story));
			}

		}

	}

	static final class Fluxes {

		private Fluxes() {
		}

		public static class OrderService implements Orders<Flux<Object>> {

			@Override
			@Backoff("orders")
			public Flux<Object> place(Work work) {
				return Mono.fromCallable(work::attempt).flux();
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public Flux<Object> placeRecovered(Work work) {
				return Mono.fromCallable(work::attempt).flux();
			}

			Flux<Object> park(Work work, RetriesStoppedException story) {
				return Mono.fromCallable(() -> work.recover(story)).flux();
			}

		}

	}

	static final class FlowPublishers {

		private FlowPublishers() {
		}

		public static class OrderService implements Orders<Flow.Publisher<Object>> {

			@Override
			@Backoff("orders")
			public Flow.Publisher<Object> place(Work work) {
				return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(work::attempt));
			}

			@Override
			@Backoff(value = "orders", recover = "park")
			public Flow.Publisher<Object> placeRecovered(Work work) {
				return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(work::attempt));
			}

			Flow.Publisher<Object> park(Work work, RetriesStoppedException story) {
				return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(() -> work.recover(story)));
			}

		}

	}

}
