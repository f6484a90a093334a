package dev.backoff.benchmarks.fleet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.benchmarks.ForkedProcess;
import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.stall.StallExperiment;
import dev.backoff.benchmarks.stall.StallServer;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.Course;
import dev.backoff.simulator.Effect;
import dev.backoff.simulator.Scenario;
import dev.backoff.simulator.SimulatedPolicy;

/**
 * The same calls from a number of processes, to a server that is used to 80 % and stalls:
 * with real applications, of which nothing is configured, and simulated.
 */
public final class FleetStall {

	/** The calls a second of all processes: {@value}. */
	public static final double PER_SECOND = 90;

	private static final double CAPACITY = PER_SECOND / 0.8;

	private static final int MACHINES = 4;

	private static final List<String> SERVER_OPTIONS = List.of("-Xmx128m", "-Dsun.net.httpserver.nodelay=true",
			"-Dsun.net.httpserver.maxIdleConnections=10000");

	private static final List<String> CLIENT_OPTIONS = List.of("-Xmx768m", "-XX:+UseSerialGC");

	private FleetStall() {
	}

	/**
	 * Run it with a real server and real connections, in processes of their own.
	 * @param contender what retries
	 * @param processes how many, in four virtual machines
	 * @param times how long each part lasts
	 * @param directory where the logs go
	 * @return what happened
	 * @throws IOException if a process fails
	 * @throws InterruptedException if interrupted
	 */
	public static Course run(Contender contender, int processes, StallExperiment.Times times, Path directory)
			throws IOException, InterruptedException {
		int machines = Math.min(MACHINES, processes);
		Course course = new Course(times.warmUp(), times.stall(), times.horizon());
		List<ForkedProcess> clients = new ArrayList<>();
		try (ForkedProcess server = ForkedProcess.startTalking(StallServer.class, SERVER_OPTIONS,
				directory.resolve("fleet-stall-server.log"), Double.toString(CAPACITY))) {
			String port = server.readLine();
			long millis = times.warmUp().plus(times.stall()).plus(times.horizon()).toMillis();
			for (int machine = 0; machine < machines; machine++) {
				int share = (processes + machine) / machines;
				clients.add(ForkedProcess.startTalking(FleetClients.class, CLIENT_OPTIONS,
						directory.resolve("fleet-stall-" + machine + ".log"), contender.name(), port,
						Integer.toString(share), Double.toString(PER_SECOND * share / processes), Long.toString(millis),
						Integer.toString(machine)));
			}
			for (ForkedProcess client : clients) {
				client.readLine();
			}
			for (ForkedProcess client : clients) {
				client.writeLine("go");
			}
			Thread.sleep(times.warmUp().toMillis());
			server.writeLine(Long.toString(times.stall().toMillis()));
			for (ForkedProcess client : clients) {
				read(client, course);
			}
			return course;
		}
		finally {
			clients.forEach(ForkedProcess::close);
		}
	}

	private static void read(ForkedProcess client, Course course) throws IOException {
		for (String line = client.readLine(); !line.equals(FleetClients.END); line = client.readLine()) {
			String[] event = line.split(" ", 2);
			long at = Long.parseLong(event[1]);
			switch (FleetClients.Event.valueOf(event[0])) {
				case FIRST -> course.firstAttempt(at);
				case ATTEMPT -> course.attempt(at);
				case SUCCESS -> course.success(at);
				case FAILURE -> course.failure(at);
			}
		}
	}

	/**
	 * Simulate it, also for more processes than a machine has room for.
	 * @param attempts all attempts of a call, the first included
	 * @param processes how many, each with the default budget
	 * @return what happens, as medians of three runs
	 */
	public static Effect simulate(int attempts, int processes) {
		return Effect.of(
				SimulatedPolicy.of(RetryPolicy.builder("fleet").maxAttempts(attempts), BudgetSettings.DEFAULTS),
				Scenario.stall("3s")
					.callers(processes)
					.rate(PER_SECOND / processes)
					.with("capacity", Double.toString(CAPACITY))
					.with("horizon", "200s")
					.with("seeds", "3"),
				() -> (budget, now) -> {
				});
	}

}
