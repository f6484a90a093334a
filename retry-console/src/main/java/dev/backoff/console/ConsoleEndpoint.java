package dev.backoff.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * Serve the console: a static page without data. What it shows and changes, it asks of
 * the endpoint {@code backoff}, whose exposure, access and security apply. The page is
 * served only where {@code management.endpoint.backoffconsole.access} and the exposure
 * name it: the exposure of all endpoints does not include it. Thread-safe.
 */
@WebEndpoint(id = "backoffconsole", defaultAccess = Access.NONE)
@ImportRuntimeHints(ConsoleEndpoint.Files.class)
class ConsoleEndpoint {

	private static final EndpointId ID = EndpointId.of("backoffconsole");

	private static final EndpointId BACKOFF = EndpointId.of("backoff");

	private static final String HTML = "text/html;charset=UTF-8";

	private static final String SCRIPT = "text/javascript;charset=UTF-8";

	private static final String STYLE = "text/css;charset=UTF-8";

	private static final String ICON = "image/svg+xml";

	/* The page itself is no part: its links would lead nowhere. */
	private static final Map<String, String> TYPES = Map.of("js", SCRIPT, "css", STYLE, "svg", ICON);

	private static final Pattern PART = Pattern.compile("[a-z]+\\.([a-z]+)");

	private final Supplier<@Nullable PathMappedEndpoints> paths;

	/** Create the endpoint; the paths are asked for at each request. */
	ConsoleEndpoint(Supplier<@Nullable PathMappedEndpoints> paths) {
		this.paths = paths;
	}

	/** Return the page. */
	@ReadOperation(produces = HTML)
	Resource page() throws IOException {
		String own = path(ID);
		// links that hold below any context path, and behind any proxy
		String root = "../".repeat(own.split("/").length - 1);
		String page = file("page.html").getContentAsString(StandardCharsets.UTF_8)
			.replace("{{own}}", root + own)
			.replace("{{backoff}}", root + path(BACKOFF));
		return new ByteArrayResource(page.getBytes(StandardCharsets.UTF_8));
	}

	/** Return a script, the style or the icon of the page. */
	@ReadOperation(produces = { SCRIPT, STYLE, ICON })
	WebEndpointResponse<@Nullable Resource> part(@Selector String part) {
		Matcher name = PART.matcher(part);
		String type = name.matches() ? TYPES.get(name.group(1)) : null;
		return (type != null && file(part).exists()) ? new WebEndpointResponse<>(file(part), MimeType.valueOf(type))
				: new WebEndpointResponse<>(null, WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private String path(EndpointId endpoint) {
		PathMappedEndpoints known = this.paths.get();
		String path = (known != null) ? known.getRootPath(endpoint) : null;
		return (path != null) ? path : endpoint.toString();
	}

	private static Resource file(String name) {
		return new ClassPathResource("/dev/backoff/console/" + name, ConsoleEndpoint.class);
	}

	/** Keep the files of the page in a native image. */
	static class Files implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("dev/backoff/console/*");
		}

	}

}
