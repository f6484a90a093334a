package dev.backoff.spring.failure;

import java.io.CharConversionException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.ObjectStreamException;
import java.io.UTFDataFormatException;
import java.io.UnsupportedEncodingException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.net.UnknownServiceException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.security.GeneralSecurityException;
import java.text.ParseException;
import java.time.DateTimeException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.ZipException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.xml.stream.XMLStreamException;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * Classify failures of input and output, above all those of the network.
 *
 * <pre>
 * refused, no route, unknown or unresolved host, timeout while connecting    transient, connect
 * other timeouts                                                             transient, timeout
 * no connection free in the client's pool                                    transient, pool
 * certificate or key not accepted, here or by the server                     permanent
 * file missing, existing or forbidden, URL or protocol unknown, bad encoding permanent
 * illegal argument of a request, such as a URI without a host                permanent
 * content that cannot be parsed or converted, without another failure        permanent
 * any other IOException, such as reset, end of stream, TLS                   transient, io
 * </pre>
 *
 * Failures of the kinds connect and pool, and failed TLS handshakes, had no effect on the
 * server, so they are retried even where work is not idempotent. For a client that
 * follows redirects, only the request that failed had none: the server may have applied
 * the work, and the connection to the target of its redirect failed.
 * <p>
 * Of a failure and its causes the first one that is more specific than "some IOException"
 * counts. A timeout while connecting that the client reports as a
 * {@link java.net.SocketTimeoutException} counts as a timeout: only its message differs.
 * This is the most general classifier, so it is asked last. Thread-safe.
 *
 * @param afterRedirects whether the client may follow redirects
 */
record IoFailureClassifier(boolean afterRedirects) implements TypedClassifier {

	private static final FailureClassification HANDSHAKE = IO.withoutEffect();

	private static final FailureClassification HANDSHAKE_TIMEOUT = TIMEOUT.withoutEffect();

	private static final FailureClassification PERMANENT_IO = FailureClassification.permanent(RetryCause.IO);

	private static final ClassTable SPECIFIC = new ClassTable()
		.with(CONNECT, ConnectException.class, NoRouteToHostException.class, UnknownHostException.class,
				UnresolvedAddressException.class, BindException.class, HttpConnectTimeoutException.class)
		.with(CONNECT, "org.apache.hc.client5.http.ConnectTimeoutException")
		// a datagram was sent, and earlier ones may have arrived
		.with(DISCONNECTED, PortUnreachableException.class)
		.with(TIMEOUT, InterruptedIOException.class, HttpTimeoutException.class, TimeoutException.class)
		.with(TIMEOUT, "io.netty.handler.timeout.TimeoutException", "kotlinx.coroutines.TimeoutCancellationException")
		.with(HANDSHAKE_TIMEOUT, "io.netty.handler.ssl.SslHandshakeTimeoutException")
		.with(POOL, "org.apache.hc.core5.http.ConnectionRequestTimeoutException",
				"reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException",
				"reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException")
		.with(PERMANENT_IO, SSLPeerUnverifiedException.class, FileNotFoundException.class, NoSuchFileException.class,
				AccessDeniedException.class, FileAlreadyExistsException.class, NotDirectoryException.class,
				NotLinkException.class, DirectoryNotEmptyException.class, FileSystemLoopException.class,
				MalformedURLException.class, UnknownServiceException.class, HttpRetryException.class,
				CharConversionException.class, CharacterCodingException.class, UnsupportedEncodingException.class,
				UTFDataFormatException.class, ObjectStreamException.class, ZipException.class);

	/*
	 * Parsers also wrap failures of the stream, which count before them. An early end is
	 * like a cut connection; parsers of XML and YAML have no exception for it.
	 */
	private static final ClassTable GENERAL = new ClassTable().with(IO, IOException.class)
		.with(HANDSHAKE, SSLHandshakeException.class)
		.with(PERMANENT_IO, DateTimeException.class, ParseException.class, URISyntaxException.class,
				DataFormatException.class, XMLStreamException.class)
		.with(PERMANENT_IO, "tools.jackson.core.JacksonException", "com.fasterxml.jackson.core.JsonProcessingException",
				"com.google.gson.JsonParseException", "com.google.gson.stream.MalformedJsonException",
				"org.xml.sax.SAXException", "org.yaml.snakeyaml.error.YAMLException",
				"org.springframework.core.convert.ConversionException",
				"org.springframework.beans.TypeMismatchException", "org.springframework.core.codec.CodecException",
				"org.springframework.http.converter.HttpMessageConversionException",
				"org.springframework.web.client.UnknownContentTypeException")
		.with(IO, "tools.jackson.core.exc.UnexpectedEndOfInputException",
				"com.fasterxml.jackson.core.io.JsonEOFException");

	/* TLS alerts by which a server refuses our certificate, or the lack of one. */
	private static final Pattern CERTIFICATE_REFUSED = Pattern
		.compile(
				"alert.*(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED"
						+ "|CERTIFICATE_UNKNOWN|CERTIFICATE_REQUIRED|UNKNOWN_CA|ACCESS_DENIED)",
				Pattern.CASE_INSENSITIVE);

	@Override
	public boolean mayKnow(Class<?> type) {
		return SPECIFIC.of(type) != null || GENERAL.of(type) != null
				|| GeneralSecurityException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		FailureClassification answer = classifyAlone(failure);
		return (this.afterRedirects && answer != null && answer.isWithoutEffect()) ? answer.unapplied() : answer;
	}

	private static @Nullable FailureClassification classifyAlone(Throwable failure) {
		if (Causes.find(failure, GeneralSecurityException.class) != null) {
			return PERMANENT_IO.judging(GeneralSecurityException.class);
		}
		FailureClassification general = null;
		for (Throwable each : Causes.of(failure)) {
			// the JDK's reader of XML does not make a failure of its stream the cause
			Throwable link = (each instanceof XMLStreamException xml
					&& xml.getNestedException() instanceof IOException nested) ? nested : each;
			FailureClassification specific = SPECIFIC.of(link.getClass());
			if (specific != null) {
				return specific;
			}
			if (link instanceof IOException && isArgumentRefused(Causes.cause(link))) {
				return PERMANENT_IO.judging(IllegalArgumentException.class);
			}
			if (link instanceof SSLException && CERTIFICATE_REFUSED.matcher("" + Causes.message(link)).find()) {
				return PERMANENT_IO;
			}
			general = moreGrave(general, GENERAL.of(link.getClass()));
		}
		return general;
	}

	/** Return whether an argument of the request failed, as a URI without a host. */
	static boolean isArgumentRefused(@Nullable Throwable cause) {
		return cause instanceof IllegalArgumentException && !(cause instanceof UnresolvedAddressException)
				&& !isResponseMalformed(cause);
	}

	/** Return whether Netty could not decode a response. Only the stack trace tells. */
	static boolean isResponseMalformed(@Nullable Throwable cause) {
		return cause instanceof IllegalArgumentException && Stream.of(cause.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals("io.netty.handler.codec.http.HttpObjectDecoder"));
	}

	/* A failed handshake counts before other I/O, and I/O before a parser. */
	private static @Nullable FailureClassification moreGrave(@Nullable FailureClassification one,
			@Nullable FailureClassification other) {
		if (HANDSHAKE.equals(one) || HANDSHAKE.equals(other)) {
			return HANDSHAKE;
		}
		return (IO.equals(one) || other == null) ? one : other;
	}

}
