package dev.backoff.spring.failure;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.NumberFormat;
import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.Inflater;

import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import com.google.gson.Gson;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.core.codec.DecodingException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.http.converter.HttpMessageConversionException;
import org.xml.sax.helpers.DefaultHandler;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

import dev.backoff.failure.FailureClassifier;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** What the failures of parsers and converters are called, and those of their streams. */
class UnreadableContentTests {

	private final FailureClassifier builtIn = new BuiltInFailureClassifiers(getClass().getClassLoader(),
			Clock.systemUTC(), true);

	static Stream<ThrowingCallable> wrong() {
		return Stream.of(() -> new JsonMapper().readTree("<html>"), () -> new Gson().fromJson("{]", Map.class),
				() -> new Gson().fromJson("[]", Integer.class), () -> sax(text("<p>&</p>")),
				() -> stax(text("<p>&</p>")), () -> stax(text("<p>\u00ff</p>")), () -> new Yaml().load("a: b: c"),
				() -> DateTimeFormatter.ISO_DATE.parse("soon"), () -> LocalDate.of(2026, 2, 30),
				() -> NumberFormat.getInstance().parse("many"), () -> new URI("a b"), () -> inflate(new byte[9]),
				() -> new DefaultConversionService().convert("many", Integer.class),
				() -> new DefaultConversionService().convert("many", Runnable.class),
				() -> new BeanWrapperImpl().convertIfNecessary("many", Integer.class),
				failing(new DecodingException("x")), failing(new HttpMessageConversionException("x")));
	}

	@ParameterizedTest
	@MethodSource("wrong")
	void isTheSameNextTime(ThrowingCallable parsing) {
		assertSays(this.builtIn, thrownBy(parsing), "permanent");
	}

	static Stream<ThrowingCallable> cutOff() {
		IOException reset = new IOException("reset");
		return Stream.of(() -> new JsonMapper().readTree("{\"id\":"), () -> new JsonMapper().readTree(cut("{")),
				() -> new Gson().fromJson("{\"id\":", Map.class),
				() -> new Gson().fromJson(new InputStreamReader(cut("{"), StandardCharsets.UTF_8), Map.class),
				() -> sax(cut("<p>")), () -> stax(cut("<p>text")), () -> new Yaml().load(cut("a: ")),
				failing(new DecodingException("x", reset)), failing(new HttpMessageConversionException("x", reset)),
				failing(new ConversionFailedException(null, TypeDescriptor.valueOf(String.class), "x",
						new UncheckedIOException(reset))));
	}

	@ParameterizedTest
	@MethodSource("cutOff")
	void isIoIfItsStreamFails(ThrowingCallable parsing) {
		assertSays(this.builtIn, thrownBy(parsing), "transient io");
	}

	private static ThrowingCallable failing(Throwable failure) {
		return () -> {
			throw failure;
		};
	}

	private static void sax(InputStream content) throws Exception {
		SAXParserFactory.newInstance().newSAXParser().parse(content, new DefaultHandler());
	}

	private static void stax(InputStream content) throws XMLStreamException {
		XMLStreamReader xml = XMLInputFactory.newDefaultFactory().createXMLStreamReader(content);
		while (xml.hasNext()) {
			xml.next();
		}
	}

	private static void inflate(byte[] bytes) throws Exception {
		Inflater inflater = new Inflater();
		inflater.setInput(bytes);
		inflater.inflate(new byte[9]);
	}

	private static InputStream text(String text) {
		return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	/* A connection that is reset after some text. */
	private static InputStream cut(String text) {
		FilterInputStream reset = new FilterInputStream(InputStream.nullInputStream()) {

			@Override
			public int read(byte[] bytes, int from, int length) throws IOException {
				throw new IOException("reset");
			}

			@Override
			public int read() throws IOException {
				throw new IOException("reset");
			}

		};
		return new SequenceInputStream(text(text), reset);
	}

}
