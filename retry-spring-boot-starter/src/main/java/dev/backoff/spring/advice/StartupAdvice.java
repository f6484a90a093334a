package dev.backoff.spring.advice;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BudgetEntry;
import dev.backoff.spring.configuration.BudgetKey;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Start-up advice: it names settings that work but are probably a mistake. The advice is
 * logged once and shown at the endpoint. This file is long because all advice is here.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class StartupAdvice {

	private static final Logger logger = LoggerFactory.getLogger(StartupCheck.class);

	private static final String SHUTDOWN_PHASE = "spring.lifecycle.timeout-per-shutdown-phase";

	/** More attempts than this without a deadline are advised against. */
	private static final int MANY_ATTEMPTS = 16;

	private static final long LONG_WAIT = 10_000_000_000L;

	private static final long HOUR = 3_600_000_000_000L;

	/* Failures that a type above those of the group does not reach. */
	private static final List<List<String>> UNREACHED = List.of(
			List.of("parse errors", "tools.jackson.core.JacksonException"),
			List.of("programming errors", "java.lang.NullPointerException"),
			List.of("4xx", "org.springframework.web.client.HttpClientErrorException$BadRequest",
					"org.springframework.web.reactive.function.client.WebClientResponseException$BadRequest",
					"feign.FeignException$BadRequest"),
			List.of("constraint violations", "org.springframework.dao.NonTransientDataAccessException"));

	private static final String OTHER_LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimit";

	private final BackoffPolicies policies;

	private final ConfigurableListableBeanFactory beanFactory;

	private final @Nullable Weaving weaving;

	private final SelfCalls selfCalls = new SelfCalls();

	StartupAdvice(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory, @Nullable Weaving weaving) {
		this.policies = policies;
		this.beanFactory = beanFactory;
		this.weaving = weaving;
	}

	/** Log what is odd in the configuration and in the plans of all methods. */
	void log(List<MethodPlan> plans) {
		this.policies.configuration().warnings().forEach((warning) -> logger.warn("Ignored: {}", warning));
		advise(plans);
		List<String> shared = plans.stream()
			.filter((plan) -> !plan.label().equals(plan.method().label()))
			.map(MethodPlan::label)
			.toList();
		if (!shared.isEmpty()) {
			logger.info("Named with their package, because two classes share their simple name: {}",
					String.join(", ", shared));
		}
		// the arguments of a durable call are read anew for each attempt
		warn("The first attempt uses up an argument, so that later ones may read or change nothing and succeed: {}; "
				+ "make it inside the method, or pass bytes or the id", plans,
				(plan) -> !plan.policy().isDurable() && UsedUpArguments.areIn(plan.method()));
		warn("A retry sends a request again that may have been applied: {}; say whether that does harm: "
				+ "idempotent: true if it does none, false if it does, by-key if the server honours the idempotency key",
				plans, UnsafeRequests::areSent);
		Set<String> used = names(plans, MethodPlan::label);
		used.addAll(names(plans, (plan) -> plan.policy().name()));
		logUnused("No method known at start-up uses the policy", "No method known at start-up uses the policies",
				this.policies.unused(), used);
		logUnused("No policy in use has the breaker", "No policy in use has the breakers",
				this.policies.unusedBreakers(), names(plans, (plan) -> plan.policy().breaker()));
		logUnused("No policy in use has the budget", "No policy in use has the budgets", this.policies.unusedBudgets(),
				names(plans, (plan) -> plan.policy().budget()));
		adviseInstances(plans);
		adviseShutdown("backoff.shutdown.wait", this.policies.configuration().shutdownWait());
		if (plans.stream().anyMatch((plan) -> plan.policy().isDurable())) {
			adviseShutdown("backoff.durable.shutdown-wait", this.policies.configuration().durable().shutdownWait());
		}
	}

	/* One line about the methods that are repeated. */
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
	private static void logUnused(String what, String many, List<String> unused, Set<String> used) {
		List<String> others = new ArrayList<>();
		for (String name : unused) {
			String nearest = Nearest.ofName(name, used);
			if (nearest != null) {
				logger.warn("{} {}, so what is set for it has no effect: write {} if that is meant", what, name,
						nearest);
			}
			else {
				others.add(name);
			}
		}
		if (!others.isEmpty()) {
			logger.info("{} {}", many, String.join(", ", others));
		}
	}

	private static Set<String> names(List<MethodPlan> plans, Function<MethodPlan, @Nullable String> of) {
		return plans.stream().map(of).filter(Objects::nonNull).collect(Collectors.toCollection(TreeSet::new));
	}

	/* Each process has buckets of its own, and such platforms run several. */
	private void adviseInstances(List<MethodPlan> plans) {
		BackoffConfiguration configuration = this.policies.configuration();
		CloudPlatform platform = CloudPlatform.getActive(this.beanFactory.getBean(Environment.class));
		String budget = plans.stream()
			.map((plan) -> plan.policy().budget())
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		if (platform == null || platform == CloudPlatform.NONE || budget == null
				|| configuration.settings().containsKey("instances")) {
			return;
		}
		BudgetSettings share = configuration.budget(budget).settings();
		logger.info(
				"backoff.instances is not set on {}: each process has a budget {} of its own, so in an outage ten "
						+ "processes make {} retries and then {} a minute; set it to the number of processes",
				platform, budget, number(10 * share.tokens()), number(600 * share.perSecond()));
	}

	private static String number(double value) {
		return new BigDecimal(value, new MathContext(3)).stripTrailingZeros().toPlainString();
	}

	private void adviseShutdown(String key, Duration wait) {
		Duration phase = Binder.get(this.beanFactory.getBean(Environment.class))
			.bind(SHUTDOWN_PHASE, Duration.class)
			.orElse(Duration.ofSeconds(30));
		if (wait.compareTo(phase) > 0) {
			logger.info("{} of {} is cut short by {} of {}: raise that too, or wait less", key,
					DurationText.exact(wait), SHUTDOWN_PHASE, DurationText.exact(phase));
		}
	}

	/** Return advice on values of a policy that work but are probably a mistake. */
	public static List<String> of(EffectivePolicy effective, BackoffConfiguration configuration) {
		List<String> advice = new ArrayList<>();
		RetryPolicy policy = effective.numbers();
		BackoffRule rule = policy.rule();
		if (isExponential(effective) && !rule.jitter().replacesShape()) {
			adviseGrowth(rule, advice);
		}
		adviseShape(rule, effective, advice);
		boolean limited = policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		if (policy.maxAttempts() > MANY_ATTEMPTS && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("more than " + MANY_ATTEMPTS + " attempts without a deadline: set a deadline");
		}
		boolean timeoutSet = isSet(effective, PolicyKey.ATTEMPT_TIMEOUT);
		if (policy.attemptTimeoutNanos() != Nanos.UNLIMITED && timeoutSet) {
			adviseTimeout(policy, advice);
		}
		if (!policy.isJudgedByLists()) {
			adviseReach(policy.retryOn(), advice);
		}
		if (limited && policy.maxAttempts() > 1 && policy.deadlineNanos() != Nanos.UNLIMITED) {
			adviseRoom(policy, policy.shortestAttemptNanos(), "by the delays before jitter", effective, advice);
			if (policy.attemptTimeoutNanos() < policy.deadlineNanos() && timeoutSet) {
				adviseRoom(policy, policy.attemptTimeoutNanos(),
						"each as long as the attempt-timeout of " + DurationText.exact(policy.attemptTimeoutNanos()),
						effective, advice);
			}
		}
		if (effective.isWrittenForIt(PolicyKey.CAP) && limited && policy.maxAttempts() > 1) {
			adviseCap(rule, policy.maxAttempts() - 1, advice);
		}
		if (effective.budget() != null && policy.isEnabled() && policy.maxAttempts() > 1) {
			adviseBudget(policy, configuration.budget(effective.budget()), advice);
		}
		else if (effective.budget() == null && policy.isPostponedWhenEmpty()
				&& effective.isWrittenForIt(PolicyKey.WHEN_EMPTY)) {
			advice.add("when-empty has no effect without a budget");
		}
		return List.copyOf(advice);
	}

	private static String text(EffectivePolicy policy, PolicyKey key) {
		EffectiveValue value = policy.values().get(key);
		return (value != null) ? value.value() : "";
	}

	private static boolean isExponential(EffectivePolicy policy) {
		return text(policy, PolicyKey.SHAPE).equals("exponential");
	}

	/* The default timeout of durable policies is a bound for attempts that hang. */
	private static boolean isSet(EffectivePolicy policy, PolicyKey key) {
		EffectiveValue value = policy.values().get(key);
		return value != null && !value.origin().startsWith(EffectiveValue.BUILT_IN)
				&& !value.origin().equals("durable default");
	}

	/** Advise against attempts of the given time that cannot all be made in time. */
	private static void adviseRoom(RetryPolicy policy, long attempt, String how, EffectivePolicy effective,
			List<String> advice) {
		int fitting = 0;
		for (long end = attempt; fitting < policy.maxAttempts() && end <= policy.deadlineNanos();) {
			fitting++;
			end = Nanos.plus(end, Nanos.plus(policy.rule().capped(fitting), attempt));
		}
		if (fitting == policy.maxAttempts()) {
			return;
		}
		long base = largestBase(policy, attempt, effective);
		advice.add("the deadline of " + DurationText.exact(policy.deadlineNanos()) + " has room for " + fitting + " of "
				+ policy.maxAttempts() + " attempts, " + how + ": raise it, "
				+ ((base > 0) ? "make fewer attempts, or lower the base to " + DurationText.exact(base)
						: "or make fewer attempts"));
	}

	/** Return the base, cut to three digits, with which all attempts fit, or 0. */
	private static long largestBase(RetryPolicy policy, long attempt, EffectivePolicy effective) {
		boolean exponential = isExponential(effective);
		if (policy.rule().jitter().replacesShape()
				|| (!exponential && !text(effective, PolicyKey.SHAPE).equals("fixed"))) {
			return 0;
		}
		double multiplier = exponential ? Double.parseDouble(text(effective, PolicyKey.MULTIPLIER)) : 1;
		long base = DelayPlan
			.largestBase(Duration.ofNanos(policy.deadlineNanos()), policy.maxAttempts() - 1, multiplier,
					isSet(effective, PolicyKey.CAP) ? Duration.ofNanos(policy.rule().capNanos()) : null,
					Duration.ofNanos(attempt), 1)
			.toNanos();
		return new BigDecimal(base).round(new MathContext(3, RoundingMode.DOWN)).longValue();
	}

	private static void adviseShape(BackoffRule rule, EffectivePolicy effective, List<String> advice) {
		boolean multiplier = effective.isWrittenForIt(PolicyKey.MULTIPLIER);
		EffectiveValue cap = effective.values().get(PolicyKey.CAP);
		if (cap != null && cap.origin().startsWith("raised to ")) {
			advice.add("no wait is longer than " + cap.value() + ", because the cap is " + cap.origin()
					+ ": set a cap where the base is set");
		}
		else if ((multiplier || effective.isWrittenForIt(PolicyKey.SHAPE)) && rule.shape().levels() == 0
				&& rule.shape().nanos(2) > rule.baseNanos() && rule.baseNanos() == rule.capNanos()) {
			advice.add("the " + (multiplier ? "multiplier" : "shape") + " changes no delay, because the cap of "
					+ DurationText.exact(rule.capNanos()) + " is the base: raise the cap");
		}
	}

	/**
	 * Advise against a budget that never pays, since retries do not wait for it, and
	 * against one that cannot pay for a single call.
	 */
	private static void adviseBudget(RetryPolicy policy, BudgetEntry budget, List<String> advice) {
		BudgetSettings settings = budget.settings();
		// no token at all is meant
		if (settings.tokens() > 0 && settings.tokens() < policy.maxAttempts() - 1
				&& policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS) {
			advice.add("the budget " + budget.name() + " of " + number(settings.tokens()) + " tokens cannot pay the "
					+ (policy.maxAttempts() - 1) + " retries of a single call (" + origins(budget, BudgetKey.TOKENS)
					+ "): raise its tokens, or make fewer attempts");
		}
		if (!policy.isPostponedWhenEmpty()) {
			return;
		}
		String withoutEffect = "when-empty: wait has no effect, because the budget " + budget.name() + " ";
		if (settings.tokens() == 0) {
			advice.add(withoutEffect + "never pays: its tokens are 0 (" + origins(budget, BudgetKey.TOKENS) + ")");
		}
		else if (settings.perSecond() == 0 && settings.perSuccess() == 0) {
			advice.add(withoutEffect + "is never filled again: its per-second and per-success are 0 ("
					+ origins(budget, BudgetKey.PER_SECOND, BudgetKey.PER_SUCCESS) + ")");
		}
		else if (settings.perSecond() == 0 && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("a call waits for the budget " + budget.name()
					+ " as long as none succeeds, for its per-second is 0: set a deadline");
		}
	}

	private static String origins(BudgetEntry budget, BudgetKey... keys) {
		return Stream.of(keys)
			.map(budget.values()::get)
			.map(EffectiveValue::origin)
			.distinct()
			.collect(Collectors.joining(", "));
	}

	private static void adviseTimeout(RetryPolicy policy, List<String> advice) {
		if (policy.deadlineNanos() <= policy.attemptTimeoutNanos()) {
			advice.add(
					"an attempt that uses up the attempt-timeout of " + DurationText.exact(policy.attemptTimeoutNanos())
							+ " leaves no time for a retry before the deadline of "
							+ DurationText.exact(policy.deadlineNanos()));
		}
		if (!policy.retryOn().isEmpty() && policy.retryOn()
			.stream()
			.noneMatch((type) -> type.isAssignableFrom(AttemptTimeoutException.class))) {
			advice.add("attempts that take longer than the attempt-timeout are not retried: retry-on does not name "
					+ AttemptTimeoutException.class.getName());
		}
	}

	private static void adviseReach(List<Class<? extends Throwable>> retryOn, List<String> advice) {
		for (Class<?> listed : retryOn) {
			String unreached = UNREACHED.stream()
				.filter((group) -> group.stream().skip(1).anyMatch((name) -> isBelow(listed, name, retryOn)))
				.map((group) -> group.get(0))
				.collect(Collectors.joining(", "));
			if (!unreached.isEmpty()) {
				advice.add("retry-on: " + listed.getName() + " does not retry " + unreached + ": name them");
			}
		}
	}

	private static boolean isBelow(Class<?> listed, String name, List<Class<? extends Throwable>> retryOn) {
		ClassLoader classLoader = StartupAdvice.class.getClassLoader();
		Class<?> type = ClassUtils.isPresent(name, classLoader) ? ClassUtils.resolveClassName(name, classLoader) : null;
		return type != null && listed.isAssignableFrom(type) && retryOn.stream().noneMatch(type::isAssignableFrom);
	}

	private static void adviseCap(BackoffRule rule, int retries, List<String> advice) {
		long longest = rule.jitter().replacesShape() ? rule.capNanos() : rule.capped(retries);
		if (longest < rule.capNanos()) {
			advice.add("the cap of " + DurationText.exact(rule.capNanos()) + " is never reached: the last wait is "
					+ DurationText.rounded(longest) + " before jitter");
		}
	}

	private static void adviseGrowth(BackoffRule rule, List<String> advice) {
		double growth = (rule.baseNanos() == 0) ? 1 : (double) rule.shape().nanos(2) / rule.baseNanos();
		if (growth != 1 && (growth < 1.5 || growth > 4)) {
			advice.add("the multiplier " + number(growth) + " is outside 1.5 to 4: it grows "
					+ ((growth < 1.5) ? "too slowly to relieve a server" : "so fast that late retries hardly happen"));
		}
	}

	/** Describe what in the plan of a method works but is probably not meant. */
	List<String> of(MethodPlan plan) {
		List<String> advice = new ArrayList<>(of(plan.policy(), this.policies.configuration()));
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
		Class<?> type = plan.method().method().getReturnType();
		if (BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)) {
			advice.add("only the call is retried: what the " + type.getSimpleName()
					+ " it returns fails with later is not");
		}
		if (plan.adapter().holdsThread() && policy.attemptTimeoutNanos() != Nanos.UNLIMITED
				&& isPoolOnVirtualThreads()) {
			advice.add("attempt-timeout interrupts, which closes sockets and JDBC connections on virtual threads: "
					+ "set shorter timeouts in the client or the pool");
		}
		advice.addAll(warnings(plan));
		return List.copyOf(advice);
	}

	/* Spring Boot gives it to the HTTP clients that it builds. */
	private boolean hasClientTimeout() {
		return this.beanFactory.getBean(Environment.class).containsProperty("spring.http.clients.read-timeout");
	}

	private boolean isPoolOnVirtualThreads() {
		return this.beanFactory.getBean(Environment.class)
			.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
				&& this.beanFactory.getBeanNamesForType(DataSource.class, true, false).length > 0;
	}

	private List<String> warnings(MethodPlan plan) {
		List<String> warnings = new ArrayList<>();
		if (plan.policy().numbers().concurrency() != RetryPolicy.UNLIMITED_CONCURRENCY && has(plan, OTHER_LIMIT)) {
			warnings.add("@" + OTHER_LIMIT
					+ " is on the method too: an attempt that has its permit waits for another one there, "
					+ "without a deadline; remove it");
		}
		String breaker = plan.policy().breaker();
		if (breaker != null && this.policies.configuration().breaker(breaker).settings().awaited()
				&& plan.policy().numbers().deadlineNanos() == Nanos.UNLIMITED && plan.adapter().holdsThread()) {
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

	/**
	 * Return whether the advice is worth a warning: attempts share one transaction or
	 * lock, calls are not retried, a timeout can never be reached, or a call can last for
	 * hours and no preset says so.
	 */
	boolean isWarned(MethodPlan plan) {
		RetryPolicy policy = plan.policy().numbers();
		boolean unlimited = policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		EffectiveValue attempts = plan.policy().values().get(PolicyKey.MAX_ATTEMPTS);
		boolean meant = unlimited && attempts != null && attempts.origin().startsWith("preset ");
		boolean endless = (unlimited && policy.deadlineNanos() == Nanos.UNLIMITED)
				|| (plan.adapter().holdsThread() && waits(policy) > HOUR);
		boolean unreachable = policy.attemptTimeoutNanos() != Nanos.UNLIMITED
				&& policy.attemptTimeoutNanos() > policy.deadlineNanos();
		return !warnings(plan).isEmpty() || unreachable || (endless && !meant);
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
