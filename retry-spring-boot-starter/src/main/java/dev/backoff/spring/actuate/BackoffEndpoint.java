package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.WaitingCalls;
import dev.backoff.spring.actuate.BackoffDescriptor.PolicyDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.ProblemDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.RefusalDescriptor;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.StoppedCalls;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show every policy, the methods that use it, the values in effect with their origins,
 * the delays they lead to, and what its calls do; every budget and every breaker, with
 * its state. It shows no argument, no result, and no message of an exception unless the
 * configuration allows that.
 * <p>
 * With {@code management.endpoint.backoff.access=unrestricted} an operator can change
 * what holds in this process: override values, end overrides, move breakers, fill
 * budgets, wake or stop waiting calls. What is wrong changes nothing and is answered with
 * a report and status 400; an unknown name with 404.
 *
 * @since 0.1
 */
@Endpoint(id = "backoff", defaultAccess = Access.READ_ONLY)
public class BackoffEndpoint {

	static final EndpointId ID = EndpointId.of("backoff");

	private static final String BREAKERS = "breakers";

	private static final String BUDGETS = "budgets";

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final OverloadSafety safety;

	private final LiveConfiguration live;

	private final PolicyDescriptions descriptions;

	private final OperatorActions actions;

	/**
	 * Make the endpoint.
	 * @param policies resolves policies
	 * @param uses tells the annotated methods known so far
	 * @param safety has budgets and breakers
	 * @param live changes what holds
	 * @param waiting the calls that wait
	 * @param statistics counts calls, or null if nobody does
	 * @param stopped keeps the calls that stopped, or null if nobody does
	 */
	public BackoffEndpoint(BackoffPolicies policies, PolicyUses uses, OverloadSafety safety, LiveConfiguration live,
			WaitingCalls waiting, @Nullable CallStatistics statistics, @Nullable StoppedCalls stopped) {
		this.policies = policies;
		this.uses = uses;
		this.safety = safety;
		this.live = live;
		this.descriptions = new PolicyDescriptions(policies, safety, live,
				new ActivityDescriptions(waiting, statistics, stopped));
		this.actions = new OperatorActions(live, uses, safety, waiting);
	}

	/**
	 * Show all policies, budgets and breakers.
	 * @return each of them by name
	 */
	@ReadOperation
	public BackoffDescriptor policies() {
		return this.live.look(this::all);
	}

	private BackoffDescriptor all() {
		List<PolicyUse> used = this.uses.uses();
		SafetyDescription shared = new SafetyDescription(this.policies, this.safety, used);
		return new BackoffDescriptor(this.policies.configuration().isEnabled(),
				this.policies.configuration().isRetriesEnabled(), this.descriptions.overrides(),
				this.descriptions.all(used), shared.budgets(), shared.breakers());
	}

	/**
	 * Show one policy, or one method.
	 * @param selectedName the policy's name, in any spelling with the same letters and
	 * digits, or the method as meters and logs call it
	 * @return the policy or the method, or null if there is none of that name
	 */
	@ReadOperation
	public @Nullable Object policy(@Selector String selectedName) {
		return this.live.look(() -> one(selectedName));
	}

	private @Nullable Object one(String selectedName) {
		List<PolicyUse> used = this.uses.uses();
		PolicyDescriptor policy = this.descriptions.policy(selectedName, used);
		return (policy != null) ? policy : this.descriptions.method(selectedName, used);
	}

	/**
	 * Show one breaker or budget, or what other values of a policy would lead to.
	 * @param selectedName {@code breakers}, {@code budgets}, or the name of a policy
	 * @param selectedPart the name of a breaker or budget, or {@code preview}
	 * @param written for a preview, values by key
	 * @return what was asked for, or 404, or 400 with a report
	 */
	@ReadOperation
	public WebEndpointResponse<@Nullable Object> part(@Selector String selectedName, @Selector String selectedPart,
			@Nullable Map<String, Object> written) {
		SafetyDescription shared = new SafetyDescription(this.policies, this.safety, this.uses.uses());
		return switch (selectedName) {
			case BREAKERS -> answer(() -> named(shared.breakers(), selectedPart));
			case BUDGETS -> answer(() -> named(shared.budgets(), selectedPart));
			default -> selectedPart.equals("preview")
					? ofPolicy(selectedName, (name) -> preview(name, new Written(written))) : answer(() -> null);
		};
	}

	private @Nullable Object preview(String name, Written written) {
		Duration unused = written.takeLimit(OperatorActions.FOR);
		BackoffPolicies.Candidate candidate = this.live.preview(name, written.rest());
		return this.descriptions.preview(name, candidate, this.uses.uses(candidate, new ArrayList<>()));
	}

	/**
	 * Override, for this process, whether retries are made at all.
	 * @param written {@code retries-enabled}, and {@code for}, how long it holds
	 * @return what has changed, or 400 with a report
	 */
	@WriteOperation
	public WebEndpointResponse<@Nullable Object> overrideAll(@Nullable Map<String, Object> written) {
		return answer(() -> this.actions.overrideAll(new Written(written)));
	}

	/**
	 * Override values of a policy for this process.
	 * @param selectedName the policy's name
	 * @param written values by key, and {@code for}, how long they hold
	 * @return what has changed, or 404, or 400 with a report
	 */
	@WriteOperation
	public WebEndpointResponse<@Nullable Object> override(@Selector String selectedName,
			@Nullable Map<String, Object> written) {
		return ofPolicy(selectedName, (name) -> this.actions.override(name, new Written(written)));
	}

	/**
	 * Move a breaker, fill a budget, or wake or stop the waiting calls of a policy.
	 * @param selectedName {@code breakers}, {@code budgets}, or the name of a policy
	 * @param selectedPart the name of a breaker or budget, or {@code wake} or
	 * {@code stop}
	 * @param written for a breaker its {@code state}, for a budget {@code reset}, for
	 * calls to wake {@code over}, the time over which they are spread
	 * @return what has changed, or 404, or 400 with a report
	 */
	@WriteOperation
	public WebEndpointResponse<@Nullable Object> operate(@Selector String selectedName, @Selector String selectedPart,
			@Nullable Map<String, Object> written) {
		return switch (selectedName) {
			case BREAKERS -> answer(() -> this.actions.breaker(selectedPart, new Written(written)));
			case BUDGETS -> answer(() -> this.actions.budget(selectedPart, new Written(written)));
			default -> switch (selectedPart) {
				case "wake" -> ofPolicy(selectedName, (name) -> this.actions.wake(name, new Written(written)));
				case "stop" -> ofPolicy(selectedName, (name) -> this.actions.stop(name, new Written(written)));
				default -> answer(() -> null);
			};
		};
	}

	/**
	 * The same without a body, so that it needs none: for waking and stopping, which may
	 * say nothing more.
	 * @param selectedName the name of a policy
	 * @param selectedPart {@code wake} or {@code stop}
	 * @return what has changed, or 404, or 400 with a report
	 */
	@WriteOperation
	public WebEndpointResponse<@Nullable Object> operateAtOnce(@Selector String selectedName,
			@Selector String selectedPart) {
		return operate(selectedName, selectedPart, null);
	}

	/**
	 * End all overrides.
	 * @return what has changed
	 */
	@DeleteOperation
	public WebEndpointResponse<@Nullable Object> resetAll() {
		return answer(() -> this.actions.reset(null));
	}

	/**
	 * End the overrides of a policy.
	 * @param selectedName the policy's name
	 * @return what has changed, or 404
	 */
	@DeleteOperation
	public WebEndpointResponse<@Nullable Object> reset(@Selector String selectedName) {
		return ofPolicy(selectedName, this.actions::reset);
	}

	private WebEndpointResponse<@Nullable Object> ofPolicy(String name, Function<String, @Nullable Object> action) {
		Optional<String> known = this.policies.find(name);
		return known.isPresent() ? answer(() -> action.apply(known.get())) : unknownPolicy(name);
	}

	private WebEndpointResponse<@Nullable Object> unknownPolicy(String name) {
		String fix = this.uses.uses()
			.stream()
			.filter((use) -> use.method().equals(name))
			.findFirst()
			.map((use) -> "It is a method of policy " + use.policy().name() + ", so write that.")
			.orElse("All policies are at /actuator/backoff.");
		return new WebEndpointResponse<>(
				new RefusalDescriptor(
						List.of(new ProblemDescriptor("Policy " + Overrides.oneLine(name) + ": is not known.", fix))),
				WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<@Nullable Object> answer(Supplier<@Nullable Object> action) {
		try {
			Object body = action.get();
			return (body != null) ? new WebEndpointResponse<>(body)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (InvalidBackoffException ex) {
			return new WebEndpointResponse<>(new RefusalDescriptor(ex.problems()
				.stream()
				.map((problem) -> new ProblemDescriptor(problem.message(), problem.fix()))
				.toList()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
	}

	private static @Nullable Object named(Map<String, ?> described, String name) {
		String wanted = BackoffPolicies.canonicalName(name);
		return described.entrySet()
			.stream()
			.filter((entry) -> BackoffPolicies.canonicalName(entry.getKey()).equals(wanted))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

}
