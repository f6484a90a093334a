package dev.backoff.simulator;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff.simulator");

	@Test
	void packagesAreNullMarked() throws ClassNotFoundException {
		for (String name : new String[] { "", ".svg" }) {
			Class<?> info = Class.forName(getClass().getPackageName() + name + ".package-info");
			assertThat(info.isAnnotationPresent(NullMarked.class)).isTrue();
		}
	}

	@Test
	void aSimulationReadsNoClockAndDrawsFromItsSeed() {
		noClasses().should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod(Math.class, "random")
			.orShould()
			.callMethod(Math.class, "log", double.class)
			.orShould()
			.dependOnClassesThat()
			.haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
			.because("the same seed gives the same bytes on every machine")
			.check(CLASSES);
	}

	@Test
	void onlyThePartsOfTheEndpointNeedActuator() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("Part")
			.and()
			.doNotHaveSimpleName("SimulatorAutoConfiguration")
			.and()
			.doNotHaveSimpleName("Endpoint")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.boot.actuate..", "dev.backoff.spring.actuate..")
			.check(CLASSES);
	}

	@Test
	void chartsKnowNothingOfRetries() {
		noClasses().that()
			.resideInAPackage("dev.backoff.simulator.svg")
			.should()
			.dependOnClassesThat()
			.haveNameMatching("dev\\.backoff\\.(?!simulator\\.svg).*")
			.check(CLASSES);
	}

}
