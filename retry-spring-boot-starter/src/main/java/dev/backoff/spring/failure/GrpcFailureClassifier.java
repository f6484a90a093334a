package dev.backoff.spring.failure;

import java.time.Duration;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * Classify the statuses of gRPC, also where they are the cause of another exception.
 *
 * <pre>
 * UNAVAILABLE, ABORTED, DEADLINE_EXCEEDED    transient
 * RESOURCE_EXHAUSTED                         throttled
 * any other but OK                           permanent
 * </pre>
 *
 * The server's hint is the longer of the trailer {@code grpc-retry-pushback-ms} and, with
 * {@code grpc-protobuf} present, the detail {@code google.rpc.RetryInfo}. A pushback that
 * is negative or not a number means "do not retry". Retries that a channel makes by its
 * own service configuration multiply with ours. Thread-safe.
 */
final class GrpcFailureClassifier implements TypedClassifier {

	private static final Metadata.Key<String> PUSHBACK = Metadata.Key.of("grpc-retry-pushback-ms",
			Metadata.ASCII_STRING_MARSHALLER);

	private static final boolean DETAILS_PRESENT = ClassUtils.isPresent("io.grpc.protobuf.StatusProto",
			GrpcFailureClassifier.class.getClassLoader());

	@Override
	public boolean mayKnow(Class<?> type) {
		return StatusRuntimeException.class.isAssignableFrom(type) || StatusException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable found = Causes.find(failure, (link) -> mayKnow(link.getClass()));
		return (found != null) ? classify(found, Status.trailersFromThrowable(found)) : null;
	}

	private static @Nullable FailureClassification classify(Throwable found, @Nullable Metadata trailers) {
		return switch (Status.fromThrowable(found).getCode()) {
			case OK -> null;
			case UNAVAILABLE, ABORTED ->
				hinted(FailureClassification.transientFailure(RetryCause.GRPC), found, trailers);
			case DEADLINE_EXCEEDED -> hinted(TIMEOUT, found, trailers);
			// also the status of an answer that is too long, after the work was done
			case RESOURCE_EXHAUSTED ->
				hinted(FailureClassification.throttled(RetryCause.GRPC).withPossibleEffect(), found, trailers);
			default -> FailureClassification.permanent(RetryCause.GRPC);
		};
	}

	private static FailureClassification hinted(FailureClassification classification, Throwable found,
			@Nullable Metadata trailers) {
		String pushback = (trailers != null) ? trailers.get(PUSHBACK) : null;
		Duration asked = (pushback != null) ? ServerWait.of(pushback.strip(), Duration.ofMillis(1)) : null;
		if (pushback != null && asked == null) {
			return classification.withPushback();
		}
		Duration detail = DETAILS_PRESENT ? RetryDetail.wait(found) : null;
		Duration hint = (asked == null || (detail != null && detail.compareTo(asked) > 0)) ? detail : asked;
		return (hint != null) ? classification.withHint(hint) : classification;
	}

	/**
	 * The wait in the details of a status. Loaded only where their library is present.
	 */
	private static final class RetryDetail {

		static @Nullable Duration wait(Throwable failure) {
			com.google.rpc.Status status = StatusProto.fromThrowable(failure);
			return (status != null) ? status.getDetailsList()
				.stream()
				.filter((detail) -> detail.is(RetryInfo.class))
				.findFirst()
				.map(RetryDetail::read)
				.orElse(null) : null;
		}

		private static @Nullable Duration read(Any detail) {
			try {
				RetryInfo info = detail.unpack(RetryInfo.class);
				if (!info.hasRetryDelay()) {
					return null;
				}
				com.google.protobuf.Duration delay = info.getRetryDelay();
				long seconds = Math.min(delay.getSeconds(), ServerWait.LONGEST.toSeconds());
				return ServerWait.bounded(Duration.ofSeconds(Math.max(seconds, -1), delay.getNanos()));
			}
			catch (InvalidProtocolBufferException ex) {
				return null;
			}
		}

	}

}
