package dev.backoff.spring.advice;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * The calls by which beans call their own annotated methods, found in the byte code of
 * their classes. Such a call does not pass through the proxy, so it is not retried. A
 * call inside another annotated method belongs to the attempts of that one and does not
 * count. Each class is read once. Thread-safe.
 */
final class SelfCalls {

	private static final Logger logger = LoggerFactory.getLogger(SelfCalls.class);

	/* By the class of the bean, the places of calls by the called method. */
	private final Map<Class<?>, Map<String, Set<String>>> places = new ConcurrentHashMap<>();

	/** Return where a bean calls its own method, such as {@code Orders.all (line 7)}. */
	Collection<String> of(AnnotatedMethod method) {
		return this.places.computeIfAbsent(method.type(), SelfCalls::places)
			.getOrDefault(key(method.method()), Set.of());
	}

	private static Map<String, Set<String>> places(Class<?> type) {
		Set<String> annotated = AnnotatedBeans.methods(type)
			.stream()
			.map((method) -> key(method.method()))
			.collect(Collectors.toSet());
		Set<String> seen = new HashSet<>();
		List<SelfCallReader.Call> calls = new ArrayList<>();
		for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
			calls.addAll(read(next, annotated, seen));
		}
		return calls.stream()
			.collect(Collectors.groupingBy(SelfCallReader.Call::called,
					Collectors.mapping(SelfCallReader.Call::place, Collectors.toCollection(TreeSet::new))));
	}

	private static List<SelfCallReader.Call> read(Class<?> type, Set<String> annotated, Set<String> seen) {
		if (NativeDetector.inNativeImage()) {
			return List.of();
		}
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file == null) {
				return List.of();
			}
			SelfCallReader reader = new SelfCallReader(type, annotated, seen);
			new ClassReader(file).accept(reader, ClassReader.SKIP_FRAMES);
			return reader.calls();
		}
		catch (IOException | RuntimeException ex) {
			// of a newer Java, for instance
			logger.debug("Cannot read the byte code of {}", type.getName(), ex);
			return List.of();
		}
	}

	private static String key(Method method) {
		return method.getName() + Type.getMethodDescriptor(method);
	}

}
