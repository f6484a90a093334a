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
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipException;

import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

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
 * certificate or key not accepted                                            permanent
 * file missing, existing or forbidden, URL or protocol unknown, bad encoding permanent
 * illegal argument of a request, such as a URI without a host                permanent
 * content that cannot be parsed, without another failure                     permanent
 * any other IOException, such as reset, end of stream, TLS                   transient, io
 * </pre>
 *
 * Failures of the kinds connect and pool, and failed TLS handshakes, had no effect on the
 * server, so they are retried even where work is not idempotent.
 * <p>
 * Of a failure and its causes the first one that is more specific than "some IOException"
 * counts. A timeout while connecting that the client reports as a
 * {@link java.net.SocketTimeoutException} counts as a timeout: only its message differs.
 * This is the most general classifier, so it is asked last. Thread-safe.
 */
final class IoFailureClassifier implements TypedClassifier {

	private static final FailureClassification CONNECT = FailureClassification.transientFailure(RetryCause.CONNECT);

	private static final FailureClassification TIMEOUT = FailureClassification.transientFailure(RetryCause.TIMEOUT);

	private static final FailureClassification POOL = FailureClassification.transientFailure(RetryCause.POOL);

	private static final FailureClassification IO = FailureClassification.transientFailure(RetryCause.IO);

	private static final FailureClassification HANDSHAKE = IO.withoutEffect();

	private static final FailureClassification HANDSHAKE_TIMEOUT = TIMEOUT.withoutEffect();

	/* A datagram was sent, and earlier ones may have arrived. */
	private static final FailureClassification DATAGRAM = CONNECT.withPossibleEffect();

	private static final FailureClassification PERMANENT = FailureClassification.permanent(RetryCause.IO);

	private static final List<Class<? extends Throwable>> CONNECT_TYPES = List.of(ConnectException.class,
			NoRouteToHostException.class, UnknownHostException.class, UnresolvedAddressException.class,
			BindException.class, HttpConnectTimeoutException.class);

	private static final Set<String> CONNECT_NAMES = Set.of("org.apache.hc.client5.http.ConnectTimeoutException");

	private static final List<Class<? extends Throwable>> TIMEOUT_TYPES = List.of(InterruptedIOException.class,
			HttpTimeoutException.class, TimeoutException.class);

	private static final Set<String> TIMEOUT_NAMES = Set.of("io.netty.handler.timeout.TimeoutException");

	private static final Set<String> HANDSHAKE_TIMEOUT_NAMES = Set
		.of("io.netty.handler.ssl.SslHandshakeTimeoutException");

	private static final Set<String> POOL_NAMES = Set.of("org.apache.hc.core5.http.ConnectionRequestTimeoutException",
			"reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException",
			"reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException");

	private static final List<Class<? extends Throwable>> PERMANENT_TYPES = List.of(SSLPeerUnverifiedException.class,
			FileNotFoundException.class, NoSuchFileException.class, AccessDeniedException.class,
			FileAlreadyExistsException.class, NotDirectoryException.class, NotLinkException.class,
			DirectoryNotEmptyException.class, FileSystemLoopException.class, MalformedURLException.class,
			UnknownServiceException.class, HttpRetryException.class, CharConversionException.class,
			CharacterCodingException.class, UnsupportedEncodingException.class, UTFDataFormatException.class,
			ObjectStreamException.class, ZipException.class);

	/* They also wrap failures of the stream, which count before them. */
	private static final Set<String> PARSE_NAMES = Set.of("tools.jackson.core.JacksonException",
			"com.fasterxml.jackson.core.JsonProcessingException");

	/* The content ended too early, as after a cut connection. */
	private static final Set<String> CUT_OFF_NAMES = Set.of("tools.jackson.core.exc.UnexpectedEndOfInputException",
			"com.fasterxml.jackson.core.io.JsonEOFException");

	/* All that are known besides those of libraries. */
	private static final List<Class<? extends Throwable>> BASE_TYPES = List.of(IOException.class,
			GeneralSecurityException.class, UnresolvedAddressException.class, TimeoutException.class);

	private static final List<Set<String>> NAMES = List.of(CONNECT_NAMES, TIMEOUT_NAMES, HANDSHAKE_TIMEOUT_NAMES,
			POOL_NAMES, PARSE_NAMES, CUT_OFF_NAMES);

	@Override
	public boolean mayKnow(Class<?> type) {
		return BASE_TYPES.stream().anyMatch((known) -> known.isAssignableFrom(type))
				|| NAMES.stream().anyMatch((names) -> ClassNames.isOneOf(names, type));
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		List<Throwable> chain = Causes.of(failure);
		FailureClassification general = null;
		for (Throwable link : chain) {
			if (link instanceof GeneralSecurityException) {
				return PERMANENT;
			}
		}
		for (Throwable link : chain) {
			FailureClassification specific = specific(link);
			if (specific != null) {
				return specific;
			}
			general = (link instanceof SSLHandshakeException || general == HANDSHAKE) ? HANDSHAKE
					: (general != IO) ? general(link, general) : IO;
		}
		return general;
	}

	private static @Nullable FailureClassification specific(Throwable link) {
		// before timeouts: that of a pool extends one of their types
		if (ClassNames.isOneOf(POOL_NAMES, link)) {
			return POOL;
		}
		if (isOneOf(CONNECT_TYPES, link) || ClassNames.isOneOf(CONNECT_NAMES, link)) {
			return CONNECT;
		}
		if (link instanceof PortUnreachableException) {
			return DATAGRAM;
		}
		if (ClassNames.isOneOf(HANDSHAKE_TIMEOUT_NAMES, link)) {
			return HANDSHAKE_TIMEOUT;
		}
		if (isOneOf(TIMEOUT_TYPES, link) || ClassNames.isOneOf(TIMEOUT_NAMES, link)) {
			return TIMEOUT;
		}
		return (isOneOf(PERMANENT_TYPES, link) || isArgumentRefused(link)) ? PERMANENT : null;
	}

	/* Clients report a URI without a host as an IOException. */
	private static boolean isArgumentRefused(Throwable link) {
		return link instanceof IOException && link.getCause() instanceof IllegalArgumentException
				&& !(link.getCause() instanceof UnresolvedAddressException);
	}

	private static @Nullable FailureClassification general(Throwable link, @Nullable FailureClassification otherwise) {
		if (ClassNames.isOneOf(CUT_OFF_NAMES, link)) {
			return IO;
		}
		if (ClassNames.isOneOf(PARSE_NAMES, link)) {
			return PERMANENT;
		}
		return (link instanceof IOException) ? IO : otherwise;
	}

	private static boolean isOneOf(List<Class<? extends Throwable>> types, Throwable link) {
		return types.stream().anyMatch((type) -> type.isInstance(link));
	}

}
