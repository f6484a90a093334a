package dev.backoff.sample.assistant;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AssistantController {

	private final AssistantService assistant;

	AssistantController(AssistantService assistant) {
		this.assistant = assistant;
	}

	@PostMapping("/answers")
	Answer answer(@RequestParam String question) {
		return new Answer(this.assistant.answer(question));
	}

	/**
	 * The answer to a question.
	 *
	 * @param text the provider's words
	 */
	record Answer(String text) {
	}

}
