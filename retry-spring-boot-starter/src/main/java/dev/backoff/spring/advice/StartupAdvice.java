package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;

import dev.backoff.OutboundRequest;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level.Kind;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyAdvice;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Start-up advice: it names settings that work but are probably a mistake, as
 * {@link PolicyAdvice} does. The advice is logged once and shown at the endpoint.
 * Thread-safe.
 */
record StartupAdvice(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory, @Nullable Weaving weaving,
		SelfCalls selfCalls) {

	private static final Logger logger = LoggerFactory.getLogger(StartupCheck.class);

	private static final long LONG_WAIT = 10_000_000_000L;

	private static final long HOUR = 3_600_000_000_000L;

	private static final String OTHER_LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimit";

	private static final String OTHER_RATE = "io.github.resilience4j.ratelimiter.annotation.RateLimiter";

	private static final String LOCKS = "net.javacrumbs.shedlock.spring.annotation.";

	/** Log what is odd in the configuration and in the plans of all methods. */
	void log(List<MethodPlan> plans) {
		this.policies.configuration().warnings().forEach((warning) -> logger.warn("Ignored: {}", warning));
		advise(plans);
		// the arguments of a durable call are read anew for each attempt
		warn("The first attempt uses up an argument or writes into it, so that later ones may read or change nothing, "
				+ "or write again, and succeed: {}; make it inside the method, pass bytes or the id, or return the content",
				plans, (plan) -> !plan.policy().isDurable() && UsedUpArguments.areIn(plan.method()));
		warn("An attempt that @SchedulerLock skips counts as a success: {}; add order = BackoffAdvisor.ORDER - 1 to "
				+ "@EnableSchedulerLock, so that one lock encloses all attempts", plans, this::isLockedInside);
		warn("Requests of these methods are not repeated once they may have been applied: {}; set idempotent: true if a "
				+ "repetition does no harm, by-key if the server honours the idempotency key, by-method to keep this",
				plans, StartupAdvice::sendsUnsafeRequest);
		warn("These methods have keys, and no breaker or pace that is divided by them: {}; name one, or remove per",
				plans, (plan) -> plan.per() != null && plan.policy().breaker() == null && plan.policy().pace() == null);
		Set<String> used = names(plans, MethodPlan::label);
		used.addAll(names(plans, (plan) -> plan.policy().name()));
		warnOfNames("No method known at start-up uses the policy", this.policies.current().unused(Section.POLICIES),
				used);
		warnOfNames("No policy in use has the breaker", this.policies.current().unused(Section.BREAKERS),
				names(plans, (plan) -> plan.policy().breaker()));
		warnOfNames("No policy in use has the budget", this.policies.current().unused(Section.BUDGETS),
				names(plans, (plan) -> plan.policy().budget()));
	}

	/* One line about the methods that are retried. */
	private static void warn(String message, List<MethodPlan> plans, Predicate<MethodPlan> odd) {
		Set<String> methods = plans.stream()
			.filter((plan) -> plan.policy().numbers().maxAttempts() > 1 && plan.policy().numbers().isEnabled())
			.filter(odd)
			.map((plan) -> plan.method().signature())
			.collect(Collectors.toCollection(TreeSet::new));
		if (!methods.isEmpty()) {
			logger.warn(message, String.join(", ", methods));
		}
	}

	/* The annotation tells the order of ShedLock's advice before there is such a bean. */
	private boolean isLockedInside(MethodPlan plan) {
		return this.weaving == null
				&& MergedAnnotations.from(plan.method().method(), SearchStrategy.TYPE_HIERARCHY)
					.isPresent(LOCKS + "SchedulerLock")
				&& Stream.of(this.beanFactory.getBeanDefinitionNames())
					.map((name) -> AnnotatedBeans.type(this.beanFactory, name))
					.filter(Objects::nonNull)
					.map((type) -> MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
						.get(LOCKS + "EnableSchedulerLock")
						.asMap())
					.anyMatch((locks) -> locks.get("order") instanceof Integer order && order >= BackoffAdvisor.ORDER
							&& "PROXY_METHOD".equals(String.valueOf(locks.get("interceptMode"))));
	}

	/* A class that implements such an interface serves its requests. */
	private static boolean sendsUnsafeRequest(MethodPlan plan) {
		Class<?> type = plan.method().type();
		return type.isInterface() && !plan.policy().numbers().isIdempotencySet() && plan.until() == null
				&& Stream.of(plan.method().method(), type)
					.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
						.get("org.springframework.web.service.annotation.HttpExchange")
						.getValue("method", String.class))
					.flatMap(Optional::stream)
					.filter((method) -> !method.isEmpty())
					.findFirst()
					.filter((method) -> !OutboundRequest.isRepeatable(method))
					.isPresent();
	}

	private void advise(List<MethodPlan> plans) {
		Set<String> told = new LinkedHashSet<>();
		for (MethodPlan plan : plans) {
			List<String> advice = of(plan);
			String line = plan.method().place() + ", policy " + plan.policy().name() + ": " + String.join("; ", advice);
			if (!advice.isEmpty() && told.add(line)) {
				logger.atLevel(isWarned(plan) ? Level.WARN : Level.INFO).log(line);
			}
		}
	}

	/* A name that is nearly one in use is probably misspelt. */
	private static void warnOfNames(String what, List<String> unused, Set<String> used) {
		for (String name : unused) {
			String nearest = Nearest.ofName(name, used);
			if (nearest != null) {
				logger.warn("{} {}, so what is set for it has no effect: write {} if that is meant", what, name,
						nearest);
			}
		}
	}

	private static Set<String> names(List<MethodPlan> plans, Function<MethodPlan, @Nullable String> of) {
		return plans.stream().map(of).filter(Objects::nonNull).collect(Collectors.toCollection(TreeSet::new));
	}

	/** Describe what in the plan of a method works but is probably not meant. */
	List<String> of(MethodPlan plan) {
		List<String> advice = new ArrayList<>(PolicyAdvice.of(plan.policy(), this.policies.configuration()));
		RetryPolicy policy = plan.policy().numbers();
		long waits = waits(policy);
		if (waits > LONG_WAIT && plan.adapter().holdsThread()) {
			boolean scheduled = has(plan, "org.springframework.scheduling.annotation.Scheduled");
			advice.add(((waits == Nanos.UNLIMITED) ? "waits of any length"
					: "waits of up to " + DurationText.rounded(waits) + " in all") + " hold the calling thread"
					+ (scheduled ? ", and the next run of the schedule with it" : ""));
		}
		if (plan.adapter().holdsThread() && policy.deadlineNanos() != Nanos.UNLIMITED
				&& policy.attemptTimeoutNanos() == Nanos.UNLIMITED && !hasClientTimeout()) {
			advice.add("a call that hangs is not cut: the deadline of " + DurationText.exact(policy.deadlineNanos())
					+ " is checked between attempts; set attempt-timeout, or timeouts of the client");
		}
		if (plan.policy().isDurable() && policy.attemptTimeoutNanos() == Nanos.UNLIMITED) {
			advice.add("an attempt that hangs keeps one of the policy's " + plan.policy().concurrency()
					+ " threads for ever: set attempt-timeout");
		}
		advice.addAll(warnings(plan));
		return List.copyOf(advice);
	}

	/* Spring Boot gives it to the HTTP clients that it builds. */
	private boolean hasClientTimeout() {
		return this.beanFactory.getBean(Environment.class).containsProperty("spring.http.clients.read-timeout");
	}

	private List<String> warnings(MethodPlan plan) {
		List<String> warnings = new ArrayList<>();
		if (plan.policy().numbers().concurrency() != RetryPolicy.UNLIMITED_CONCURRENCY && has(plan, OTHER_LIMIT)) {
			warnings.add("@" + OTHER_LIMIT
					+ " is on the method too: an attempt that has its permit waits for another one there, "
					+ "without a deadline; remove it");
		}
		if (plan.policy().pace() != null && has(plan, OTHER_RATE)) {
			warnings.add(
					"@" + OTHER_RATE + " is on the method too: an attempt that has its turn waits or is refused there; "
							+ "remove it, or the pace");
		}
		boolean endless = plan.policy().numbers().deadlineNanos() == Nanos.UNLIMITED && plan.adapter().holdsThread();
		if (plan.policy().pace() != null && endless) {
			warnings.add("a call holds its thread while the quota of the pace " + plan.policy().pace()
					+ " is used up: set a deadline");
		}
		String breaker = plan.policy().breaker();
		if (breaker != null && this.policies.configuration().breaker(breaker).settings().awaited() && endless) {
			warnings.add("a call holds its thread as long as the breaker " + breaker
					+ " stays open (on-open: wait): set a deadline");
		}
		if (this.weaving != null) {
			warnings.addAll(this.weaving.advice(plan.method(), this.beanFactory));
			return warnings;
		}
		Collection<String> places = this.selfCalls.of(plan.method());
		if (!places.isEmpty()) {
			warnings.add("calls by the bean itself pass no proxy and are not retried: " + String.join(", ", places)
					+ "; call an injected ObjectProvider<" + plan.method().type().getSimpleName()
					+ "> there, or a retry of BackoffMethods, or set backoff.mode to aspectj");
		}
		return warnings;
	}

	/** Return whether the advice is worth a warning, not only an information. */
	private boolean isWarned(MethodPlan plan) {
		RetryPolicy policy = plan.policy().numbers();
		boolean unlimited = policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		boolean meant = isOfPreset(plan, PolicyKey.MAX_ATTEMPTS)
				&& (unlimited || (isOfPreset(plan, PolicyKey.BASE) && isOfPreset(plan, PolicyKey.CAP)));
		boolean endless = (unlimited && policy.deadlineNanos() == Nanos.UNLIMITED)
				|| (plan.adapter().holdsThread() && waits(policy) > HOUR);
		boolean unreachable = plan.policy().isSet(PolicyKey.ATTEMPT_TIMEOUT)
				&& policy.attemptTimeoutNanos() != Nanos.UNLIMITED
				&& policy.attemptTimeoutNanos() > policy.deadlineNanos();
		return !warnings(plan).isEmpty() || unreachable || (endless && !meant);
	}

	private static boolean isOfPreset(MethodPlan plan, Key<?> key) {
		EffectiveValue value = plan.policy().values().get(key);
		return value != null && value.level().kind() == Kind.PRESET;
	}

	private static long waits(RetryPolicy policy) {
		long limit = policy.deadlineNanos();
		if (policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) {
			return limit;
		}
		return Math.min(limit, DelayPlan.of(policy.rule(), policy.maxAttempts() - 1).totalGreatest());
	}

	private static boolean has(MethodPlan plan, String annotation) {
		return MergedAnnotations.from(plan.method().method()).isDirectlyPresent(annotation);
	}

}
