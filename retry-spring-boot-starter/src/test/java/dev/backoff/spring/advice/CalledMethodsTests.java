package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CalledMethodsTests {

	private final CalledMethods methods = new CalledMethods();

	@Test
	void knowsNothingAtFirst() throws NoSuchMethodException {
		assertThat(this.methods.find(method("size"))).isNull();
	}

	@Test
	void findsEachMethodThatWasAdded() throws NoSuchMethodException {
		CalledMethod size = add(method("size"));
		CalledMethod isEmpty = add(method("isEmpty"));
		assertThat(this.methods.find(size.method())).isSameAs(size);
		assertThat(this.methods.find(isEmpty.method())).isSameAs(isEmpty);
		assertThat(this.methods.find(method("clear"))).isNull();
	}

	@Test
	void findsAMethodByAnEqualOne() throws NoSuchMethodException {
		CalledMethod size = add(method("size"));
		assertThat(method("size")).isNotSameAs(size.method());
		assertThat(this.methods.find(method("size"))).isSameAs(size);
	}

	@Test
	void keepsWhatWasAddedFirst() throws NoSuchMethodException {
		CalledMethod first = add(method("size"));
		Method again = method("size");
		add(again);
		assertThat(this.methods.find(again)).isSameAs(first);
	}

	private CalledMethod add(Method method) {
		CalledMethod called = new CalledMethod(method, null);
		this.methods.add(called);
		return called;
	}

	/* Another instance each time. */
	private static Method method(String name) throws NoSuchMethodException {
		return List.class.getMethod(name);
	}

}
