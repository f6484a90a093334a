package dev.backoff.durable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

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

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("dev.backoff.durable");

	@Test
	void thePackageIsNullMarked() throws ClassNotFoundException {
		Class<?> info = Class.forName(getClass().getPackageName() + ".package-info");
		assertThat(info.isAnnotationPresent(NullMarked.class)).isTrue();
	}

	@Test
	void theModuleDescribesItsKeysToEditors() throws IOException {
		List<String> described = new ArrayList<>();
		for (URL file : Collections.list(getClass().getClassLoader().getResources(METADATA))) {
			try (InputStream stream = file.openStream()) {
				described.add(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
			}
		}
		assertThat(described).filteredOn((text) -> text.contains("\"backoff.durable.heartbeat\""))
			.singleElement()
			.asString()
			.doesNotContain("\"backoff.enabled\"");
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
			.doNotHaveSimpleName("DurableMeterBinder")
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
