package dev.backoff.spring.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

import dev.backoff.spring.actuate.BackoffEndpoint.RefusalDescriptor;
import dev.backoff.spring.actuate.OperatorActions.ChangeDescriptor;
import dev.backoff.spring.actuate.OperatorActions.WaitersDescriptor;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.ValueChange;

/**
 * Give an operation of the endpoint all arguments that have no parameter, as one
 * {@link OperatorInput}. Its keys are those of a configuration, such as
 * {@code max-attempts} or {@code for}, which cannot be names of Java parameters. Answer a
 * request that is refused with its status.
 * <p>
 * Publish an {@link AuditApplicationEvent} of the type {@value #TYPE} for each write that
 * was carried out. Its principal is that of the request, or empty. Its data has
 * {@code changes}, a list of maps with {@code what}, {@code before} and {@code after}.
 */
record OperatorRequests(ApplicationEventPublisher publisher) implements OperationInvokerAdvisor {

	/** The type of the events: {@value}. */
	static final String TYPE = "BACKOFF_CHANGE";

	private static final Logger logger = LoggerFactory.getLogger(OperatorRequests.class);

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpoint.equals(BackoffEndpoint.ID)) {
			return invoker;
		}
		Set<String> names = parameters.stream()
			.filter((parameter) -> parameter.getType() != OperatorInput.class)
			.map(OperationParameter::getName)
			.collect(Collectors.toSet());
		boolean hasInput = names.size() < parameters.getParameterCount();
		return (context) -> {
			try {
				Object answer = invoker.invoke(hasInput ? withInput(context, names) : context);
				publish(context, answer);
				return answer;
			}
			catch (InvalidBackoffException ex) {
				return refusal(WebEndpointResponse.STATUS_BAD_REQUEST, ex.problems());
			}
			catch (BackoffEndpoint.RefusedException ex) {
				return refusal(ex.status, List.of(ex.problem));
			}
		};
	}

	private static WebEndpointResponse<RefusalDescriptor> refusal(int status, List<Problem> problems) {
		return new WebEndpointResponse<>(new RefusalDescriptor(problems), status);
	}

	private static InvocationContext withInput(InvocationContext context, Set<String> names) {
		Map<String, @Nullable Object> values = new LinkedHashMap<>(context.getArguments());
		values.keySet().removeAll(names);
		SecurityContext security = context.resolveArgument(SecurityContext.class);
		return new InvocationContext((security != null) ? security : SecurityContext.NONE, context.getArguments(),
				OperationArgumentResolver.of(OperatorInput.class, () -> new OperatorInput(values)));
	}

	private void publish(InvocationContext context, @Nullable Object answer) {
		if (answer instanceof ChangeDescriptor change) {
			publish(context, change.changes().stream().map(OperatorRequests::entry).toList());
		}
		else if (answer instanceof WaitersDescriptor waiters) {
			publish(context, List.of(entry("waiting calls of policy " + waiters.policy(), waiters.calls() + " waiting",
					waiters.calls() + " woken")));
		}
	}

	private void publish(InvocationContext context, List<Map<String, String>> changes) {
		SecurityContext security = context.resolveArgument(SecurityContext.class);
		Principal principal = (security != null) ? security.getPrincipal() : null;
		try {
			this.publisher.publishEvent(new AuditApplicationEvent(
					new AuditEvent((principal != null) ? principal.getName() : "", TYPE, Map.of("changes", changes))));
		}
		catch (RuntimeException ex) {
			// the change is in effect, so its answer must not say that it failed
			logger.warn("Cannot publish the audit event of {}", changes, ex);
		}
	}

	private static Map<String, String> entry(ValueChange change) {
		return entry(change.subject() + ": " + change.key(), text(change.before()), text(change.now()));
	}

	private static Map<String, String> entry(String what, String before, String after) {
		Map<String, String> entry = new LinkedHashMap<>();
		entry.put("what", what);
		entry.put("before", before);
		entry.put("after", after);
		return entry;
	}

	private static String text(@Nullable EffectiveValue value) {
		return (value != null) ? value.value() : "none";
	}

}
