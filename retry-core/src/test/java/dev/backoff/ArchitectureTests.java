package dev.backoff;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.HouseRules;
import dev.backoff.fixture.UseNoMonitor;
import dev.backoff.pace.PacedException;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff");

	@Nested
	class Packages {

		@Test
		void haveNoCycles() {
			slices().assignedFrom(new SliceAssignment() {

				@Override
				public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
					return javaClass.getPackageName().startsWith("dev.backoff")
							? SliceIdentifier.of(javaClass.getPackageName()) : SliceIdentifier.ignore();
				}

				@Override
				public String getDescription() {
					return "packages";
				}

			}).should().beFreeOfCycles().check(CLASSES);
		}

		@ParameterizedTest
		@CsvSource({
				"dev.backoff, dev.backoff.policy dev.backoff.event dev.backoff.failure dev.backoff.delay dev.backoff.budget dev.backoff.breaker dev.backoff.pace dev.backoff.concurrency dev.backoff.window dev.backoff.key dev.backoff.time",
				"dev.backoff.policy, dev.backoff.failure dev.backoff.delay dev.backoff.concurrency dev.backoff.window dev.backoff.time",
				"dev.backoff.event, dev.backoff.failure dev.backoff.breaker dev.backoff.time",
				"dev.backoff.failure, dev.backoff.delay dev.backoff.time",
				"dev.backoff.breaker, dev.backoff.window dev.backoff.delay dev.backoff.pace dev.backoff.concurrency dev.backoff.key dev.backoff.time",
				"dev.backoff.pace, dev.backoff.concurrency dev.backoff.key dev.backoff.time",
				"dev.backoff.key, dev.backoff.time", "dev.backoff.concurrency, ''",
				"dev.backoff.budget, dev.backoff.time", "dev.backoff.window, dev.backoff.time",
				"dev.backoff.delay, dev.backoff.time", "dev.backoff.time, ''", "dev.backoff.annotation, ''" })
		void importOneWay(String from, String to) {
			String allowed = from + " " + to + " java.. org.jspecify..";
			classes().that()
				.resideInAPackage(from)
				.should()
				.onlyDependOnClassesThat()
				.resideInAnyPackage(allowed.replaceAll(" +", " ").split(" ", -1))
				.because(
						"the arrows are root -> policy, event -> failure -> delay, budget, breaker, pace, concurrency, window, key, time; no child imports its parent")
				.check(CLASSES);
		}

		@Test
		void takeOnlyChanceFromDelayIntoTheBreaker() {
			noClasses().that()
				.resideInAPackage("dev.backoff.breaker")
				.should()
				.dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.backoff.delay")
					.and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(RandomSource.class))))
				.because("a breaker draws its time open and knows no backoff")
				.check(CLASSES);
		}

		@Test
		void takeOnlyTheExceptionsFromLimitAndPaceIntoTheBreaker() {
			noClasses().that()
				.resideInAPackage("dev.backoff.breaker")
				.should()
				.dependOnClassesThat(
						JavaClass.Predicates.resideInAnyPackage("dev.backoff.concurrency", "dev.backoff.pace")
							.and(DescribedPredicate.not(JavaClass.Predicates
								.belongToAnyOf(ConcurrencyExceededException.class, PacedException.class))))
				.because("a breaker does not count a call that got no permit or no turn, and takes none")
				.check(CLASSES);
		}

		@Test
		void areTheOnesWhoseArrowsAreKnown() {
			assertThat(HouseRules.packages(CLASSES)).containsExactlyInAnyOrder("dev.backoff", "dev.backoff.policy",
					"dev.backoff.event", "dev.backoff.failure", "dev.backoff.delay", "dev.backoff.budget",
					"dev.backoff.breaker", "dev.backoff.pace", "dev.backoff.concurrency", "dev.backoff.window",
					"dev.backoff.key", "dev.backoff.time", "dev.backoff.annotation");
		}

		@Test
		void areNullMarked() throws ClassNotFoundException {
			HouseRules.assertNullMarked(CLASSES);
		}

	}

	@Nested
	class Calls {

		@Test
		void readNoClockAndSleepOutsideTime() {
			noClasses().that()
				.resideOutsideOfPackage("dev.backoff.time")
				.should()
				.callMethodWhere(HouseRules.callTo(System.class, "nanoTime", "currentTimeMillis"))
				.orShould()
				.callMethodWhere(HouseRules.callTo(Thread.class, "sleep", "onSpinWait"))
				.orShould()
				.dependOnClassesThat()
				.haveNameMatching("java\\.util\\.concurrent\\.locks\\.LockSupport|java\\.time\\.(Clock|Instant)")
				.because("tests replace time as a whole, by RetryTime")
				.check(CLASSES);
		}

		@Test
		void takeChanceFromRandomSource() {
			noClasses().that()
				.doNotBelongToAnyOf(RandomSource.class)
				.should()
				.callMethodWhere(HouseRules.callTo(Math.class, "random"))
				.orShould()
				.dependOnClassesThat()
				.areAssignableTo("java.util.Random")
				.because("tests replace chance, by RandomSource")
				.check(CLASSES);
		}

		@Test
		void createNoThreads() {
			HouseRules.createNoThreads(JavaClass.Predicates.resideOutsideOfPackage("dev.backoff.time")).check(CLASSES);
		}

	}

	@Nested
	class Names {

		@Test
		void ofTypesSayWhatTheyAre() {
			classes().should(HouseRules.haveNoEmptyWordInTheirNames()).check(CLASSES);
		}

		@Test
		void ofMethodsSayWhatTheyDo() {
			methods().should(HouseRules.haveNoEmptyVerbInTheirNames()).check(CLASSES);
		}

		@ParameterizedTest
		@ValueSource(strings = { "RetryUtil", "RetryUtils", "CallHelper", "RetryManager", "RetryImpl", "RetrySupport",
				"AbstractRetry", "RetryData", "CallInfoStore" })
		void areSeenToBeForbidden(String name) {
			assertThat(HouseRules.hasEmptyWord(name)).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "Implementation", "Supporter", "Dataset", "Abstraction", "package-info" })
		void areSeenToBeAllowed(String name) {
			assertThat(HouseRules.hasEmptyWord(name)).isFalse();
		}

	}

	@Test
	void dependsOnJavaAndJSpecifyOnly() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.jspecify..", "dev.backoff..")
			.because("the core is plain Java")
			.check(CLASSES);
	}

	@Nested
	class Monitors {

		@Test
		void areUsedForAFewInstructionsOnly() {
			classes().that()
				.haveNameNotMatching(
						"dev.backoff.(CallRegistry|CallStack|BlockingDriver|AsyncCall|concurrency.ConcurrencyLimit|pace.Pace|key.KeyTable|window.CountWindow|time.SystemTimer)")
				.and()
				.doNotBelongToAnyOf(RetriesStoppedException.class)
				.should(new UseNoMonitor())
				.because("a virtual thread that waits in one pins its carrier; these run no foreign code in theirs, "
						+ "and the mark is set under the failure's own, as what it is added to does")
				.check(CLASSES);
		}

		@Test
		void areSeenOfMethodsAndBlocks() {
			JavaClasses users = new ClassFileImporter().importClasses(UsesMonitors.class);
			assertThatThrownBy(() -> classes().should(new UseNoMonitor()).check(users))
				.isInstanceOf(AssertionError.class)
				.hasMessageContaining("[block, method]");
		}

		static final class UsesMonitors {

			int count;

			synchronized void method() {
				this.count++;
			}

			void block() {
				synchronized (this) {
					this.count--;
				}
			}

		}

	}

}
