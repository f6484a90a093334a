package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

import dev.backoff.spring.configuration.Overrides;

/**
 * Pass all arguments of a request to the endpoint, in one map. Its keys are those of a
 * configuration, such as {@code max-attempts} or {@code for}, which cannot be names of
 * Java parameters, and an unknown key is an error instead of being ignored.
 *
 * @since 0.1
 */
public final class WrittenArguments implements OperationInvokerAdvisor {

	/** The parameter for all arguments without a parameter of their own. */
	static final String WRITTEN = "written";

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		Set<String> names = parameters.stream().map(OperationParameter::getName).collect(Collectors.toSet());
		if (!endpoint.equals(BackoffEndpoint.ID) || (type == OperationType.READ && !names.contains(WRITTEN))) {
			return invoker;
		}
		return (context) -> invoker
			.invoke(names.contains(WRITTEN) ? collected(context, names) : complete(context, names));
	}

	/* Refuse arguments in a query, which would be ignored. */
	private static InvocationContext complete(InvocationContext context, Set<String> names) {
		for (String name : context.getArguments().keySet()) {
			if (!names.contains(name)) {
				throw new InvalidEndpointRequestException("Unexpected argument " + Overrides.oneLine(name),
						"What is written here has to be JSON, with Content-Type: application/json");
			}
		}
		return context;
	}

	private static InvocationContext collected(InvocationContext context, Set<String> names) {
		Map<String, Object> arguments = new LinkedHashMap<>();
		Map<String, Object> written = new LinkedHashMap<>();
		context.getArguments().forEach((name, argument) -> {
			if (!name.equals(WRITTEN)) {
				(names.contains(name) ? arguments : written).put(name, argument);
			}
			else if (argument instanceof Map<?, ?> map) {
				// over JMX all arguments come in one map
				map.forEach((key, value) -> written.put(String.valueOf(key), value));
			}
			else if (argument != null) {
				written.put(name, argument);
			}
		});
		arguments.put(WRITTEN, written);
		SecurityContext security = context.resolveArgument(SecurityContext.class);
		return new InvocationContext((security != null) ? security : SecurityContext.NONE, arguments);
	}

}
