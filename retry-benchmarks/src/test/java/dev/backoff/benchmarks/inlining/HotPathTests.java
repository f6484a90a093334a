package dev.backoff.benchmarks.inlining;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The path of a call in a log of the compiler, which is abridged here. */
class HotPathTests {

	private static final String ENTRY = "dev.backoff.spring.Advice.invoke";

	private static final String JUMP = "called with its own code";

	private static final String ROOT = """
			<klass id='3' name='dev.backoff.Retry' flags='1'/>
			<method id='1' holder='3' name='call' return='2' flags='1' bytes='66'/>
			<method id='5' holder='3' name='call' return='2' arguments='2' flags='1' bytes='66'/>
			""";

	/* At the end of what is made of it. */
	private static final String AGAIN = """
			<inline_success reason='inline (hot)'/>
			<parse method='11' uses='8000.000000' stamp='2.7'>
			<klass id='22' name='dev.backoff.Budget' flags='1'/>
			<method id='23' holder='22' name='deposit' return='2' flags='1' bytes='20'/>
			<parse method='1' uses='8000.000000' stamp='2.7'>
			<call method='23' count='8000' prof_factor='1.000000' inline='1'/>
			<inline_fail reason='hot method too big'/>
			</parse>
			</parse>
			</task>""";

	private static final String LOG = """
			<?xml version='1.0' encoding='UTF-8'?>
			<task_queued compile_id='7' method='dev.backoff.Retry call (I)V' bytes='66' level='3'/>
			<task compile_id='7' method='dev.backoff.Retry call (I)V' bytes='66' count='300' level='3' stamp='1.9'>
			<klass id='10' name='dev.backoff.OfC1' flags='1'/>
			<method id='11' holder='10' name='seen' return='2' flags='1' bytes='9'/>
			<call method='11' count='9000' prof_factor='1.000000' inline='1'/>
			<inline_success reason='inline'/>
			</task>
			<task compile_id='21' method='dev.backoff.Retry call (I)V' bytes='66' count='6000' stamp='2.1'>
			<klass id='10' name='dev.backoff.Before' flags='1'/>
			<method id='11' holder='10' name='seen' return='2' flags='1' bytes='9'/>
			<call method='11' count='9000' prof_factor='1.000000' inline='1'/>
			<inline_fail reason='callee is too large'/>
			</task>
			<task compile_id='30' compile_kind='osr' method='app.Case_jmhTest call_jmhStub (I)V' bytes='57' osr_bci='13' stamp='2.5'>
			<klass id='10' name='dev.backoff.benchmarks.Case' flags='1'/>
			<klass id='12' name='org.framework.Proxy' flags='1'/>
			<method id='11' holder='10' name='ask' return='2' flags='1' bytes='400'/>
			<method id='13' holder='12' name='proceed' return='2' flags='1' bytes='126'/>
			<parse method='11' uses='9000.000000' stamp='2.5'>
			<call method='11' count='9000' prof_factor='1.000000' inline='1'/>
			<inline_success reason='force inline by CompileCommand'/>
			<call method='13' count='9000' prof_factor='1.000000' inline='1'/>
			<inline_fail reason='already compiled into a big method'/>
			<parse_done stamp='2.5'/>
			</parse>
			</task>
			<task compile_id='31' method='org.framework.Proxy proceed ()V' bytes='126' count='9000' stamp='2.6'>
			<klass id='10' name='dev.backoff.spring.Advice$$Lambda$929/0x00007f4cb8375000' flags='1'/>
			<klass id='12' name='dev.backoff.Retry' flags='1'/>
			<method id='11' holder='10' name='run' return='2' flags='1' bytes='13'/>
			<method id='13' holder='12' name='call' return='2' flags='1' bytes='66'/>
			<method id='14' holder='12' name='&lt;init&gt;' return='2' flags='1' bytes='500'/>
			<call method='11' count='8000' prof_factor='1.000000' inline='1'/>
			<inline_success reason='inline (hot)'/>
			<call method='13' count='8000' prof_factor='1.000000' inline='1'/>
			<inline_fail reason='already compiled into a big method'/>
			<call method='14' count='3' prof_factor='1.000000' inline='1'/>
			<inline_fail reason='too big'/>
			</task>
			<task compile_id='32' method='dev.backoff.Retry call (I)V' bytes='66' count='9000' level='4' stamp='2.7'>
			<klass id='10' name='dev.backoff.Steps' flags='1'/>
			<method id='11' holder='10' name='begin' return='2' flags='1' bytes='37'/>
			<call method='11' count='8000' prof_factor='1.000000' inline='1'/>
			<inline_success reason='inline (hot)'/>
			</task>
			""";

	@Test
	void isFollowedFromTheLoopIntoWhatIsCompiledOnItsOwn() {
		assertThat(path(LOG).table(Map.of())).isEqualTo("""
				| method | bytes | inlined |
				| --- | --- | --- |
				| Retry.call | 66 | **no**: already compiled into a big method |
				| Steps.begin | 37 | yes |
				| spring.Advice$$Lambda.run | 13 | yes |
				""");
	}

	@Test
	void isFineIfAllIsInlinedOrMayBeCalled() {
		Map<String, String> called = Map.of("dev.backoff.Retry.call", JUMP);
		assertThat(path(LOG).problems(List.of("dev.backoff.Steps.begin"), called)).isEmpty();
		assertThat(path(LOG).jumps()).isEqualTo(1);
		assertThat(path(LOG).table(called))
			.contains("| Retry.call | 66 | called: already compiled into a big method; " + JUMP + " |");
	}

	@Test
	void mustNotCallWhatIsLarge() {
		assertThat(path(LOG).problems(List.of(), Map.of()))
			.containsExactly("dev.backoff.Retry.call is not inlined: already compiled into a big method.");
	}

	@Test
	void mustNotBeRefusedForAnotherReason() {
		String refused = LOG.replace("<inline_success reason='inline (hot)'/>\n</task>",
				"<inline_fail reason='hot method too big'/>\n</task>");
		assertThat(path(refused).problems(List.of(),
				Map.of("dev.backoff.Retry.call", JUMP, "dev.backoff.Steps.begin", JUMP)))
			.containsExactly("dev.backoff.Steps.begin is not inlined: hot method too big.");
	}

	@Test
	void mustNotHaveAMethodThatIsTooLong() {
		assertThat(path(LOG.replace("bytes='37'", "bytes='326'")).problems(List.of(),
				Map.of("dev.backoff.Retry.call", JUMP)))
			.containsExactly("dev.backoff.Steps.begin has 326 bytes: must not have more than 325.");
		assertThat(path(LOG.replace("bytes='37'", "bytes='325'")).problems(List.of(),
				Map.of("dev.backoff.Retry.call", JUMP)))
			.isEmpty();
	}

	@Test
	void mustRunThroughItsStations() {
		assertThat(path(LOG).problems(List.of("dev.backoff.Steps.begin", "dev.backoff.Budget.deposit"),
				Map.of("dev.backoff.Retry.call", JUMP)))
			.containsExactly("dev.backoff.Budget.deposit was not seen: is it still what a call runs through?");
	}

	@Test
	void beginsWhereAFrameworkCallsWhatTheLogDoesNotName() {
		String entered = """
				<task compile_id='40' method='dev.backoff.spring.Advice invoke ()V' bytes='74' count='9000' stamp='2.6'>
				</task>
				""";
		assertThat(path(LOG + entered).problems(List.of(ENTRY), Map.of("dev.backoff.Retry.call", JUMP))).isEmpty();
	}

	@Test
	void leavesOutWhatIsInlinedIntoItself() {
		String repeated = LOG
			.replace("level='4' stamp='2.7'>\n", "level='4' stamp='2.7'>\n" + ROOT + "<parse method='1' uses='1'>\n")
			.replace("<inline_success reason='inline (hot)'/>\n</task>", AGAIN);
		Map<String, String> called = Map.of("dev.backoff.Retry.call", JUMP);
		assertThat(path(repeated).problems(List.of(), called)).isEmpty();
		String another = repeated.replace("'1' uses='8000", "'5' uses='8000");
		assertThat(path(another).problems(List.of(), called))
			.containsExactly("dev.backoff.Budget.deposit is not inlined: hot method too big.");
	}

	@Test
	void mayCallWhatThereIsNoRoomForIfThatIsNotMuch() {
		Map<String, String> called = Map.of("dev.backoff.Retry.call", JUMP);
		assertThat(path(withCallsThatFindNoRoom(7)).problems(List.of(), called)).isEmpty();
		assertThat(path(withCallsThatFindNoRoom(8)).problems(List.of(), called))
			.containsExactly("9 methods are not inlined: must not be more than 8.");
	}

	private static String withCallsThatFindNoRoom(int methods) {
		StringBuilder calls = new StringBuilder("<inline_success reason='inline (hot)'/>\n");
		for (int i = 0; i < methods; i++) {
			calls.append("<method id='5%d' holder='10' name='m%d' bytes='9'/>\n".formatted(i, i));
			calls.append("<call method='5%d' count='8000'/>\n".formatted(i));
			calls.append("<inline_fail reason='NodeCountInliningCutoff'/>\n");
		}
		return LOG.replace("<inline_success reason='inline (hot)'/>\n</task>", calls + "</task>");
	}

	private static HotPath path(String log) {
		return HotPath.of(CompilerLog.parse(log.lines().toList()), List.of(ENTRY));
	}

}
