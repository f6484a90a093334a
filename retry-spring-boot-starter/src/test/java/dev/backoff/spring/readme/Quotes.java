package dev.backoff.spring.readme;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

import dev.backoff.annotation.Backoff;

/** The client that docs/limits.md shows. */
@HttpExchange("/quotes")
public interface Quotes {

	@Backoff("quotes")
	@GetExchange("/{sku}")
	String quote(@PathVariable String sku);

}
