package dev.backoff.spring.aspectj;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.UseNoMonitor;
import dev.backoff.spring.configuration.BackoffConfiguration;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff.spring.aspectj");

	@Test
	void thePackageIsNullMarked() throws ClassNotFoundException {
		Class<?> info = Class.forName(getClass().getPackageName() + ".package-info");
		assertThat(info.isAnnotationPresent(NullMarked.class)).isTrue();
	}

	@Test
	void theStarterFindsTheModule() {
		assertThat(AspectJWeaving.class.getName()).isEqualTo(BackoffConfiguration.WEAVING);
	}

	@Test
	void dependsOnTheStarterAndTheRunTimeOfAspectj() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "dev.backoff.annotation", "dev.backoff.spring.advice",
					"dev.backoff.spring.configuration", "dev.backoff.spring.policy", "dev.backoff.spring.aspectj",
					"org.aspectj.lang..", "org.aspectj.runtime..", "org.aspectj.internal.lang..", "org.aopalliance..",
					"org.jspecify..", "org.springframework.aop..", "org.springframework.beans..",
					"org.springframework.core..", "org.springframework.util..")
			.because("every other library would have to be in every application")
			.check(CLASSES);
	}

	@Test
	void onlyWhatTheWeaverAddsIsPublic() {
		classes().that()
			.arePublic()
			.should()
			.haveNameMatching(".*\\.(BackoffAspect|Woven)")
			.because("woven classes name these two")
			.check(CLASSES);
	}

	@Test
	void usesNoMonitor() {
		classes().should(new UseNoMonitor())
			.because("a virtual thread that waits in one pins its carrier")
			.check(CLASSES);
	}

}
