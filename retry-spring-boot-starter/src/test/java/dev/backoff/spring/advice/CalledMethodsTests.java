package dev.backoff.spring.advice;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CalledMethodsTests {

	private static final List<Class<?>> TYPES = List.of(String.class, ArrayList.class, Collections.class, Arrays.class,
			Stream.class, Character.class, Thread.class, Class.class);

	private final CalledMethods methods = new CalledMethods();

	@Test
	void knowsNothingAtFirst() throws NoSuchMethodException {
		assertThat(this.methods.find(method("size"), ArrayList.class)).isNull();
	}

	@Test
	void findsEachMethodThatWasAdded() throws NoSuchMethodException {
		CalledMethods.Known size = add(method("size"), ArrayList.class);
		CalledMethods.Known isEmpty = add(method("isEmpty"), ArrayList.class);
		assertThat(this.methods.find(size.method(), ArrayList.class)).isSameAs(size);
		assertThat(this.methods.find(isEmpty.method(), ArrayList.class)).isSameAs(isEmpty);
		assertThat(this.methods.find(method("clear"), ArrayList.class)).isNull();
	}

	@Test
	void tellsClassesApartThatInheritOneMethod() throws NoSuchMethodException {
		Method size = method("size");
		CalledMethods.Known ofOne = add(size, ArrayList.class);
		CalledMethods.Known ofAnother = add(size, List.class);
		assertThat(this.methods.find(size, ArrayList.class)).isSameAs(ofOne);
		assertThat(this.methods.find(size, List.class)).isSameAs(ofAnother);
		assertThat(this.methods.find(size, Collection.class)).isNull();
	}

	@Test
	void findsOneMethodOfThousandsOfClasses() throws NoSuchMethodException {
		Method method = Object.class.getMethod("toString");
		for (int i = 0; i < 3_000; i++) {
			int[] dimensions = new int[1 + (i % 250)];
			Class<?> type = Array.newInstance(TYPES.get(i % TYPES.size()), dimensions).getClass();
			CalledMethods.Known called = add(method, type);
			assertThat(called.isSame(method, type)).isTrue();
		}
	}

	@Test
	void findsAMethodByAnEqualOne() throws NoSuchMethodException {
		CalledMethods.Known size = add(method("size"), ArrayList.class);
		Method again = method("size");
		assertThat(again).isNotSameAs(size.method());
		assertThat(this.methods.find(again, ArrayList.class)).isSameAs(size);
		assertThat(this.methods.find(again, ArrayList.class)).isEqualTo(size).isNotSameAs(size);
	}

	@Test
	void findsAMethodByAnyNumberOfEqualOnes() throws NoSuchMethodException {
		CalledMethods.Known size = add(method("size"), ArrayList.class);
		for (int i = 0; i < 3_000; i++) {
			assertThat(this.methods.find(method("size"), ArrayList.class)).isEqualTo(size);
		}
	}

	@Test
	void keepsWhatWasAddedFirst() throws NoSuchMethodException {
		CalledMethods.Known first = add(method("size"), ArrayList.class);
		assertThat(add(first.method(), ArrayList.class)).isSameAs(first);
	}

	@Test
	void findsEachOfVeryMany() {
		List<CalledMethods.Known> added = Arrays.stream(Arrays.class.getMethods())
			.map((method) -> add(method, Arrays.class))
			.toList();
		assertThat(added).hasSizeGreaterThan(100)
			.allSatisfy((called) -> assertThat(this.methods.find(called.method(), Arrays.class)).isSameAs(called));
	}

	@RepeatedTest(20)
	void findsOnEachThreadWhatTheThreadHasAdded() {
		List<Method> all = TYPES.stream().flatMap((type) -> Arrays.stream(type.getDeclaredMethods())).toList();
		CountDownLatch start = new CountDownLatch(1);
		Set<Throwable> failures = Collections.synchronizedSet(new HashSet<>());
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int thread = 0; thread < 4; thread++) {
			List<Method> mine = new ArrayList<>(all);
			Collections.shuffle(mine, new Random(thread));
			threads.add(CompletableFuture.runAsync(() -> {
				try {
					start.await();
					mine.forEach(this::addAndFind);
					mine.forEach(this::find);
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			}, (task) -> new Thread(task).start()));
		}
		start.countDown();
		threads.forEach(CompletableFuture::join);
		assertThat(failures).isEmpty();
	}

	private void addAndFind(Method method) {
		if (this.methods.find(method, Object.class) == null) {
			this.methods.add(method, Object.class, null);
		}
		find(method);
		find(copy(method));
		assertThat(this.methods.find(method, String.class)).isNull();
	}

	private void find(Method method) {
		CalledMethods.Known called = this.methods.find(method, Object.class);
		assertThat(called).isNotNull();
		assertThat(called.isEqual(method, Object.class)).isTrue();
	}

	private CalledMethods.Known add(Method method, Class<?> targetClass) {
		this.methods.add(method, targetClass, null);
		CalledMethods.Known called = this.methods.find(method, targetClass);
		assertThat(called).isNotNull();
		return called;
	}

	/* Another instance each time. */
	private static Method method(String name) throws NoSuchMethodException {
		return List.class.getMethod(name);
	}

	private static Method copy(Method method) {
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter(method::equals)
			.findFirst()
			.orElseThrow();
	}

}
