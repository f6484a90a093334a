package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asynchronous calls whose stages a test completes. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
abstract class AsyncCallFixture extends CallFixture {

	private final List<CompletableFuture<String>> stages = new ArrayList<>();

	final CompletableFuture<String> call() {
		return retry(policy()).callAsync(this::newStage);
	}

	final CompletionStage<String> newStage() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		this.stages.add(stage);
		return stage;
	}

	final CompletableFuture<String> lastStage() {
		return this.stages.get(this.stages.size() - 1);
	}

	/** Return the stages of all attempts. */
	final List<CompletableFuture<String>> stages() {
		return this.stages;
	}

}
