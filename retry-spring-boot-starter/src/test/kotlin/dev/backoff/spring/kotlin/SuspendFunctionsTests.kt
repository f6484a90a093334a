package dev.backoff.spring.kotlin

import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class SuspendFunctionsTests {

	@Test
	fun compile() {
		assertThat(runBlocking { 1 }).isEqualTo(1)
	}

}
