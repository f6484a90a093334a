package dev.backoff.spring.actuate;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import dev.backoff.spring.actuate.BackoffEndpoint.RefusalDescriptor;
import dev.backoff.spring.configuration.InvalidBackoffException;

/**
 * Answer refused requests over HTTP with a status: 400 and a report for an invalid one,
 * 404 for an unknown name, 415 for a body that is no JSON.
 */
@EndpointWebExtension(endpoint = BackoffEndpoint.class)
class BackoffEndpointWebExtension {

	private final BackoffEndpoint endpoint;

	BackoffEndpointWebExtension(BackoffEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	@ReadOperation
	WebEndpointResponse<@Nullable Object> policies(@Nullable String view) {
		return answer(() -> this.endpoint.policies(view));
	}

	@ReadOperation
	WebEndpointResponse<@Nullable Object> policy(@Selector String selectedName, @Nullable String view) {
		return answer(() -> this.endpoint.policy(selectedName, view));
	}

	@ReadOperation
	WebEndpointResponse<@Nullable Object> part(@Selector String selectedName, @Selector String selectedPart,
			OperatorInput input) {
		return answer(() -> this.endpoint.part(selectedName, selectedPart, input));
	}

	@WriteOperation
	WebEndpointResponse<@Nullable Object> overrideAll(OperatorInput input) {
		return answer(() -> this.endpoint.overrideAll(input));
	}

	@WriteOperation
	WebEndpointResponse<@Nullable Object> override(@Selector String selectedName, OperatorInput input) {
		return answer(() -> this.endpoint.override(selectedName, input));
	}

	@WriteOperation
	WebEndpointResponse<@Nullable Object> operate(@Selector String selectedName, @Selector String selectedPart,
			OperatorInput input) {
		return answer(() -> this.endpoint.operate(selectedName, selectedPart, input));
	}

	/* All others read a body, so they consume JSON only. */
	@WriteOperation
	WebEndpointResponse<@Nullable Object> withoutJson(@Selector(match = Match.ALL_REMAINING) String... path) {
		return answer(this.endpoint::refuseOtherBodies);
	}

	@DeleteOperation
	WebEndpointResponse<@Nullable Object> resetAll(OperatorInput input) {
		return answer(() -> this.endpoint.resetAll(input));
	}

	@DeleteOperation
	WebEndpointResponse<@Nullable Object> reset(@Selector String selectedName, OperatorInput input) {
		return answer(() -> this.endpoint.reset(selectedName, input));
	}

	private static WebEndpointResponse<@Nullable Object> answer(Supplier<Object> action) {
		try {
			return new WebEndpointResponse<>(action.get());
		}
		catch (InvalidBackoffException ex) {
			return new WebEndpointResponse<>(new RefusalDescriptor(ex.problems()),
					WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (BackoffEndpoint.RefusedException ex) {
			return new WebEndpointResponse<>(ex.body, ex.status);
		}
	}

}
