package dev.backoff.test;

import java.nio.file.Path;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter().importPath(Path.of("target", "classes"));

	@Test
	void thePackageIsNullMarked() throws ClassNotFoundException {
		Class<?> info = Class.forName(getClass().getPackageName() + ".package-info");
		assertThat(info.isAnnotationPresent(NullMarked.class)).isTrue();
	}

	@Test
	void timeNeedsTheCoreOnly() {
		noClasses().that()
			.haveNameMatching(".*\\.(VirtualTime|Agenda|Work|Recording|Chance)(\\$.*)?")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "dev.backoff.spring..", "org.assertj..", "org.junit..")
			.because("it also serves tests without Spring, of any test framework")
			.check(CLASSES);
	}

	@Test
	void namesNoTestFramework() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.junit..", "org.testng..")
			.because("beans reach tests by Spring's own extensions")
			.check(CLASSES);
	}

}
