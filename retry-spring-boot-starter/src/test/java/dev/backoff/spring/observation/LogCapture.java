package dev.backoff.spring.observation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** What one logger says, at all levels, until closed. */
public final class LogCapture implements AutoCloseable {

	private final Logger logger;

	private final Level levelBefore;

	/* What the thread had then is not there later. */
	private final ListAppender<ILoggingEvent> appender = new ListAppender<>() {

		@Override
		protected void append(ILoggingEvent event) {
			event.prepareForDeferredProcessing();
			super.append(event);
		}

	};

	public LogCapture(Class<?> type) {
		this(type, Level.DEBUG);
	}

	public LogCapture(Class<?> type, Level level) {
		this.logger = (Logger) LoggerFactory.getLogger(type);
		this.levelBefore = this.logger.getLevel();
		this.logger.setLevel(level);
		this.logger.setAdditive(false);
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	Logger logger() {
		return this.logger;
	}

	public List<ILoggingEvent> events() {
		return List.copyOf(this.appender.list);
	}

	public List<ILoggingEvent> events(Level level) {
		return events().stream().filter((event) -> event.getLevel() == level).toList();
	}

	public List<String> lines(Level level) {
		return events(level).stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	static Map<String, Object> keyValues(ILoggingEvent event) {
		Map<String, Object> keyValues = new LinkedHashMap<>();
		event.getKeyValuePairs().forEach((pair) -> keyValues.put(pair.key, pair.value));
		return keyValues;
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
		this.logger.setLevel(this.levelBefore);
		this.logger.setAdditive(true);
	}

}
