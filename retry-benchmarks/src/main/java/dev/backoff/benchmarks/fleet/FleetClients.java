package dev.backoff.benchmarks.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.outage.DependencyCall;

/**
 * Some processes of a fleet, in one virtual machine. Each is an application of its own,
 * so each has its own budget or breaker. What happens is told when all is over.
 */
public final class FleetClients {

	/* The last line. */
	static final String END = "end";

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final double SECOND = 1e9;

	private final Queue<String> events = new ConcurrentLinkedQueue<>();

	private final RestClient client;

	private volatile long start = System.nanoTime();

	private FleetClients(int port) {
		HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(http);
		requests.setReadTimeout(TIMEOUT);
		this.client = RestClient.builder().requestFactory(requests).baseUrl("http://127.0.0.1:" + port).build();
	}

	/**
	 * Start the applications, let each make a call, say so, and wait for a line. Then
	 * make calls, which begin at random, and write what happened.
	 * @param args contender, port, number of applications, calls a second of all of them,
	 * milliseconds, where the arrivals start
	 * @throws IOException if the one that started this process is gone
	 */
	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		// where the applications log
		System.setOut(System.err);
		Contender contender = Contender.valueOf(args[0]);
		FleetClients clients = new FleetClients(Integer.parseInt(args[1]));
		ConfigurableApplicationContext[] applications = IntStream.range(0, Integer.parseInt(args[2]))
			.mapToObj((number) -> contender.start(clients::attempt))
			.toArray(ConfigurableApplicationContext[]::new);
		DependencyCall[] calls = new DependencyCall[applications.length];
		for (int i = 0; i < calls.length; i++) {
			calls[i] = applications[i].getBean(DependencyCall.class);
			calls[i].run();
		}
		out.println("ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		Objects.requireNonNull(in.readLine());
		clients.offer(calls, Double.parseDouble(args[3]), Long.parseLong(args[4]), new Random(Long.parseLong(args[5])));
		clients.events.forEach(out::println);
		out.println(END);
		System.exit(0);
	}

	private void offer(DependencyCall[] calls, double perSecond, long millis, Random random) {
		ExecutorService threads = Executors.newCachedThreadPool();
		this.events.clear();
		this.start = System.nanoTime();
		double due = 0;
		while (due < millis * 1e6) {
			await(due);
			DependencyCall call = calls[random.nextInt(calls.length)];
			threads.execute(() -> call(call));
			due -= Math.log(1 - random.nextDouble()) / perSecond * SECOND;
		}
		// what is interrupted is not counted
		await(millis * 1e6);
		threads.shutdownNow();
	}

	private void await(double due) {
		for (double left = due - now(); left > 0; left = due - now()) {
			LockSupport.parkNanos((long) left);
		}
	}

	private void call(DependencyCall call) {
		event(Event.FIRST);
		try {
			call.run();
			event(Event.SUCCESS);
		}
		catch (RuntimeException ex) {
			event(Event.FAILURE);
		}
	}

	private void attempt() {
		event(Event.ATTEMPT);
		this.client.get().uri("/work").retrieve().toBodilessEntity();
	}

	private void event(Event event) {
		this.events.add(event + " " + now());
	}

	private long now() {
		return System.nanoTime() - this.start;
	}

	/** What is told, each with its nanoseconds. */
	enum Event {

		FIRST, ATTEMPT, SUCCESS, FAILURE

	}

}
