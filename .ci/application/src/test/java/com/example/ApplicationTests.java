package com.example;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import dev.backoff.test.BackoffCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** The library that the application has resolved retries its call. */
@SpringBootTest
class ApplicationTests {

	@Test
	void retriesTheCall(@Autowired Application.Orders orders, @Autowired BackoffCalls calls) throws Exception {
		assertThat(orders.place()).isEqualTo("placed");
		assertThat(calls.of("Orders.place")).attempts(3).succeeded();
	}

}
