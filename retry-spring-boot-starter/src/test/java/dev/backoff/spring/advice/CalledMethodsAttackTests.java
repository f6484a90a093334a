package dev.backoff.spring.advice;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.ArrayList;
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
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Called methods that many threads find and add at once. */
@Timeout(60)
class CalledMethodsAttackTests {

	private static final List<Class<?>> TYPES = List.of(String.class, ArrayList.class, Collections.class, Arrays.class,
			Stream.class, Character.class, Thread.class, Class.class);

	private final CalledMethods methods = new CalledMethods();

	@RepeatedTest(20)
	void areFoundByEachThreadThatKnowsThemToBeThere() throws InterruptedException {
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
			this.methods.add(new CalledMethod(method, Object.class, null));
		}
		find(method);
		Method copy = copy(method);
		assertThat(this.methods.find(copy, Object.class)).isNotNull();
		find(copy);
		assertThat(this.methods.find(method, String.class)).isNull();
	}

	private void find(Method method) {
		CalledMethod called = this.methods.find(method, Object.class);
		assertThat(called).isNotNull();
		assertThat(called.isEqual(method, Object.class)).isTrue();
	}

	private static Method copy(Method method) {
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter(method::equals)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void areFoundWhereManyClassesInheritOne() throws NoSuchMethodException {
		Method method = Object.class.getMethod("toString");
		List<Class<?>> types = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			types.add(Array.newInstance(TYPES.get(i % TYPES.size()), new int[1 + (i % 250)]).getClass());
		}
		types.forEach((type) -> this.methods.add(new CalledMethod(method, type, null)));
		types.forEach((type) -> {
			CalledMethod called = this.methods.find(method, type);
			assertThat(called).isNotNull();
			assertThat(called.isSame(method, type)).isTrue();
		});
	}

}
