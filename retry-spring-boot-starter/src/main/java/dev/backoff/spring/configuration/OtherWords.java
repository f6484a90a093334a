package dev.backoff.spring.configuration;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Our keys and sections by the words of other libraries. */
final class OtherWords {

	private static final Name MAX_WAIT_DURATION = Name.of("max-wait-duration");

	private static final Map<Name, String> POLICY_WORDS = byOtherWord(
			Map.ofEntries(Map.entry("max-attempts", "attempts tries"), Map.entry("concurrency", "maxconcurrentcalls"),
					Map.entry("max-waiting", "maxwaitduration"),
					Map.entry("base",
							"delay initialinterval initialdelay waitduration initialbackoff minbackoff localinterval"),
					Map.entry("cap", "maxdelay maxinterval maxwait exponentialmaxwaitduration maxbackoff"),
					Map.entry("retry-on", "includes retryfor retryexceptions include"),
					Map.entry("abort-on", "excludes noretryfor ignoreexceptions exclude"),
					Map.entry("multiplier", "factor exponentialbackoffmultiplier"),
					Map.entry("jitter", "randomizedwaitfactor jitterfactor random"),
					Map.entry("deadline", "maxduration timeout retryuntil"),
					Map.entry("attempt-timeout", "timeoutduration pertrytimeout"), Map.entry("inherits", "baseconfig"),
					Map.entry("breaker", "circuitbreaker"), Map.entry("budget", "retrybudget")));

	private static final Map<Name, String> SECTION_WORDS = byOtherWord(Map.of("policies", "policy", "breakers",
			"breaker circuitbreaker circuitbreakers", "budgets", "budget retrybudget retrybudgets", "paces", "pace"));

	private static final Set<Name> RETRIES = byOtherWord(
			Map.of("", "maxretries retries maxretry maxretryattempts maxretriesallowed retrycount maxnumretries "
					+ "failretrycount executorfailretrycount localtimes"))
		.keySet();

	private static final Map<Name, String> BREAKER_WORDS = byOtherWord(Map.ofEntries(
			Map.entry("failure-rate", "failureratethreshold failurethreshold failureratio"),
			Map.entry("slow-call", "slowcalldurationthreshold"), Map.entry("slow-call-rate", "slowcallratethreshold"),
			Map.entry("window", "slidingwindowsize slidingwindowtype samplingduration"),
			Map.entry("minimum-calls", "requestvolumethreshold minimumnumberofcalls minimumthroughput"),
			Map.entry("open-for", "waitdurationinopenstate waitduration breakduration delay opentimeout"),
			Map.entry("probes", "permittednumberofcallsinhalfopenstate successthreshold"),
			Map.entry("half-open-timeout", "maxwaitdurationinhalfopenstate")));

	private static final Map<Name, String> BUDGET_WORDS = byOtherWord(Map.ofEntries(
			Map.entry("tokens", "maxtokens capacity size"), Map.entry("per-success", "tokenratio ratio retrypercent"),
			Map.entry("per-second", "persec minretriespersecond minretriespersec")));

	private OtherWords() {
	}

	/** Return our words by the others, which a text lists. */
	static Map<Name, String> byOtherWord(Map<String, String> byOurs) {
		Map<Name, String> ours = new HashMap<>();
		byOurs
			.forEach((word, others) -> Stream.of(others.split(" ")).forEach((other) -> ours.put(Name.of(other), word)));
		return ours;
	}

	/** Return the known key for another library's word, else the nearest one, or null. */
	static @Nullable String meant(Section section, String name, List<String> known) {
		Map<Name, String> words = (section == Section.BREAKERS) ? BREAKER_WORDS
				: (section == Section.BUDGETS) ? BUDGET_WORDS : (section == Section.PACES) ? Map.of() : POLICY_WORDS;
		String ours = words.get(Name.of(name));
		return (ours != null && known.contains(ours)) ? ours : Nearest.of(name, known);
	}

	/** Return what differs in ours, as the end of a sentence, or nothing. */
	static String difference(String name) {
		return MAX_WAIT_DURATION.is(name) ? ": it counts attempts, not time" : "";
	}

	/** Return the section for a word of other libraries, or null. */
	static @Nullable Section section(String name) {
		return Section.of(SECTION_WORDS.getOrDefault(Name.of(name), name));
	}

	/** Return whether the key is a number of retries in other libraries. */
	static boolean isRetryCount(String name) {
		return RETRIES.contains(Name.of(name));
	}

}
