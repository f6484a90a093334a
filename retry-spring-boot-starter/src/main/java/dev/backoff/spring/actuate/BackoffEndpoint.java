package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

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
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show every policy, the methods that use it, the values in effect with their origins,
 * the delays they lead to, and its calls; every budget and every breaker, with its state.
 * It shows no argument, no result, and no message of an exception unless the
 * configuration allows that.
 * <p>
 * With {@code management.endpoint.backoff.access=unrestricted} an operator can change
 * this process: override values, end overrides, move breakers, fill budgets, wake waiting
 * calls, end holds. An invalid request changes nothing and gets a status and a report:
 * 400 in general, 404 for an unknown name, 415 for a body that is no JSON. A name may
 * have any spelling with the same letters and digits.
 */
@WebEndpoint(id = "backoff", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ BackoffDescriptor.class, MethodDescriptor.class, PreviewDescriptor.class,
		ChangeDescriptor.class, WaitersDescriptor.class, RefusalDescriptor.class, ActivityDescriptor.class,
		OtherRetry.class })
class BackoffEndpoint {

	static final EndpointId ID = EndpointId.of("backoff");

	private static final String SHORT = "short";

	private static final String BREAKERS = "breakers";

	private static final String BUDGETS = "budgets";

	private static final int MOST_PREVIEWED = 1_000;

	private static final int METHOD_NOT_ALLOWED = 405;

	private static final int UNSUPPORTED_MEDIA_TYPE = 415;

	private static final Set<String> OWN_PARTS = Set.of("preview", "wake", "pace");

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final OverloadSafety safety;

	private final LiveConfiguration live;

	private final PolicyDescriptions descriptions;

	private final OperatorActions actions;

	private final Map<String, Supplier<Object>> views = new TreeMap<>();

	private final Map<String, EndpointContributor> parts = new TreeMap<>();

	BackoffEndpoint(BackoffPolicies policies, PolicyUses uses, OverloadSafety safety, LiveConfiguration live,
			ActivityDescriptions activity, ActivityView.ThisProcess process, List<EndpointContributor> parts,
			OtherRetries otherRetries) {
		this.policies = policies;
		this.uses = uses;
		this.safety = safety;
		this.live = live;
		this.descriptions = new PolicyDescriptions(policies, uses, safety, live, activity);
		this.actions = new OperatorActions(live, uses, activity.calls());
		ActivityView changing = new ActivityView(this.descriptions, process, this.views.keySet(), this.parts.keySet());
		this.views.put("activity", () -> changing.describe(uses.uses()));
		this.views.put("other-retries", () -> OperationResponseBody.of(Map.of("otherRetries", otherRetries.all())));
		this.views.put(SHORT, () -> describe(true));
		for (EndpointContributor part : parts) {
			if (OWN_PARTS.contains(part.name()) || this.parts.put(part.name(), part) != null) {
				throw OperatorInput.refusal(
						"The part " + part.name() + " of the endpoint (" + part.getClass().getName() + ")",
						"has a name that is taken", "Give it another name.");
			}
		}
	}

	/** Show all policies, budgets and breakers, whole or in a view. */
	@ReadOperation
	Object policies(@Nullable String view) {
		if (view == null) {
			return describe(false);
		}
		Supplier<Object> shown = this.views.get(view);
		if (shown == null) {
			throw unknownView(view, String.join(" or ", this.views.keySet()), "one of them");
		}
		return shown.get();
	}

	private BackoffDescriptor describe(boolean brief) {
		List<PolicyUse> used = this.uses.uses();
		SafetyDescriptions shared = new SafetyDescriptions(this.policies, this.safety, used, brief);
		return new BackoffDescriptor(this.policies.configuration().isEnabled(),
				this.policies.configuration().isRetriesEnabled(), this.descriptions.overrides(),
				this.descriptions.all(used, brief), shared.budgets(), shared.breakers());
	}

	/** Show a policy, or a method by its name in meters and logs. */
	@ReadOperation
	Object policy(@Selector String selectedName, @Nullable String view) {
		boolean brief = SHORT.equals(view);
		if (view != null && !brief) {
			throw unknownView(view, SHORT, "?view=short");
		}
		List<PolicyUse> used = this.uses.uses();
		PolicyDescriptor policy = named(this.descriptions.all(used, brief), selectedName).orElse(null);
		Object found = (policy != null) ? policy : this.descriptions.method(selectedName, used);
		if (found == null) {
			throw unknownPolicy(selectedName);
		}
		return found;
	}

	private static InvalidBackoffException unknownView(String view, String known, String fix) {
		return OperatorInput.refusal("Invalid view (" + Problem.oneLine(view) + ")", "must be " + known,
				"Write " + fix + ", or leave it out.");
	}

	/** Show a breaker or a budget, or the preview of other values of a policy. */
	@ReadOperation
	Object part(@Selector String selectedName, @Selector String selectedPart, OperatorInput input) {
		SafetyDescriptions shared = new SafetyDescriptions(this.policies, this.safety, this.uses.uses(), false);
		return switch (selectedName) {
			case BREAKERS -> ofShared("Breaker", selectedPart, named(shared.breakers(), selectedPart));
			case BUDGETS -> ofShared("Budget", selectedPart, named(shared.budgets(), selectedPart));
			default -> selectedPart.equals("preview") ? preview(known(selectedName), input)
					: part(selectedPart).read(effective(known(selectedName)), input.textsWithout(""));
		};
	}

	private EndpointContributor part(String name) {
		EndpointContributor known = this.parts.get(name);
		if (known == null) {
			throw unknown("Part", name, "Read preview, or write to wake.");
		}
		return known;
	}

	private EffectivePolicy effective(String name) {
		return this.uses.uses()
			.stream()
			.map(PolicyUse::policy)
			.filter((policy) -> policy.name().equals(name))
			.findFirst()
			.orElseGet(() -> this.policies.resolve(name));
	}

	private Object preview(String name, OperatorInput input) {
		Duration unused = input.limit(OperatorActions.FOR);
		Map<String, String> values = input.textsWithout(OperatorActions.FOR);
		String attempts = Overrides.read(name, values).getOrDefault(PolicyKey.MAX_ATTEMPTS, "");
		if (attempts.matches("\\+?\\d{1,18}") && Long.parseLong(attempts) > MOST_PREVIEWED) {
			throw OperatorInput.refusal("Invalid max-attempts of policy " + name + " (" + attempts + ")",
					"must not be above " + MOST_PREVIEWED + " in a preview", "Preview fewer, or unlimited.");
		}
		PolicyResolver candidate = this.live.preview(name, values);
		return this.descriptions.preview(name, candidate, this.uses.uses(candidate, new ArrayList<>()));
	}

	/** Override whether retries are made at all. */
	@WriteOperation
	Object overrideAll(OperatorInput input) {
		return this.actions.overrideAll(input);
	}

	/** Override values of a policy. */
	@WriteOperation
	Object override(@Selector String selectedName, OperatorInput input) {
		return this.actions.override(known(selectedName), input);
	}

	/** Move a breaker, fill a budget, wake a policy's calls, or end its pace's hold. */
	@WriteOperation
	Object operate(@Selector String selectedName, @Selector String selectedPart, OperatorInput input) {
		return switch (selectedName) {
			case BREAKERS -> this.actions
				.breaker(ofShared("Breaker", selectedPart, this.safety.breakers().find(selectedPart)), input);
			case BUDGETS ->
				this.actions.budget(ofShared("Budget", selectedPart, this.safety.budgets().find(selectedPart)), input);
			default -> switch (selectedPart) {
				case "wake" -> this.actions.wake(known(selectedName), input);
				case "pace" -> this.actions.pace(ofShared("Pace of policy", selectedName,
						Optional.ofNullable(this.safety.paces().of(known(selectedName)))), input);
				default -> write(part(selectedPart), known(selectedName), input);
			};
		};
	}

	private Object write(EndpointContributor part, String policy, OperatorInput input) {
		if (!part.isWritable()) {
			throw refused(METHOD_NOT_ALLOWED, "Part " + part.name() + ": is only read.", "Read it.");
		}
		return part.write(effective(policy), input.values());
	}

	/**
	 * Refuse to write without JSON, which a page of another origin cannot send. All other
	 * operations that write read a body, so they consume JSON only.
	 */
	@WriteOperation
	Object withoutJson(@Selector(match = Match.ALL_REMAINING) String... path) {
		throw refused(UNSUPPORTED_MEDIA_TYPE, "The request: has no JSON body.",
				"Send one, such as {}, with Content-Type: application/json.");
	}

	/** End all overrides, or that of whether retries are made. */
	@DeleteOperation
	Object resetAll(OperatorInput input) {
		return this.actions.reset(null, input);
	}

	/** End the overrides of a policy, or one of them. */
	@DeleteOperation
	Object reset(@Selector String selectedName, OperatorInput input) {
		return this.actions.reset(known(selectedName), input);
	}

	private String known(String policy) {
		return this.policies.find(policy).orElseThrow(() -> unknownPolicy(policy));
	}

	private RefusedException unknownPolicy(String name) {
		String near = Nearest.of(name, this.policies.current().names());
		String fix = this.uses.uses()
			.stream()
			.filter((use) -> use.method().equals(name))
			.findFirst()
			.map((use) -> "It is a method of policy " + use.policy().name() + ", so write that.")
			.orElse((near != null) ? "Write " + near + "." : "All policies are at /actuator/backoff.");
		return unknown("Policy", name, fix);
	}

	/* A budget is made at its first use. */
	private static <D> D ofShared(String kind, String name, Optional<D> shown) {
		return shown.orElseThrow(() -> unknown(kind, name, "All that are in use are at /actuator/backoff."));
	}

	private static RefusedException unknown(String kind, String name, String fix) {
		return refused(WebEndpointResponse.STATUS_NOT_FOUND, kind + " " + Problem.oneLine(name) + ": is not known.",
				fix);
	}

	private static RefusedException refused(int status, String message, String fix) {
		return new RefusedException(status, new Problem(message, fix));
	}

	private static <D> Optional<D> named(Map<String, D> described, String name) {
		Name wanted = Name.of(name);
		return described.entrySet()
			.stream()
			.filter((entry) -> wanted.is(entry.getKey()))
			.findFirst()
			.map(Map.Entry::getValue);
	}

	/** Everything that the endpoint shows, by name. */
	record BackoffDescriptor(boolean enabled, boolean retriesEnabled, Map<String, OverrideDescriptor> overrides,
			Map<String, PolicyDescriptor> policies, Map<String, BudgetDescriptor> budgets,
			Map<String, BreakerDescriptor> breakers) implements OperationResponseBody {
	}

	/** A request that is refused with a status. */
	static final class RefusedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		final int status;

		final transient Problem problem;

		RefusedException(int status, Problem problem) {
			super(problem.toString());
			this.status = status;
			this.problem = problem;
		}

	}

	/** The problems for which a request was refused, and how to correct them. */
	record RefusalDescriptor(List<Problem> problems) implements OperationResponseBody {
	}

}
