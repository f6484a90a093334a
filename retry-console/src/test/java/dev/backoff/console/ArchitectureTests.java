package dev.backoff.console;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff.console");

	@Test
	void thePageKnowsTheEndpointByItsAnswersOnly() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "dev.backoff.console..", "org.jspecify..", "org.springframework..")
			.because("what the page shows and changes, it asks of the endpoint")
			.check(CLASSES);
	}

	@Test
	void thePackageIsNullMarked() {
		assertThat(ConsoleAutoConfiguration.class.getPackage().isAnnotationPresent(NullMarked.class)).isTrue();
	}

}
