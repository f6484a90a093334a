package dev.backoff.durable;

import java.lang.reflect.Modifier;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import dev.backoff.spring.advice.SubmissionGate;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff.durable");

	@Test
	void thePackageIsNullMarked() throws ClassNotFoundException {
		Class<?> info = Class.forName(getClass().getPackageName() + ".package-info");
		assertThat(info.isAnnotationPresent(NullMarked.class)).isTrue();
	}

	@Test
	void theStarterFindsTheModule() {
		assertThat(DurableCall.class.getName()).isEqualTo(SubmissionGate.HANDLE);
	}

	@Test
	void onlyThreeTypesAreForUsersBesideTheAutoConfiguration() {
		assertThat(CLASSES.stream()
			.filter((type) -> type.isTopLevelClass() && Modifier.isPublic(type.reflect().getModifiers()))
			.map((type) -> type.getSimpleName()))
			.containsExactlyInAnyOrder("DurableCalls", "DurableCall", "DurableState", "DurableAutoConfiguration");
	}

	@Test
	void optionalLibrariesAreNamedBehindTheirConditions() {
		noClasses().that()
			.doNotHaveSimpleName("DurablePart")
			.and()
			.haveSimpleNameNotEndingWith("Endpoint")
			.and()
			.doNotHaveSimpleName("DurableAutoConfiguration")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot.actuate..")
			.check(CLASSES);
		// Spring itself needs io.micrometer.observation
		noClasses().that()
			.doNotHaveSimpleName("Binder")
			.and()
			.doNotHaveSimpleName("Meters")
			.and()
			.doNotHaveSimpleName("DurableAutoConfiguration")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.micrometer.core..")
			.check(CLASSES);
		noClasses().that()
			.doNotHaveSimpleName("Store")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.h2..")
			.check(CLASSES);
	}

	@Test
	void theTimeOfACallIsThatOfItsDatabaseAndWaitsAreOfTheCore() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "javax.sql..", "dev.backoff..", "org.jspecify..", "org.slf4j..",
					"org.aopalliance..", "org.springframework..", "com.github.kagkarlsson.scheduler..",
					"tools.jackson..", "com.fasterxml.jackson.annotation..", "io.micrometer..", "org.h2..")
			.check(CLASSES);
		noClasses().should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(Thread.class, "sleep", long.class)
			.check(CLASSES);
	}

}
