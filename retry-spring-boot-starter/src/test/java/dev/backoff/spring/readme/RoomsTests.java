package dev.backoff.spring.readme;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.PropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The policies of docs/changing.md let one room wait longer. */
class RoomsTests {

	@ParameterizedTest
	@CsvSource({ "east, 12800", "west, 5000" })
	void onlyTheRoomWithACapOfItsOwnWaitsLonger(String room, long lastDelay) throws IOException {
		String shown = Page.of("docs/changing.md").blocks("yaml").get(2);
		PropertySource<?> before = Page.yaml(shown.replaceFirst(" cap: 30s.*", ""));
		PropertySource<?> after = Page.yaml(shown);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(RetryTime.class, VirtualTime::new)
			.withBean(Rooms.class)
			.withPropertyValues("room=" + room, "backoff.defaults.jitter=none")
			.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(before))
			.run((context) -> {
				assertThat(lastDelay(context)).isEqualTo(5000);
				context.getEnvironment().getPropertySources().replace(before.getName(), after);
				context.getBean(LiveConfiguration.class).refresh("the centre");
				assertThat(lastDelay(context)).isEqualTo(lastDelay);
			});
	}

	private static long lastDelay(ApplicationContext context) {
		Throwable failure = catchThrowable(() -> context.getBean(Rooms.class).pay("o-1"));
		List<RetriesStoppedException.Wait> waits = RetriesStoppedException.of(failure).waits();
		return waits.get(waits.size() - 1).length().toMillis();
	}

	public static class Rooms {

		@Backoff("payments-${room}")
		public void pay(String order) throws IOException {
			throw new IOException(order);
		}

	}

}
