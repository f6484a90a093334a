package dev.backoff.spring.failure;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * Classify the codes of Dubbo's {@code RpcException}, which is known by its name.
 *
 * <pre>
 * NETWORK, NO_INVOKER_AVAILABLE_AFTER_FILTER                transient, connect
 * FORBIDDEN because no provider is registered               transient, connect
 * TIMEOUT                                                   transient, timeout
 * LIMIT_EXCEEDED                                            throttled
 * any other FORBIDDEN, SERIALIZATION, TIMEOUT_TERMINATE,
 * METHOD_NOT_FOUND, VALIDATION, AUTHORIZATION               permanent
 * </pre>
 *
 * Dubbo repeats calls and reports only the last failure, so an effect is always possible.
 * An exception of another code is judged by its causes. Thread-safe.
 */
final class DubboFailureClassifier implements TypedClassifier {

	private static final ClassTable TYPES = new ClassTable().with(OTHER, "org.apache.dubbo.rpc.RpcException");

	@Override
	public boolean mayKnow(Class<?> type) {
		return TYPES.of(type) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		FailureClassification answer = null;
		for (Throwable link : Causes.of(failure)) {
			answer = (answer == null && mayKnow(link.getClass())) ? byCode(link) : answer;
		}
		return answer;
	}

	private static @Nullable FailureClassification byCode(Throwable found) {
		Method code = ReflectionUtils.findMethod(found.getClass(), "getCode");
		return switch ((code != null) ? String.valueOf(ReflectionUtils.invokeMethod(code, found)) : "") {
			case "1", "6" -> DISCONNECTED;
			case "2" -> TIMEOUT;
			case "4" -> String.valueOf(Causes.message(found)).startsWith("No provider ") ? DISCONNECTED : PERMANENT;
			case "5", "8", "11", "12", "13" -> PERMANENT;
			case "7" -> FailureClassification.throttled(RetryCause.OTHER).withPossibleEffect();
			default -> null;
		};
	}

}
