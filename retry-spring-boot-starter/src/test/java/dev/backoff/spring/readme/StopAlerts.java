package dev.backoff.spring.readme;

import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;

@Component
public class StopAlerts implements RetryListener, AutoCloseable {

	// one thread, and a queue of 100 alerts; further alerts are dropped
	private final ExecutorService thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(100), new ThreadPoolExecutor.DiscardPolicy());

	private final RestClient hook;

	StopAlerts(RestClient hook) {
		this.hook = hook;
	}

	@Override
	public void onStop(RetryEvent.Stopped event) { // also if nothing was retried
		String text = event.method() + ": " + event.report().getMessage();
		this.thread.execute(() -> this.hook.post().body(Map.of("text", text)).retrieve().toBodilessEntity());
	}

	@Override
	public void close() {
		this.thread.shutdownNow();
	}

}
