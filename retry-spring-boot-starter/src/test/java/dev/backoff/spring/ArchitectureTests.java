package dev.backoff.spring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;

import dev.backoff.fixture.HouseRules;
import dev.backoff.fixture.UseNoMonitor;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ArchitectureTests {

	private static final String ROOT = "dev.backoff.spring";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Nested
	class Packages {

		@Test
		void haveNoCycles() {
			slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
		}

		@ParameterizedTest
		@CsvSource({ "configuration, ''", "policy, configuration", "adapt, advice policy", "failure, ''",
				"safety, policy configuration", "reactive, ''", "advice, policy configuration safety reactive",
				"live, policy configuration", "observation, policy configuration safety live reactive",
				"actuate, policy configuration safety live observation otherretries",
				"http, policy configuration failure", "otherretries, policy configuration" })
		void importOneWay(String from, String to) {
			String[] siblings = Stream
				.of("configuration", "policy", "adapt", "failure", "safety", "reactive", "advice", "observation",
						"actuate", "http", "live", "otherretries", "autoconfigure")
				.filter((sibling) -> !sibling.equals(from) && !List.of(to.split(" ")).contains(sibling))
				.map((sibling) -> ROOT + "." + sibling)
				.toArray(String[]::new);
			noClasses().that()
				.resideInAPackage(ROOT + "." + from)
				.should()
				.dependOnClassesThat()
				.resideInAnyPackage(siblings)
				.because("the arrows are autoconfigure -> all; advice, observation, actuate -> safety -> policy; "
						+ "actuate -> observation -> live -> policy -> configuration; "
						+ "advice, observation -> reactive; http, otherretries -> policy; http -> failure; actuate -> otherretries; adapt -> advice")
				.check(CLASSES);
		}

		@Test
		void areTheOnesWhoseArrowsAreKnown() {
			assertThat(HouseRules.packages(CLASSES)).containsExactlyInAnyOrder(ROOT + ".configuration",
					ROOT + ".policy", ROOT + ".adapt", ROOT + ".failure", ROOT + ".safety", ROOT + ".reactive",
					ROOT + ".advice", ROOT + ".observation", ROOT + ".actuate", ROOT + ".http", ROOT + ".live",
					ROOT + ".otherretries", ROOT + ".autoconfigure");
		}

		@Test
		void areNullMarked() throws ClassNotFoundException {
			HouseRules.assertNullMarked(CLASSES);
		}

	}

	@Nested
	class OptionalLibraries {

		@ParameterizedTest
		@CsvSource({ "io.micrometer.core.. io.micrometer.observation.. io.micrometer.common.., observation http",
				"io.micrometer.context.., http advice", "reactor.. org.reactivestreams.., http reactive",
				"kotlin.. kotlinx.., reactive", "jakarta.servlet.., http",
				"org.springframework.boot.restclient.. org.springframework.boot.webclient.., http",
				"org.springframework.boot.http.client.., http", "org.apache.hc.., http",
				"org.springframework.boot.actuate.., actuate", "org.springframework.boot.health.., actuate",
				"org.springframework.web.. org.springframework.http.., failure http",
				"org.springframework.dao.. org.springframework.jdbc.., failure",
				"org.springframework.transaction.., failure observation",
				"io.grpc.. com.google.rpc.. com.google.protobuf.., failure", "feign.., failure",
				// an annotation, which the virtual machine leaves out where it is missing
				"com.fasterxml.jackson.annotation.., configuration",
				"jakarta.mail.. org.eclipse.angus.. org.springframework.mail.., failure" })
		void areNamedWhereTheyMayBeMissing(String libraries, String packages) {
			namedOnlyIn(libraries.split(" ", -1), packages.split(" ", -1)).check(CLASSES);
		}

		@ParameterizedTest
		@ValueSource(strings = { "io.reactivex..", "org.springframework.boot.micrometer..", "tools.jackson..",
				"com.fasterxml.jackson.core..", "org.aspectj..", "jakarta.validation..", "jakarta.persistence.." })
		void areNotNamedAtAll(String library) {
			namedOnlyIn(new String[] { library }).check(CLASSES);
		}

		@Test
		void areSeenWhereTheyAreForbidden() {
			assertThatThrownBy(() -> namedOnlyIn(new String[] { "io.micrometer.." }, "autoconfigure").check(CLASSES))
				.isInstanceOf(AssertionError.class)
				.hasMessageContaining("MethodMeters");
		}

		@Test
		void areAllThatThereIsBesideTheStarter() {
			classes().should()
				.onlyDependOnClassesThat()
				.resideInAnyPackage("java..", "javax.net..", "javax.sql..", "javax.xml.stream..", "dev.backoff..",
						"org.jspecify..", "org.slf4j..", "org.aopalliance..", "org.springframework.aop..",
						"org.springframework.aot..", "org.springframework.asm..", "org.springframework.beans..",
						"org.springframework.boot", "org.springframework.boot.autoconfigure..",
						"org.springframework.boot.cloud..", "org.springframework.boot.context..",
						"org.springframework.boot.convert..", "org.springframework.boot.diagnostics..",
						"org.springframework.boot.env..", "org.springframework.boot.origin..",
						"org.springframework.boot.web.servlet", "org.springframework.context..",
						"org.springframework.core..", "org.springframework.expression..",
						"org.springframework.resilience..", "org.springframework.util..",
						// optional
						"com.fasterxml.jackson.annotation..", "io.micrometer..", "org.springframework.boot.health..",
						"reactor..", "org.reactivestreams..", "kotlin..", "kotlinx..", "jakarta.servlet..",
						"org.springframework.boot.restclient..", "org.springframework.boot.webclient..",
						"org.springframework.boot.http.client..", "org.apache.hc..",
						"org.springframework.boot.actuate..", "org.springframework.web..", "org.springframework.http..",
						"org.springframework.dao..", "org.springframework.jdbc..", "org.springframework.transaction..",
						"org.springframework.mail..", "jakarta.mail..", "org.eclipse.angus..", "io.grpc..",
						"com.google.rpc..", "com.google.protobuf..", "feign..")
				.because("every other library would have to be in every application")
				.check(CLASSES);
		}

		private static ArchRule namedOnlyIn(String[] libraries, String... packages) {
			String[] allowed = Arrays.stream(packages).map((name) -> ROOT + "." + name).toArray(String[]::new);
			return noClasses().that()
				.resideOutsideOfPackages(allowed)
				.should()
				.dependOnClassesThat()
				.resideInAnyPackage(libraries)
				.because("an application may lack them")
				.allowEmptyShould(true);
		}

	}

	@Nested
	class Calls {

		@Test
		void readNoClockAndSleepNowhere() {
			noClasses().should()
				.callMethodWhere(HouseRules.callTo(System.class, "nanoTime", "currentTimeMillis"))
				.orShould()
				.callMethodWhere(HouseRules.callTo(Thread.class, "sleep", "onSpinWait"))
				.orShould()
				.callMethodWhere(HouseRules.callTo(Instant.class, "now"))
				.orShould()
				.dependOnClassesThat()
				.haveFullyQualifiedName("java.util.concurrent.locks.LockSupport")
				.because("tests replace time as a whole, by RetryTime and a Clock")
				.check(CLASSES);
		}

		@Test
		void takeTheSystemsClockInAutoConfigurationsOnly() {
			noClasses().that()
				.areNotAnnotatedWith(AutoConfiguration.class)
				.should()
				.callMethodWhere(HouseRules.callTo(Clock.class, "systemUTC", "systemDefaultZone", "system"))
				.because("everything else is handed a clock")
				.check(CLASSES);
		}

		@Test
		void takeChanceFromRandomSource() {
			noClasses().should()
				.callMethodWhere(HouseRules.callTo(Math.class, "random"))
				.orShould()
				.dependOnClassesThat()
				.areAssignableTo("java.util.Random")
				.because("tests replace chance, by RandomSource")
				.check(CLASSES);
		}

		@Test
		void createNoThreads() {
			HouseRules.createNoThreads(DescribedPredicate.alwaysTrue()).check(CLASSES);
		}

	}

	@Nested
	class Names {

		@Test
		void ofTypesSayWhatTheyAre() {
			// named after the exception it classifies
			classes().that()
				.doNotHaveSimpleName("DataAccessFailureClassifier")
				.should(HouseRules.haveNoEmptyWordInTheirNames())
				.check(CLASSES);
		}

		@Test
		void ofMethodsSayWhatTheyDo() {
			// what these implement has that name
			methods().that()
				.areDeclaredInClassesThat()
				.areNotAssignableTo("jakarta.servlet.Filter")
				.and()
				.areDeclaredInClassesThat()
				.areNotAssignableTo(BeanFactoryInitializationAotProcessor.class)
				.should(HouseRules.haveNoEmptyVerbInTheirNames())
				.check(CLASSES);
		}

	}

	@Nested
	class AutoConfigurations {

		@Test
		void arePublicAndFinalWithoutPublicMembers() {
			classes().that()
				.areAnnotatedWith(AutoConfiguration.class)
				.should()
				.bePublic()
				.andShould()
				.haveModifier(JavaModifier.FINAL)
				.andShould(new ArchCondition<>("have no public members") {

					@Override
					public void check(JavaClass item, ConditionEvents events) {
						item.getMembers()
							.stream()
							.filter((member) -> !member.getName().equals("<init>"))
							.forEach((member) -> events.add(new SimpleConditionEvent(member,
									!member.getModifiers().contains(JavaModifier.PUBLIC), member.getFullName())));
					}

				})
				.because("an application names them in exclusions and uses nothing of them")
				.check(CLASSES);
		}

		@Test
		void areListed() throws IOException {
			String listed;
			try (InputStream file = getClass().getResourceAsStream(
					"/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")) {
				listed = new String(file.readAllBytes(), StandardCharsets.UTF_8);
			}
			assertThat(listed.lines().filter((line) -> !line.isBlank()))
				.containsExactlyInAnyOrderElementsOf(CLASSES.stream()
					.filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
					.map(JavaClass::getName)
					.toList());
		}

	}

	@Test
	void usesMonitorsForAFewInstructionsOnly() {
		classes().that()
			.haveSimpleNameNotEndingWith("BoundedRecorders")
			.and()
			.doNotHaveSimpleName("FluxCall")
			.should(new UseNoMonitor())
			.because("a virtual thread that waits in one pins its carrier; these wait for nothing in theirs")
			.check(CLASSES);
	}

}
