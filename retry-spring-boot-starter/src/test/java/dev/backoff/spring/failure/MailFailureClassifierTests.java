package dev.backoff.spring.failure;

import java.io.IOException;
import java.util.Map;

import jakarta.mail.MessagingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mail.MailParseException;
import org.springframework.mail.MailSendException;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/**
 * Tests for {@link MailFailureClassifier}, through Spring's sender against an SMTP server
 * of a few lines.
 */
class MailFailureClassifierTests {

	private static final String WELCOME = "220 mail.example";

	private final FailureClassifier classifier = new MailFailureClassifier();

	@ParameterizedTest
	@CsvSource({ "MAIL,451 try later,transient other", "MAIL,550 no,permanent", "RCPT,450 busy,transient other",
			"RCPT,550 no such user,permanent", "DATA,421 closing,transient other", "DATA,554 no,permanent",
			".,452 full,transient other", ".,552 too big,permanent" })
	void classifiesByReply(String command, String reply, String expected) throws IOException {
		try (LineServer server = LineServer.start(WELCOME, (line) -> smtp(line, command, reply))) {
			assertSending(server.port(), expected, "a@example.com");
		}
	}

	@Test
	void oneRecipientRefusedForGoodIsPermanent() throws IOException {
		try (LineServer server = LineServer.start(WELCOME,
				(line) -> isTo("b@example.com", line) ? "550 no such user" : smtp(line, "RCPT", "450 busy"))) {
			assertSending(server.port(), "permanent", "a@example.com", "b@example.com");
		}
	}

	@Test
	void sentToSomeIsPermanentSinceTheyWouldGetItTwice() throws IOException {
		try (LineServer server = LineServer.start(WELCOME,
				(line) -> isTo("b@example.com", line) ? "450 busy" : smtp(line, "none", ""))) {
			JavaMailSenderImpl sender = sender(server.port());
			sender.getJavaMailProperties().put("mail.smtp.sendpartial", "true");
			assertSays(this.classifier, thrownBy(() -> sender.send(message("a@example.com", "b@example.com"))),
					"permanent");
		}
	}

	@Test
	void refusedCredentialsArePermanent() throws IOException {
		try (LineServer server = LineServer.start(WELCOME,
				(line) -> line.startsWith("EHLO") ? "250-mail.example\r\n250 AUTH PLAIN" : "535 no")) {
			JavaMailSenderImpl sender = sender(server.port());
			sender.setUsername("shop");
			sender.setPassword("wrong");
			assertSays(this.classifier, thrownBy(() -> sender.send(message("a@example.com"))), "permanent");
		}
	}

	@Test
	void noConnectionIsConnect() throws IOException {
		assertSending(SocketServer.closedPort(), "transient connect", "a@example.com");
	}

	@Test
	void noReplyInTimeIsTimeout() throws IOException {
		try (LineServer server = LineServer.start("", (line) -> null)) {
			JavaMailSenderImpl impatient = sender(server.port());
			impatient.getJavaMailProperties().put("mail.smtp.timeout", "500");
			assertSays(this.classifier, thrownBy(() -> impatient.send(message("a@example.com"))), "transient timeout");
		}
	}

	@Test
	void messageThatCannotBeBuiltIsPermanent() {
		assertSays(this.classifier, new MailParseException("x"), "permanent");
	}

	@Test
	void saysNothingOfWhatItCannotTell() {
		assertSays(this.classifier, new MailSendException("x"), "nothing");
		assertSays(this.classifier, new MessagingException("x"), "nothing");
		assertSays(this.classifier, new MailSendException(Map.of("m", new IllegalStateException())), "nothing");
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	private void assertSending(int port, String expected, String... recipients) {
		assertSays(this.classifier, thrownBy(() -> sender(port).send(message(recipients))), expected);
	}

	/* Answers as a server does, but for one command. */
	private static String smtp(String line, String command, String reply) {
		if (command.equals(".") ? line.equals(".") : line.startsWith(command)) {
			return reply;
		}
		return switch (line.split("[ :]", 2)[0]) {
			case "EHLO", "MAIL", "RCPT", "RSET", "." -> "250 ok";
			case "DATA" -> "354 go ahead";
			case "QUIT" -> "221 bye";
			default -> null;
		};
	}

	private static boolean isTo(String recipient, String line) {
		return line.startsWith("RCPT") && line.contains(recipient);
	}

	private static JavaMailSenderImpl sender(int port) {
		JavaMailSenderImpl sender = new JavaMailSenderImpl();
		sender.setHost("127.0.0.1");
		sender.setPort(port);
		sender.getJavaMailProperties().put("mail.smtp.timeout", "60000");
		return sender;
	}

	private static SimpleMailMessage message(String... recipients) {
		SimpleMailMessage message = new SimpleMailMessage();
		message.setFrom("shop@example.com");
		message.setTo(recipients);
		message.setSubject("Order");
		message.setText("Thank you");
		return message;
	}

}
