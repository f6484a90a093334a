package dev.backoff.spring.readme;

import org.springframework.stereotype.Component;

import dev.backoff.spring.live.LiveConfiguration;

@Component
class Settings {

	private final LiveConfiguration configuration;

	Settings(LiveConfiguration configuration) {
		this.configuration = configuration;
	}

	void changed() {
		if (!this.configuration.refresh("the settings page")) {
			// refused: the log has the report, and nothing has changed
		}
	}

}
