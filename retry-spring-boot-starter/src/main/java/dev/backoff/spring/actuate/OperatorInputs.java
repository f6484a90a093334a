package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

import dev.backoff.spring.configuration.Overrides;

/**
 * Give an operation of the endpoint all arguments that have no parameter, as one
 * {@link OperatorInput}. Its keys are those of a configuration, such as
 * {@code max-attempts} or {@code for}, which cannot be names of Java parameters.
 */
final class OperatorInputs implements OperationInvokerAdvisor {

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpoint.equals(BackoffEndpoint.ID)) {
			return invoker;
		}
		Set<String> names = parameters.stream().map(OperationParameter::getName).collect(Collectors.toSet());
		String input = parameters.stream()
			.filter((parameter) -> parameter.getType() == OperatorInput.class)
			.map(OperationParameter::getName)
			.findFirst()
			.orElse(null);
		if (input != null) {
			return (context) -> invoker.invoke(withInput(context, names, input));
		}
		return (type == OperationType.READ) ? invoker : (context) -> invoker.invoke(complete(context, names));
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

	private static InvocationContext withInput(InvocationContext context, Set<String> names, String input) {
		Map<String, @Nullable Object> values = new LinkedHashMap<>(context.getArguments());
		values.keySet().removeAll(names);
		Object argument = context.getArguments().get(input);
		if (argument instanceof Map<?, ?> map) {
			// over JMX all arguments come in one map
			map.forEach((key, value) -> values.put(String.valueOf(key), value));
		}
		else if (argument != null) {
			values.put(input, argument);
		}
		SecurityContext security = context.resolveArgument(SecurityContext.class);
		return new InvocationContext((security != null) ? security : SecurityContext.NONE, context.getArguments(),
				OperationArgumentResolver.of(OperatorInput.class, () -> new OperatorInput(values)));
	}

}
