package dev.backoff.durable;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.ser.std.ToStringSerializerBase;

import org.springframework.core.GenericTypeResolver;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Stored calls as JSON. A row ignores unknown properties and takes 0 for a missing
 * primitive. Its arguments are written and read by the declared types of the method, and
 * what another version of the method wrote is refused. Immutable and thread-safe.
 */
final class CallJson implements Serializer {

	/* Without limits, and with exact decimals where trees are compared. */
	private static final JsonMapper ROWS = JsonMapper
		.builder(JsonFactory.builder()
			.streamReadConstraints(StreamReadConstraints.builder()
				.maxNestingDepth(Integer.MAX_VALUE)
				.maxNumberLength(Integer.MAX_VALUE)
				.maxStringLength(Integer.MAX_VALUE)
				.maxNameLength(Integer.MAX_VALUE)
				.build())
			.streamWriteConstraints(StreamWriteConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
			.build())
		.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.build();

	/* The application's, whose modules may write its times and dates in their own way. */
	private final JsonMapper mapper;

	CallJson(JsonMapper mapper) {
		this.mapper = mapper.rebuild()
			.annotationIntrospector(new Strict(mapper.serializationConfig().getAnnotationIntrospector()))
			.addHandler(new Unknown())
			.addModule(new SimpleModule().addSerializer(new ToStringSerializer(File.class))
				.addSerializer(new ToStringSerializerBase(Path.class) {

					/* Without the directory of this process before a relative one. */
					@Override
					public String valueToString(Object path) {
						return ((Path) path).isAbsolute() ? ((Path) path).toUri().toString() : path.toString();
					}

				}))
			.enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
					DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
			.disable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
					DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE, DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
					DateTimeFeature.TRUNCATE_TO_MSECS_ON_WRITE)
			.build();
	}

	@Override
	public byte[] serialize(Object data) {
		return ROWS.writeValueAsBytes(data);
	}

	@Override
	public <T> T deserialize(Class<T> type, byte[] data) {
		return ROWS.readerFor(type).withAttribute(Raw.class, data).readValue(data);
	}

	/** Return arguments as a JSON array; throw if they do not come back as they are. */
	String write(AnnotatedMethod method, @Nullable Object[] arguments) {
		String written = text(method, arguments);
		String again = text(method, read(method, written));
		for (int i = 0; !again.equals(written) && i < arguments.length; i++) {
			compare(method.method().getParameters()[i].getName(), ROWS.readTree(written).path(i),
					ROWS.readTree(again).path(i));
		}
		return written;
	}

	private String text(AnnotatedMethod method, @Nullable Object[] arguments) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (JsonGenerator generator = this.mapper.createGenerator(bytes)) {
			generator.writeStartArray();
			for (int i = 0; i < arguments.length; i++) {
				JavaType type = type(method, i);
				Object argument = arguments[i];
				if (argument != null && !type.isPrimitive() && !type.isContainerType()) {
					// or what a subclass adds would be left out
					type = this.mapper.getTypeFactory().constructSpecializedType(type, argument.getClass());
				}
				this.mapper._serializationContext().serializeValue(generator, argument, type);
			}
			generator.writeEndArray();
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	/** Return arguments by the types of a method, or throw. */
	@Nullable Object[] read(AnnotatedMethod method, String arguments) {
		@Nullable Object[] read = new @Nullable Object[method.method().getParameterCount()];
		try (JsonParser parser = this.mapper.createParser(arguments.getBytes(StandardCharsets.UTF_8))) {
			boolean fits = parser.nextToken() == JsonToken.START_ARRAY;
			for (int i = 0; fits && i < read.length; i++) {
				fits = parser.nextToken() != JsonToken.END_ARRAY;
				read[i] = fits ? this.mapper.readerFor(type(method, i)).readValue(parser) : null;
			}
			if (!fits || parser.nextToken() != JsonToken.END_ARRAY) {
				throw new IllegalArgumentException("they are not the " + read.length + " arguments that it takes");
			}
		}
		return read;
	}

	JavaType type(AnnotatedMethod method, int parameter) {
		return this.mapper.constructType(
				GenericTypeResolver.resolveType(method.method().getGenericParameterTypes()[parameter], method.type()));
	}

	/* Throw with the first place where two values differ. */
	private static void compare(String place, JsonNode before, JsonNode after) {
		if (sorted(before).equals(sorted(after))) {
			return;
		}
		before.propertyNames().forEach((name) -> compare(place + "." + name, before.path(name), after.path(name)));
		for (int i = 0; before.isArray() && before.size() == after.size() && i < before.size(); i++) {
			compare(place + "[" + i + "]", before.path(i), after.path(i));
		}
		throw new IllegalArgumentException(
				place + ": " + before + " comes back as " + (after.isMissingNode() ? "nothing" : after));
	}

	/* The text of a value, without the order of properties and elements. */
	private static String sorted(JsonNode value) {
		Stream<String> parts = value.isObject()
				? value.properties().stream().map((part) -> part.getKey() + ":" + sorted(part.getValue()))
				: value.values().stream().map(CallJson::sorted);
		return value.isContainer() ? parts.sorted().toList() + (value.isObject() ? "{}" : "") : value.toString();
	}

	/** Return what Jackson reads a type with; throw if there is nothing. */
	ValueDeserializer<?> reader(JavaType type) {
		return this.mapper._deserializationContext().findNonContextualValueDeserializer(type);
	}

	/** Return whether the type of a value is stored by name where a type is declared. */
	boolean isTyped(JavaType type) {
		return this.mapper._deserializationContext().findTypeDeserializer(type) != null;
	}

	/** Return the names of the properties that are written, or null for no object. */
	@Nullable Set<String> written(JavaType type) {
		ValueSerializer<?> writer = this.mapper._serializationContext().findValueSerializer(type);
		Set<String> names = new HashSet<>();
		writer.properties().forEachRemaining((property) -> names.add(property.getName()));
		return (writer instanceof BeanSerializerBase || writer instanceof UnknownSerializer) ? names : null;
	}

	/** Neither ignores unknown properties nor leaves any out. */
	@SuppressWarnings("serial")
	private static final class Strict extends AnnotationIntrospectorPair {

		Strict(AnnotationIntrospector application) {
			super(AnnotationIntrospector.nopInstance(), application);
		}

		@Override
		public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
			return super.findPropertyIgnoralByName(config, annotated).withoutIgnoreUnknown();
		}

		@Override
		public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
			return JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);
		}

	}

	/** Skips the unknown properties that a class itself writes, and refuses others. */
	private final class Unknown extends DeserializationProblemHandler {

		@Override
		public boolean handleUnknownProperty(DeserializationContext context, JsonParser parser,
				ValueDeserializer<?> reader, Object bean, String name) {
			Set<String> written = written(context.constructType(reader.handledType()));
			if (written == null || !written.contains(name)) {
				throw UnrecognizedPropertyException.from(parser, bean, name, List.of());
			}
			parser.skipChildren();
			return true;
		}

	}

	/** Reads a value as the text that it is. */
	static final class Raw extends ValueDeserializer<String> {

		@Override
		public String deserialize(JsonParser parser, DeserializationContext context) {
			int from = (int) parser.currentTokenLocation().getByteOffset();
			parser.skipChildren();
			int to = (int) parser.currentLocation().getByteOffset();
			return new String((byte[]) context.getAttribute(Raw.class), from, to - from, StandardCharsets.UTF_8);
		}

	}

	/** Rows by a serializer. What cannot be read becomes a call that keeps its bytes. */
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
				if (call.format() == StoredCall.FORMAT && call.id() != null && call.arguments().startsWith("[")
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
