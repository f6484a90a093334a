package dev.backoff.spring.failure;

import java.time.Duration;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;
import org.jspecify.annotations.Nullable;

/** The wait in the details of a gRPC status. */
final class GrpcRetryDetail {

	private GrpcRetryDetail() {
	}

	/** Return how long the server asks to wait, or null if it does not ask. */
	static @Nullable Duration wait(Throwable failure) {
		Status status = StatusProto.fromThrowable(failure);
		if (status == null) {
			return null;
		}
		for (Any detail : status.getDetailsList()) {
			if (detail.is(RetryInfo.class)) {
				return read(detail);
			}
		}
		return null;
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
