package dev.backoff.spring.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.spring.otherretries.OtherRetry;

/** Other retries in the application. */
record OtherRetriesDescriptor(List<OtherRetry> otherRetries) implements OperationResponseBody {
}
