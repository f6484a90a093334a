package dev.backoff.durable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import dev.backoff.fixture.SocketServer;

/** A MariaDB by the programs of the Debian package mariadb-server, or a skipped test. */
final class MariaDbServer implements AutoCloseable {

	private final Path directory;

	private final Path program;

	private final int port;

	private Process server;

	MariaDbServer(Path directory) throws Exception {
		Path found = program("mariadbd");
		Path installer = program("mariadb-install-db");
		Assumptions.assumeTrue(found != null && installer != null, "install mariadb-server to run these tests");
		this.directory = directory;
		this.program = found;
		this.port = SocketServer.freePort();
		Process install = run(installer, "--auth-root-authentication-method=normal", "--skip-test-db");
		Assumptions.assumeTrue(install.waitFor(2, TimeUnit.MINUTES) && install.exitValue() == 0,
				() -> "mariadb-install-db failed: see " + directory);
		this.server = start();
	}

	String url() {
		return "jdbc:mariadb://127.0.0.1:" + this.port + "/shop?user=root&createDatabaseIfNotExist=true";
	}

	Connection connect() throws SQLException {
		return DriverManager.getConnection(url());
	}

	/** Kill it, and start it again. */
	void restart() throws Exception {
		this.server.destroyForcibly().waitFor();
		this.server = start();
	}

	private Process start() throws IOException {
		Process started = run(this.program, "--port=" + this.port, "--bind-address=127.0.0.1",
				"--socket=" + this.directory.resolve("s"), "--pid-file=" + this.directory.resolve("pid"),
				"--default-time-zone=+00:00");
		Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
			connect().close();
			return true;
		});
		return started;
	}

	private static @Nullable Path program(String name) {
		return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	private Process run(Path file, String... arguments) throws IOException {
		Stream<String> command = Stream.of(file.toString(), "--no-defaults",
				"--datadir=" + this.directory.resolve("data"), "--user=" + System.getProperty("user.name"));
		return new ProcessBuilder(Stream.concat(command, Stream.of(arguments)).toList()).redirectErrorStream(true)
			.redirectOutput(
					ProcessBuilder.Redirect.appendTo(this.directory.resolve(file.getFileName() + ".log").toFile()))
			.start();
	}

	@Override
	public void close() {
		this.server.destroy();
		this.server.onExit().join();
	}

}
