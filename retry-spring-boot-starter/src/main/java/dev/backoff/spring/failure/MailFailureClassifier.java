package dev.backoff.spring.failure;

import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.eclipse.angus.mail.util.MailConnectException;
import org.jspecify.annotations.Nullable;

import org.springframework.mail.MailAuthenticationException;
import org.springframework.mail.MailException;
import org.springframework.mail.MailParseException;
import org.springframework.mail.MailPreparationException;
import org.springframework.mail.MailSendException;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;

/**
 * Classify failures to send mail, as Spring's mail sender and Jakarta Mail over SMTP
 * report them.
 *
 * <pre>
 * refused credentials, a message that cannot be built    permanent
 * sent to some of the recipients                         permanent: a retry would send it twice
 * reply 5xx to any recipient or to the message           permanent
 * reply 4xx                                              transient, other
 * no connection                                          transient, connect
 * I/O                                                    as {@link IoFailureClassifier} says
 * </pre>
 *
 * One permanent failure of several messages makes their whole call permanent. A retry of
 * a call sends all its messages again, so send one message per call. Thread-safe.
 */
final class MailFailureClassifier implements TypedClassifier {

	private final IoFailureClassifier io = new IoFailureClassifier(false);

	@Override
	public boolean mayKnow(Class<?> type) {
		return MailException.class.isAssignableFrom(type) || MessagingException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable found = Causes.find(failure, (link) -> mayKnow(link.getClass()));
		if (found instanceof MailSendException send && send.getMessageExceptions().length > 0) {
			return classifyAll(send.getMessageExceptions());
		}
		return (found != null) ? classifyOne(found) : null;
	}

	private @Nullable FailureClassification classifyAll(Exception[] failures) {
		FailureClassification answer = null;
		for (Exception failure : failures) {
			FailureClassification next = classifyOne(failure);
			if (next != null && next.kind() == Kind.PERMANENT) {
				return next;
			}
			answer = (answer != null) ? answer : next;
		}
		return answer;
	}

	private @Nullable FailureClassification classifyOne(Throwable found) {
		FailureClassification answer = null;
		for (Throwable link : Causes.of(found)) {
			if (isRefused(link)) {
				return PERMANENT.judging(link.getClass());
			}
			if (replyCode(link) >= 500) {
				return PERMANENT;
			}
			answer = (replyCode(link) >= 400) ? OTHER : answer;
		}
		if (answer != null) {
			return answer;
		}
		FailureClassification io = this.io.classify(found);
		return (io == null && Causes.find(found, MailConnectException.class) != null) ? CONNECT : io;
	}

	private static boolean isRefused(Throwable link) {
		if (link instanceof SendFailedException send) {
			Address[] sent = send.getValidSentAddresses();
			return sent != null && sent.length > 0;
		}
		return link instanceof AuthenticationFailedException || link instanceof MailAuthenticationException
				|| link instanceof MailParseException || link instanceof MailPreparationException;
	}

	private static int replyCode(Throwable link) {
		if (link instanceof SMTPSendFailedException send) {
			return send.getReturnCode();
		}
		if (link instanceof SMTPAddressFailedException address) {
			return address.getReturnCode();
		}
		return (link instanceof SMTPSenderFailedException sender) ? sender.getReturnCode() : -1;
	}

}
