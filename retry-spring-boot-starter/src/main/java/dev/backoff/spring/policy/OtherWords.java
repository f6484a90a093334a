package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** What other libraries call it, and what we do. */
final class OtherWords {

	private static final Map<String, String> POLICY_WORDS = Map.ofEntries(Map.entry("attempts", "max-attempts"),
			Map.entry("delay", "base"), Map.entry("initialinterval", "base"), Map.entry("initialdelay", "base"),
			Map.entry("waitduration", "base"), Map.entry("maxdelay", "cap"), Map.entry("maxinterval", "cap"),
			Map.entry("maxwait", "cap"), Map.entry("exponentialmaxwaitduration", "cap"),
			Map.entry("includes", "retry-on"), Map.entry("retryfor", "retry-on"),
			Map.entry("retryexceptions", "retry-on"), Map.entry("excludes", "abort-on"),
			Map.entry("noretryfor", "abort-on"), Map.entry("ignoreexceptions", "abort-on"),
			Map.entry("factor", "multiplier"), Map.entry("exponentialbackoffmultiplier", "multiplier"),
			Map.entry("randomizedwaitfactor", "jitter"), Map.entry("initialbackoff", "base"),
			Map.entry("minbackoff", "base"), Map.entry("maxbackoff", "cap"), Map.entry("jitterfactor", "jitter"),
			Map.entry("random", "jitter"), Map.entry("exclude", "abort-on"), Map.entry("include", "retry-on"),
			Map.entry("maxduration", "deadline"), Map.entry("timeout", "deadline"),
			Map.entry("timeoutduration", "attempt-timeout"), Map.entry("pertrytimeout", "attempt-timeout"),
			Map.entry("baseconfig", "inherits"), Map.entry("circuitbreaker", "breaker"),
			Map.entry("retrybudget", "budget"));

	private static final Map<String, Section<?>> SECTION_WORDS = Map.of("policy", Section.POLICIES, "breaker",
			Section.BREAKERS, "circuitbreaker", Section.BREAKERS, "circuitbreakers", Section.BREAKERS, "budget",
			Section.BUDGETS, "retrybudget", Section.BUDGETS, "retrybudgets", Section.BUDGETS);

	private static final Set<String> RETRIES = Set.of("maxretries", "retries", "maxretry", "maxretryattempts",
			"maxretriesallowed", "retrycount", "maxnumretries");

	private static final Map<String, String> BREAKER_WORDS = Map.ofEntries(
			Map.entry("failureratethreshold", "failure-rate"), Map.entry("failurethreshold", "failure-rate"),
			Map.entry("failureratio", "failure-rate"), Map.entry("slowcalldurationthreshold", "slow-call"),
			Map.entry("slowcallratethreshold", "slow-call-rate"), Map.entry("slidingwindowsize", "window"),
			Map.entry("slidingwindowtype", "window"), Map.entry("samplingduration", "window"),
			Map.entry("requestvolumethreshold", "minimum-calls"), Map.entry("minimumnumberofcalls", "minimum-calls"),
			Map.entry("minimumthroughput", "minimum-calls"), Map.entry("waitdurationinopenstate", "open-for"),
			Map.entry("waitduration", "open-for"), Map.entry("breakduration", "open-for"),
			Map.entry("delay", "open-for"), Map.entry("opentimeout", "open-for"),
			Map.entry("permittednumberofcallsinhalfopenstate", "probes"), Map.entry("successthreshold", "probes"),
			Map.entry("maxwaitdurationinhalfopenstate", "half-open-timeout"));

	private static final Map<String, String> BUDGET_WORDS = Map.of("maxtokens", "tokens", "capacity", "tokens", "size",
			"tokens", "tokenratio", "per-success", "ratio", "per-success", "retrypercent", "per-success", "persec",
			"per-second", "minretriespersecond", "per-second", "minretriespersec", "per-second", "retrycost", "cost");

	private OtherWords() {
	}

	/** Return our key for a word of other libraries, or null. */
	static @Nullable String ours(Section<?> section, String name) {
		Map<String, String> words = (section == Section.BREAKERS) ? BREAKER_WORDS
				: (section == Section.BUDGETS) ? BUDGET_WORDS : POLICY_WORDS;
		return words.get(TextValues.canonical(name));
	}

	/** Return the section for a word of other libraries, or null. */
	static @Nullable Section<?> section(String name) {
		Section<?> known = Section.of(name);
		return (known != null) ? known : SECTION_WORDS.get(TextValues.canonical(name));
	}

	/** Return whether the key is a number of retries in other libraries. */
	static boolean countRetries(String name) {
		return RETRIES.contains(TextValues.canonical(name));
	}

}
