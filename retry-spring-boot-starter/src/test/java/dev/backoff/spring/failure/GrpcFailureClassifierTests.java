package dev.backoff.spring.failure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.UUID;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.assertWithoutEffect;
import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link GrpcFailureClassifier}. */
class GrpcFailureClassifierTests {

	private static final Metadata.Key<String> PUSHBACK = Metadata.Key.of("grpc-retry-pushback-ms",
			Metadata.ASCII_STRING_MARSHALLER);

	private final FailureClassifier classifier = new GrpcFailureClassifier();

	@ParameterizedTest
	@CsvSource({ "UNAVAILABLE,transient grpc", "ABORTED,transient grpc", "DEADLINE_EXCEEDED,transient timeout",
			"RESOURCE_EXHAUSTED,throttled grpc", "OK,nothing", "CANCELLED,permanent", "UNKNOWN,permanent",
			"INVALID_ARGUMENT,permanent", "NOT_FOUND,permanent", "ALREADY_EXISTS,permanent",
			"PERMISSION_DENIED,permanent", "FAILED_PRECONDITION,permanent", "OUT_OF_RANGE,permanent",
			"UNIMPLEMENTED,permanent", "INTERNAL,permanent", "DATA_LOSS,permanent", "UNAUTHENTICATED,permanent" })
	void classifiesByStatus(Status.Code code, String expected) {
		assertSays(this.classifier, code.toStatus().asRuntimeException(), expected);
		assertSays(this.classifier, code.toStatus().asException(), expected);
	}

	@Test
	void aMessageThatIsTooLongMayBeTheAnswer() {
		assertWithoutEffect(this.classifier, Status.RESOURCE_EXHAUSTED.asRuntimeException(), false);
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	@Nested
	class Pushback {

		@ParameterizedTest
		@CsvSource({ "0,PT0S", "1500,PT1.5S", "' 1500 ',PT1.5S" })
		void isTheHint(String text, java.time.Duration expected) {
			FailureClassification said = GrpcFailureClassifierTests.this.classifier.classify(failure(text));
			assertThat(said.hint()).isEqualTo(expected);
			assertThat(said.isPushedBack()).isFalse();
		}

		@ParameterizedTest
		@ValueSource(strings = { "-1", "", "soon", "1.5", "+5" })
		void meansDoNotRetryIfNegativeOrUnreadable(String text) {
			FailureClassification said = GrpcFailureClassifierTests.this.classifier.classify(failure(text));
			assertThat(said.isPushedBack()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "9223372036854775808", "99999999999999999999" })
		void saturates(String text) {
			FailureClassification said = GrpcFailureClassifierTests.this.classifier.classify(failure(text));
			assertThat(said.hint()).isEqualTo(ServerWait.LONGEST);
		}

		@Test
		void yieldsToALongerRetryInfo() {
			StatusRuntimeException failure = withRetryInfo(Duration.newBuilder().setSeconds(7).build());
			failure.getTrailers().put(PUSHBACK, "1500");
			assertSays(GrpcFailureClassifierTests.this.classifier, failure, "transient grpc 7s");
			failure.getTrailers().discardAll(PUSHBACK);
			failure.getTrailers().put(PUSHBACK, "9000");
			assertSays(GrpcFailureClassifierTests.this.classifier, failure, "transient grpc 9s");
		}

		private static StatusRuntimeException failure(String pushback) {
			Metadata trailers = new Metadata();
			trailers.put(PUSHBACK, pushback);
			return Status.UNAVAILABLE.asRuntimeException(trailers);
		}

	}

	@Nested
	class InARetryInfo {

		@Test
		void theDelayIsTheHint() {
			assertHint(Duration.newBuilder().setSeconds(7).setNanos(500_000_000).build(), "PT7.5S");
			assertHint(Duration.getDefaultInstance(), "PT0S");
		}

		@Test
		void anAbsurdDelayIsBounded() {
			assertHint(Duration.newBuilder().setSeconds(-5).setNanos(-1).build(), "PT0S");
			assertHint(Duration.newBuilder().setSeconds(Long.MIN_VALUE).setNanos(Integer.MIN_VALUE).build(), "PT0S");
			assertHint(Duration.newBuilder().setSeconds(Long.MAX_VALUE).setNanos(Integer.MAX_VALUE).build(),
					ServerWait.LONGEST.toString());
		}

		@Test
		void noDelayIsNoHint() {
			StatusRuntimeException failure = withDetail(Any.pack(RetryInfo.getDefaultInstance()));
			assertSays(GrpcFailureClassifierTests.this.classifier, failure, "transient grpc");
		}

		private void assertHint(Duration delay, String expected) {
			FailureClassification said = GrpcFailureClassifierTests.this.classifier.classify(withRetryInfo(delay));
			assertThat(said.hint()).isEqualTo(java.time.Duration.parse(expected));
		}

	}

	@Nested
	class InARealCall {

		private static final MethodDescriptor<byte[], byte[]> PLACE = MethodDescriptor.<byte[], byte[]>newBuilder()
			.setType(MethodDescriptor.MethodType.UNARY)
			.setFullMethodName("Orders/Place")
			.setRequestMarshaller(new Bytes())
			.setResponseMarshaller(new Bytes())
			.build();

		private final String name = UUID.randomUUID().toString();

		@Test
		void trailersArrive() throws IOException {
			StatusRuntimeException failure = withRetryInfo(Duration.newBuilder().setSeconds(7).build());
			Server server = InProcessServerBuilder.forName(this.name)
				.directExecutor()
				.addService(ServerServiceDefinition.builder("Orders")
					.addMethod(PLACE, ServerCalls.asyncUnaryCall((request, response) -> response.onError(failure)))
					.build())
				.build()
				.start();
			try {
				assertSays(GrpcFailureClassifierTests.this.classifier, thrownBy(this::call), "transient grpc 7s");
			}
			finally {
				server.shutdownNow();
			}
		}

		@Test
		void aServerThatIsAbsentIsTransient() {
			assertSays(GrpcFailureClassifierTests.this.classifier, thrownBy(this::call), "transient grpc");
		}

		private void call() {
			ManagedChannel channel = InProcessChannelBuilder.forName(this.name).directExecutor().build();
			try {
				ClientCalls.blockingUnaryCall(channel, PLACE, CallOptions.DEFAULT, new byte[0]);
			}
			finally {
				channel.shutdownNow();
			}
		}

	}

	private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

		@Override
		public InputStream stream(byte[] value) {
			return new ByteArrayInputStream(value);
		}

		@Override
		public byte[] parse(InputStream stream) {
			return new byte[0];
		}

	}

	private static StatusRuntimeException withRetryInfo(Duration delay) {
		return withDetail(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()));
	}

	private static StatusRuntimeException withDetail(Any detail) {
		return StatusProto.toStatusRuntimeException(
				com.google.rpc.Status.newBuilder().setCode(Status.Code.UNAVAILABLE.value()).addDetails(detail).build());
	}

}
