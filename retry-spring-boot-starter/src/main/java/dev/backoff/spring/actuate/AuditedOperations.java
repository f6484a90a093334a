package dev.backoff.spring.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

import dev.backoff.spring.actuate.OperatorActions.ChangeDescriptor;
import dev.backoff.spring.actuate.OperatorActions.WaitersDescriptor;

/**
 * Publish an {@link AuditApplicationEvent} of the type {@value #TYPE} for each write at
 * the endpoint that was carried out. Its principal is that of the request, or empty. Its
 * data has {@code changes}, a list of maps with {@code what}, {@code before} and
 * {@code after}.
 */
final class AuditedOperations implements OperationInvokerAdvisor {

	/** The type of the events: {@value}. */
	static final String TYPE = "BACKOFF_CHANGE";

	private static final Logger logger = LoggerFactory.getLogger(AuditedOperations.class);

	private final ApplicationEventPublisher publisher;

	AuditedOperations(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpoint.equals(BackoffEndpoint.ID) || type == OperationType.READ) {
			return invoker;
		}
		return (context) -> {
			Object answer = invoker.invoke(context);
			Object body = (answer instanceof WebEndpointResponse<?> response) ? response.getBody() : null;
			if (body instanceof ChangeDescriptor change) {
				publish(context, change.changes().stream().map(AuditedOperations::entry).toList());
			}
			else if (body instanceof WaitersDescriptor waiters) {
				publish(context, List.of(entry("waiting calls of policy " + waiters.policy(),
						waiters.calls() + " waiting", waiters.calls() + " woken")));
			}
			return answer;
		};
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

	private static Map<String, String> entry(OperatorActions.ValueChangeDescriptor change) {
		return entry(change.subject() + ": " + change.key(), text(change.before()), text(change.now()));
	}

	private static Map<String, String> entry(String what, String before, String after) {
		Map<String, String> entry = new LinkedHashMap<>();
		entry.put("what", what);
		entry.put("before", before);
		entry.put("after", after);
		return entry;
	}

	private static String text(@Nullable ValueDescriptor value) {
		return (value != null) ? value.value() : "none";
	}

}
