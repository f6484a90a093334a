package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.CallRegistry;
import dev.backoff.spring.actuate.ActivityView.ActivityDescriptor;
import dev.backoff.spring.actuate.BackoffEndpoint.BackoffDescriptor;
import dev.backoff.spring.actuate.BackoffEndpoint.RefusalDescriptor;
import dev.backoff.spring.actuate.OperatorActions.ChangeDescriptor;
import dev.backoff.spring.actuate.OperatorActions.WaitersDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.MethodDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.OverrideDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.PolicyDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.PreviewDescriptor;
import dev.backoff.spring.actuate.SafetyDescriptions.BreakerDescriptor;
import dev.backoff.spring.actuate.SafetyDescriptions.BudgetDescriptor;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.StoppedCalls;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Nearest;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyKey;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show every policy, the methods that use it, the values in effect with their origins,
 * the delays they lead to, and its calls; every budget and every breaker, with its state.
 * It shows no argument, no result, and no message of an exception unless the
 * configuration allows that.
 * <p>
 * With {@code management.endpoint.backoff.access=unrestricted} an operator can change
 * this process: override values, end overrides, move breakers, fill budgets, wake waiting
 * calls. An invalid request changes nothing and is answered with a report and status 400,
 * an unknown name with 404. A name may have any spelling with the same letters and
 * digits. This file is long because the operations of an endpoint are methods of one
 * class.
 *
 * @since 0.1
 */
@Endpoint(id = "backoff", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ BackoffDescriptor.class, MethodDescriptor.class, PreviewDescriptor.class,
		ChangeDescriptor.class, WaitersDescriptor.class, RefusalDescriptor.class, ActivityDescriptor.class,
		OtherRetriesDescriptor.class })
public class BackoffEndpoint {

	static final EndpointId ID = EndpointId.of("backoff");

	private static final String SHORT = "short";

	private static final String BREAKERS = "breakers";

	private static final String BUDGETS = "budgets";

	private static final int MOST_PREVIEWED = 1_000;

	private static final int METHOD_NOT_ALLOWED = 405;

	private static final Set<String> OWN_PARTS = Set.of("preview", "wake");

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final OverloadSafety safety;

	private final LiveConfiguration live;

	private final PolicyDescriptions descriptions;

	private final OperatorActions actions;

	private final Map<String, Supplier<Object>> views = new TreeMap<>();

	private final Map<String, EndpointPart> parts = new TreeMap<>();

	/**
	 * Create the endpoint.
	 * @param policies resolves policies
	 * @param uses the annotated methods known so far
	 * @param safety the budgets and breakers
	 * @param live changes the configuration
	 * @param calls the calls that wait and run
	 * @param statistics the counted calls, or null if calls are not counted
	 * @param stopped the calls that stopped, or null if they are not kept
	 * @param process what is told about the process
	 * @param parts the parts of other modules
	 * @param otherRetries looks for other retries
	 * @throws InvalidBackoffException if two parts have one name, or one has a name of
	 * this endpoint
	 */
	public BackoffEndpoint(BackoffPolicies policies, PolicyUses uses, OverloadSafety safety, LiveConfiguration live,
			CallRegistry calls, @Nullable CallStatistics statistics, @Nullable StoppedCalls stopped,
			ThisProcess process, List<EndpointPart> parts, OtherRetries otherRetries) {
		this.policies = policies;
		this.uses = uses;
		this.safety = safety;
		this.live = live;
		this.descriptions = new PolicyDescriptions(policies, uses, safety, live,
				new ActivityDescriptions(calls, statistics, stopped));
		this.actions = new OperatorActions(live, uses, calls);
		ActivityView activity = new ActivityView(this.descriptions, process, this.views.keySet(), this.parts.keySet());
		this.views.put("activity", () -> live.look(() -> activity.describe(uses.uses())));
		this.views.put("other-retries", () -> new OtherRetriesDescriptor(otherRetries.all()));
		this.views.put(SHORT, () -> live.look(() -> describe(true)));
		for (EndpointPart part : parts) {
			if (OWN_PARTS.contains(part.name()) || this.parts.put(part.name(), part) != null) {
				throw Written.refusal(
						"The part " + part.name() + " of the endpoint (" + part.getClass().getName() + ")",
						"has a name that is taken", "Give it another name.");
			}
		}
	}

	/** Show all policies, budgets and breakers, whole or in a view. */
	@ReadOperation
	WebEndpointResponse<@Nullable Object> policies(@Nullable String view) {
		return answer(() -> {
			if (view == null) {
				return this.live.look(() -> describe(false));
			}
			Supplier<Object> shown = this.views.get(view);
			if (shown == null) {
				throw unknownView(view, String.join(" or ", this.views.keySet()), "one of them");
			}
			return shown.get();
		});
	}

	private BackoffDescriptor describe(boolean brief) {
		List<PolicyUse> used = this.uses.uses();
		SafetyDescriptions shared = new SafetyDescriptions(this.policies, this.safety, used, brief);
		Map<String, PolicyDescriptor> described = this.descriptions.all(used);
		if (brief) {
			described.replaceAll((name, policy) -> policy.written());
		}
		return new BackoffDescriptor(this.policies.configuration().isEnabled(),
				this.policies.configuration().isRetriesEnabled(), this.descriptions.overrides(), described,
				shared.budgets(), shared.breakers());
	}

	/** Show a policy, or a method by its name in meters and logs. */
	@ReadOperation
	WebEndpointResponse<@Nullable Object> policy(@Selector String selectedName, @Nullable String view) {
		WebEndpointResponse<@Nullable Object> found = answer(() -> {
			boolean brief = SHORT.equals(view);
			if (view != null && !brief) {
				throw unknownView(view, SHORT, "?view=short");
			}
			return this.live.look(() -> {
				List<PolicyUse> used = this.uses.uses();
				PolicyDescriptor policy = named(this.descriptions.all(used), selectedName);
				return (policy == null) ? this.descriptions.method(selectedName, used)
						: brief ? policy.written() : policy;
			});
		});
		return (found.getBody() != null) ? found : unknownPolicy(selectedName);
	}

	private static InvalidBackoffException unknownView(String view, String known, String fix) {
		return Written.refusal("Invalid view (" + Overrides.oneLine(view) + ")", "must be " + known,
				"Write " + fix + ", or leave it out.");
	}

	/** Show a breaker or a budget, or the preview of other values of a policy. */
	@ReadOperation
	WebEndpointResponse<@Nullable Object> part(@Selector String selectedName, @Selector String selectedPart,
			@Nullable Map<String, Object> written) {
		SafetyDescriptions shared = new SafetyDescriptions(this.policies, this.safety, this.uses.uses(), false);
		return switch (selectedName) {
			case BREAKERS -> ofShared("Breaker", selectedPart, named(shared.breakers(), selectedPart));
			case BUDGETS -> ofShared("Budget", selectedPart, named(shared.budgets(), selectedPart));
			default -> selectedPart.equals("preview")
					? ofPolicy(selectedName, (name) -> preview(name, new Written(written))) : ofPart(selectedName,
							selectedPart, (part, policy) -> part.read(policy, new Written(written).rest()));
		};
	}

	private WebEndpointResponse<@Nullable Object> ofPart(String name, String part,
			BiFunction<EndpointPart, EffectivePolicy, Object> action) {
		EndpointPart known = this.parts.get(part);
		if (known == null) {
			return unknownPart(part);
		}
		try {
			return ofPolicy(name, (found) -> action.apply(known, effective(found)));
		}
		catch (UnsupportedOperationException ex) {
			return new WebEndpointResponse<>(null, METHOD_NOT_ALLOWED);
		}
	}

	private EffectivePolicy effective(String name) {
		return this.uses.uses()
			.stream()
			.map(PolicyUse::policy)
			.filter((policy) -> policy.name().equals(name))
			.findFirst()
			.orElseGet(() -> this.policies.resolve(name));
	}

	private @Nullable Object preview(String name, Written written) {
		Duration unused = written.takeLimit(OperatorActions.FOR);
		Map<String, String> values = written.rest();
		String attempts = Overrides.read(name, values).getOrDefault(PolicyKey.MAX_ATTEMPTS, "");
		if (attempts.matches("\\d{1,18}") && Long.parseLong(attempts) > MOST_PREVIEWED) {
			throw Written.refusal("Invalid max-attempts of policy " + name + " (" + attempts + ")",
					"must not be above " + MOST_PREVIEWED + " in a preview", "Preview fewer, or unlimited.");
		}
		BackoffPolicies.Candidate candidate = this.live.preview(name, values);
		return this.descriptions.preview(name, candidate, this.uses.uses(candidate, new ArrayList<>()));
	}

	/** Override whether retries are made at all. */
	@WriteOperation
	WebEndpointResponse<@Nullable Object> overrideAll(@Nullable Map<String, Object> written) {
		return answer(() -> this.actions.overrideAll(new Written(written)));
	}

	/** Override values of a policy. */
	@WriteOperation
	WebEndpointResponse<@Nullable Object> override(@Selector String selectedName,
			@Nullable Map<String, Object> written) {
		return ofPolicy(selectedName, (name) -> this.actions.override(name, new Written(written)));
	}

	/** Move a breaker, fill a budget, or wake the waiting calls of a policy. */
	@WriteOperation
	WebEndpointResponse<@Nullable Object> operate(@Selector String selectedName, @Selector String selectedPart,
			@Nullable Map<String, Object> written) {
		return switch (selectedName) {
			case BREAKERS -> this.safety.breakers()
				.find(selectedPart)
				.map((breaker) -> answer(() -> this.actions.breaker(breaker, new Written(written))))
				.orElseGet(() -> ofShared("Breaker", selectedPart, null));
			case BUDGETS -> this.safety.budgets()
				.find(selectedPart)
				.map((budget) -> answer(() -> this.actions.budget(budget, new Written(written))))
				.orElseGet(() -> ofShared("Budget", selectedPart, null));
			default -> switch (selectedPart) {
				case "wake" -> ofPolicy(selectedName, (name) -> this.actions.wake(name, new Written(written)));
				default -> ofPart(selectedName, selectedPart,
						(part, policy) -> part.write(policy, (written != null) ? written : Map.<String, Object>of()));
			};
		};
	}

	/** Accept waking without a body. */
	@WriteOperation
	WebEndpointResponse<@Nullable Object> operateAtOnce(@Selector String selectedName, @Selector String selectedPart) {
		return operate(selectedName, selectedPart, null);
	}

	/** End all overrides. */
	@DeleteOperation
	WebEndpointResponse<@Nullable Object> resetAll() {
		return answer(() -> this.actions.reset(null));
	}

	/** End the overrides of a policy. */
	@DeleteOperation
	WebEndpointResponse<@Nullable Object> reset(@Selector String selectedName) {
		return ofPolicy(selectedName, this.actions::reset);
	}

	private WebEndpointResponse<@Nullable Object> ofPolicy(String name, Function<String, @Nullable Object> action) {
		Optional<String> known = this.policies.find(name);
		return known.isPresent() ? answer(() -> action.apply(known.get())) : unknownPolicy(name);
	}

	private WebEndpointResponse<@Nullable Object> unknownPolicy(String name) {
		String near = Nearest.of(name, this.policies.current().names());
		String fix = this.uses.uses()
			.stream()
			.filter((use) -> use.method().equals(name))
			.findFirst()
			.map((use) -> "It is a method of policy " + use.policy().name() + ", so write that.")
			.orElse((near != null) ? "Write " + near + "." : "All policies are at /actuator/backoff.");
		return unknown("Policy", name, fix);
	}

	private static WebEndpointResponse<@Nullable Object> unknownPart(String part) {
		return unknown("Part", part, "Read preview, or write to wake.");
	}

	/* A budget is made at its first use, and another library's breaker is not moved. */
	private static WebEndpointResponse<@Nullable Object> ofShared(String kind, String name, @Nullable Object shown) {
		return (shown != null) ? new WebEndpointResponse<>(shown)
				: unknown(kind, name, "All that are in use are at /actuator/backoff.");
	}

	private static WebEndpointResponse<@Nullable Object> unknown(String kind, String name, String fix) {
		ProblemDescriptor problem = new ProblemDescriptor(kind + " " + Overrides.oneLine(name) + ": is not known.",
				fix);
		return new WebEndpointResponse<>(new RefusalDescriptor(List.of(problem)), WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<@Nullable Object> answer(Supplier<@Nullable Object> action) {
		try {
			Object answer = action.get();
			return (answer instanceof WebEndpointResponse<?> response) ? asIs(response)
					: new WebEndpointResponse<>(answer);
		}
		catch (InvalidBackoffException ex) {
			List<ProblemDescriptor> problems = ex.problems()
				.stream()
				.map((problem) -> new ProblemDescriptor(problem.message(), problem.fix()))
				.toList();
			return new WebEndpointResponse<>(new RefusalDescriptor(problems), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
	}

	@SuppressWarnings("unchecked") // a body of any type
	private static WebEndpointResponse<@Nullable Object> asIs(WebEndpointResponse<?> response) {
		return (WebEndpointResponse<@Nullable Object>) response;
	}

	private static <D> @Nullable D named(Map<String, D> described, String name) {
		String wanted = BackoffPolicies.canonicalName(name);
		return described.entrySet()
			.stream()
			.filter((entry) -> BackoffPolicies.canonicalName(entry.getKey()).equals(wanted))
			.findFirst()
			.map(Map.Entry::getValue)
			.orElse(null);
	}

	/** Everything that the endpoint shows, by name. */
	record BackoffDescriptor(boolean enabled, boolean retriesEnabled, Map<String, OverrideDescriptor> overrides,
			Map<String, PolicyDescriptor> policies, Map<String, BudgetDescriptor> budgets,
			Map<String, BreakerDescriptor> breakers) implements OperationResponseBody {
	}

	/** The problems for which a request was refused, and how to correct them. */
	record RefusalDescriptor(List<ProblemDescriptor> problems) implements OperationResponseBody {
	}

	record ProblemDescriptor(String message, String fix) {
	}

}
