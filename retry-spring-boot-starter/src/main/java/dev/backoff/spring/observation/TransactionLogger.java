package dev.backoff.spring.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;

/**
 * Warn, once for each method, of a call that is retried inside a transaction of its
 * caller. An attempt's own transaction has ended by then. Thread-safe.
 * <p>
 * The thread that chooses the wait is asked. If the stage of an asynchronous call fails
 * later, that is another thread than the caller's. Transactions of reactive calls are
 * bound to no thread and are not found.
 */
final class TransactionLogger implements RetryListener {

	private static final Logger logger = LoggerFactory.getLogger(TransactionLogger.class);

	private static final int MAX_REMEMBERED = 1_000;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	@Override
	public void onRetry(RetryEvent.Scheduled event) {
		if (event.attempt() > 1 || !TransactionSynchronizationManager.isActualTransactionActive()
				|| this.warned.size() >= MAX_REMEMBERED || !this.warned.add(event.method())) {
			return;
		}
		logger.atWarn()
			.addKeyValue("backoff.policy", event.policy())
			.addKeyValue("backoff.method", event.method())
			.log("Retrying " + event.method() + " inside a transaction of its caller: its connection is held through "
					+ "the waits. If the attempts take part in it, it may already be rollback-only, so that no retry can "
					+ "save it; if not, what failed attempts wrote is committed too. Put @Backoff on "
					+ "the method that begins the transaction, or call " + event.method() + " outside of it (policy "
					+ event.policy() + ")");
	}

}
