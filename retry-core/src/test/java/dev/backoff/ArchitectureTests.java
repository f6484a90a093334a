package dev.backoff;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.UseNoMonitor;

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
				"dev.backoff, dev.backoff.policy dev.backoff.event dev.backoff.failure dev.backoff.delay dev.backoff.budget dev.backoff.breaker dev.backoff.concurrency dev.backoff.window dev.backoff.time",
				"dev.backoff.policy, dev.backoff.failure dev.backoff.delay dev.backoff.concurrency dev.backoff.window dev.backoff.time",
				"dev.backoff.event, dev.backoff.failure dev.backoff.breaker dev.backoff.time",
				"dev.backoff.failure, dev.backoff.delay dev.backoff.time",
				"dev.backoff.breaker, dev.backoff.window dev.backoff.delay dev.backoff.concurrency dev.backoff.time",
				"dev.backoff.concurrency, ''", "dev.backoff.budget, dev.backoff.time",
				"dev.backoff.window, dev.backoff.time", "dev.backoff.delay, dev.backoff.time", "dev.backoff.time, ''",
				"dev.backoff.annotation, ''" })
		void importOneWay(String from, String to) {
			String allowed = from + " " + to + " java.. org.jspecify..";
			classes().that()
				.resideInAPackage(from)
				.should()
				.onlyDependOnClassesThat()
				.resideInAnyPackage(allowed.replaceAll(" +", " ").split(" ", -1))
				.because(
						"the arrows are root -> policy, event -> failure -> delay, budget, breaker, concurrency, window, time; no child imports its parent")
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
		void takeOnlyTheExceptionFromTheThrottleIntoTheBreaker() {
			noClasses().that()
				.resideInAPackage("dev.backoff.breaker")
				.should()
				.dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.backoff.concurrency")
					.and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(ConcurrencyExceededException.class))))
				.because("a breaker does not count a call that got no permit, and takes none")
				.check(CLASSES);
		}

		@Test
		void areTheOnesWhoseArrowsAreKnown() {
			assertThat(packages()).containsExactlyInAnyOrder("dev.backoff", "dev.backoff.policy", "dev.backoff.event",
					"dev.backoff.failure", "dev.backoff.delay", "dev.backoff.budget", "dev.backoff.breaker",
					"dev.backoff.concurrency", "dev.backoff.window", "dev.backoff.time", "dev.backoff.annotation");
		}

		@Test
		void areNullMarked() throws ClassNotFoundException {
			for (String name : packages()) {
				Class<?> info = Class.forName(name + ".package-info");
				assertThat(info.isAnnotationPresent(NullMarked.class)).as(name).isTrue();
			}
		}

		private static Set<String> packages() {
			return CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
		}

	}

	@Nested
	class Calls {

		@Test
		void readNoClockAndSleepOutsideTime() {
			noClasses().that()
				.resideOutsideOfPackage("dev.backoff.time")
				.should()
				.callMethodWhere(callTo(System.class, "nanoTime", "currentTimeMillis"))
				.orShould()
				.callMethodWhere(callTo(Thread.class, "sleep", "onSpinWait"))
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
				.callMethodWhere(callTo(Math.class, "random"))
				.orShould()
				.dependOnClassesThat()
				.areAssignableTo("java.util.Random")
				.because("tests replace chance, by RandomSource")
				.check(CLASSES);
		}

		@Test
		void createNoThreads() {
			noClasses().that()
				.resideOutsideOfPackage("dev.backoff.time")
				.should()
				.dependOnClassesThat()
				.haveNameMatching(
						"java\\.util\\.concurrent\\.(Executors|ThreadPoolExecutor|ScheduledThreadPoolExecutor|ForkJoinPool)|java\\.util\\.Timer")
				.orShould()
				.callConstructorWhere(new DescribedPredicate<>("a thread is made") {

					@Override
					public boolean test(JavaConstructorCall call) {
						return call.getTargetOwner().isAssignableTo(Thread.class);
					}

				})
				.because("threads are asked of time, which tests replace")
				.check(CLASSES);
		}

		private static DescribedPredicate<JavaMethodCall> callTo(Class<?> owner, String... names) {
			return new DescribedPredicate<>("call " + owner.getSimpleName() + "." + String.join("|", names)) {

				@Override
				public boolean test(JavaMethodCall call) {
					return call.getTargetOwner().isEquivalentTo(owner) && List.of(names).contains(call.getName());
				}

			};
		}

	}

	@Nested
	class Names {

		private static final Pattern FORBIDDEN = Pattern
			.compile(".*(Utils?|Helper|Manager|Impl|Support|Abstract|Data|Info)(?![a-z]).*");

		private static final Pattern FORBIDDEN_VERB = Pattern.compile("(process|do)([A-Z].*)?");

		@Test
		void ofTypesSayWhatTheyAre() {
			classes().should(new ArchCondition<>("have no empty word in their names") {

				@Override
				public void check(JavaClass item, ConditionEvents events) {
					events.add(new SimpleConditionEvent(item, !isForbidden(item.getSimpleName()), item.getName()));
				}

			}).check(CLASSES);
		}

		@Test
		void ofMethodsSayWhatTheyDo() {
			methods().should(new ArchCondition<>("have no empty verb in their names") {

				@Override
				public void check(JavaMethod item, ConditionEvents events) {
					events.add(new SimpleConditionEvent(item, !FORBIDDEN_VERB.matcher(item.getName()).matches(),
							item.getFullName()));
				}

			}).check(CLASSES);
		}

		@ParameterizedTest
		@ValueSource(strings = { "RetryUtil", "RetryUtils", "CallHelper", "RetryManager", "RetryImpl", "RetrySupport",
				"AbstractRetry", "RetryData", "CallInfoStore" })
		void areSeenToBeForbidden(String name) {
			assertThat(isForbidden(name)).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "Implementation", "Supporter", "Dataset", "Abstraction", "package-info" })
		void areSeenToBeAllowed(String name) {
			assertThat(isForbidden(name)).isFalse();
		}

		private static boolean isForbidden(String name) {
			return FORBIDDEN.matcher(name).matches();
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
						"dev.backoff.(CallRegistry|CallStack|BlockingDriver|AsyncCall|concurrency.ConcurrencyLimit|window.CountWindow|time.SystemTimer)")
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
