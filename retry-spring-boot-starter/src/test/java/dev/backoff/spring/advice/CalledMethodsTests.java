package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CalledMethodsTests {

	private final CalledMethods methods = new CalledMethods();

	@Test
	void knowsNothingAtFirst() throws NoSuchMethodException {
		assertThat(this.methods.find(method("size"), ArrayList.class)).isNull();
	}

	@Test
	void findsEachMethodThatWasAdded() throws NoSuchMethodException {
		CalledMethod size = add(method("size"), ArrayList.class);
		CalledMethod isEmpty = add(method("isEmpty"), ArrayList.class);
		assertThat(this.methods.find(size.method(), ArrayList.class)).isSameAs(size);
		assertThat(this.methods.find(isEmpty.method(), ArrayList.class)).isSameAs(isEmpty);
		assertThat(this.methods.find(method("clear"), ArrayList.class)).isNull();
	}

	@Test
	void tellsClassesApartThatInheritOneMethod() throws NoSuchMethodException {
		Method size = method("size");
		CalledMethod ofOne = add(size, ArrayList.class);
		CalledMethod ofAnother = add(size, List.class);
		assertThat(this.methods.find(size, ArrayList.class)).isSameAs(ofOne);
		assertThat(this.methods.find(size, List.class)).isSameAs(ofAnother);
		assertThat(this.methods.find(size, Collection.class)).isNull();
	}

	@Test
	void findsAMethodByAnEqualOne() throws NoSuchMethodException {
		CalledMethod size = add(method("size"), ArrayList.class);
		Method again = method("size");
		assertThat(again).isNotSameAs(size.method());
		assertThat(this.methods.find(again, ArrayList.class)).isSameAs(size);
		assertThat(this.methods.find(again, ArrayList.class)).isEqualTo(size).isNotSameAs(size);
	}

	@Test
	void findsAMethodByAnyNumberOfEqualOnes() throws NoSuchMethodException {
		CalledMethod size = add(method("size"), ArrayList.class);
		for (int i = 0; i < 3_000; i++) {
			assertThat(this.methods.find(method("size"), ArrayList.class)).isEqualTo(size);
		}
	}

	@Test
	void keepsWhatWasAddedFirst() throws NoSuchMethodException {
		CalledMethod first = add(method("size"), ArrayList.class);
		add(first.method(), ArrayList.class);
		assertThat(this.methods.find(first.method(), ArrayList.class)).isSameAs(first);
	}

	@Test
	void findsEachOfVeryMany() {
		List<CalledMethod> added = Arrays.stream(Arrays.class.getMethods())
			.map((method) -> add(method, Arrays.class))
			.toList();
		assertThat(added).hasSizeGreaterThan(100)
			.allSatisfy((called) -> assertThat(this.methods.find(called.method(), Arrays.class)).isSameAs(called));
	}

	private CalledMethod add(Method method, Class<?> targetClass) {
		CalledMethod called = new CalledMethod(method, targetClass, null);
		this.methods.add(called);
		return called;
	}

	/* Another instance each time. */
	private static Method method(String name) throws NoSuchMethodException {
		return List.class.getMethod(name);
	}

}
