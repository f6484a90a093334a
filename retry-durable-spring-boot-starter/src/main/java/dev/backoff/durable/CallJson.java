package dev.backoff.durable;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stored calls as JSON, without names of types. Reading ignores unknown properties and
 * takes 0 for a missing primitive. Immutable and thread-safe.
 */
final class CallJson implements Serializer {

	private static final JsonMapper ROWS = lenient(JsonMapper.shared());

	/* The application's, whose modules may write its times and dates in their own way. */
	private final JsonMapper mapper;

	CallJson(JsonMapper mapper) {
		this.mapper = lenient(mapper);
	}

	private static JsonMapper lenient(JsonMapper mapper) {
		return mapper.rebuild()
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
			.build();
	}

	@Override
	public byte[] serialize(Object data) {
		return ROWS.writeValueAsBytes(data);
	}

	@Override
	public <T> T deserialize(Class<T> type, byte[] data) {
		return ROWS.readValue(data, type);
	}

	/** Return arguments as JSON; throw if Jackson cannot write one. */
	List<JsonNode> write(@Nullable Object[] arguments) {
		List<JsonNode> written = new ArrayList<>();
		for (Object argument : arguments) {
			written.add(this.mapper.valueToTree(argument));
		}
		return written;
	}

	int size(List<JsonNode> arguments) {
		return ROWS.writeValueAsBytes(arguments).length;
	}

	/** Return arguments by the types of a method; throw if they do not fit. */
	@Nullable Object[] read(Method method, List<JsonNode> arguments) {
		Type[] types = method.getGenericParameterTypes();
		if (arguments.size() != types.length) {
			throw new IllegalArgumentException(
					"it has " + arguments.size() + " arguments, and " + method.getName() + " takes " + types.length);
		}
		@Nullable Object[] read = new @Nullable Object[types.length];
		for (int i = 0; i < types.length; i++) {
			read[i] = this.mapper.convertValue(arguments.get(i), this.mapper.constructType(types[i]));
		}
		return read;
	}

	/**
	 * Rows by JSON or the application's serializer. Reading never throws: a row that
	 * cannot be read becomes a call that keeps its bytes.
	 */
	record Rows(Serializer given) implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			String unreadable = ((StoredCall) data).unreadable();
			return (unreadable != null) ? unreadable.getBytes(StandardCharsets.ISO_8859_1) : this.given.serialize(data);
		}

		@Override
		public <T> T deserialize(Class<T> type, byte @Nullable [] data) {
			return type.cast(read((data != null) ? data : new byte[0]));
		}

		private StoredCall read(byte[] data) {
			try {
				StoredCall call = this.given.deserialize(StoredCall.class, data);
				if (call.format() == StoredCall.FORMAT && call.id() != null && call.arguments() != null
						&& call.submitted() != null) {
					return call;
				}
			}
			catch (RuntimeException | LinkageError | StackOverflowError ex) {
				// it is kept as it is
			}
			return StoredCall.unreadable(new String(data, StandardCharsets.ISO_8859_1));
		}

	}

}
