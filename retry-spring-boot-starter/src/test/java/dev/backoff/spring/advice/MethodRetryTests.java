package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopContext;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.context.ApplicationContext;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Methods that are called so often that their target is called by a handle. */
class MethodRetryTests extends AdvisedApplication {

	/* More than it takes to make a handle. */
	private static final int OFTEN = 10_100;

	MethodRetryTests() {
		this.context.registerBean("office", Office.class);
		this.context.registerBean("branch", Office.class);
	}

	private static Office often(ApplicationContext context) throws Exception {
		Office office = context.getBean("office", Office.class);
		for (int i = 0; i < OFTEN; i++) {
			office.send("a");
		}
		office.sent().clear();
		return office;
	}

	private static MethodInterceptor appending(String mark) {
		return (invocation) -> {
			if (invocation.getArguments().length > 0 && invocation.getArguments()[0] instanceof String) {
				invocation.getArguments()[0] += mark;
			}
			return invocation.proceed();
		};
	}

	@Nested
	class Advice {

		private final DefaultPointcutAdvisor marking = new DefaultPointcutAdvisor(appending("!"));

		private final DefaultPointcutAdvisor asking = new DefaultPointcutAdvisor(appending("?"));

		@Test
		void runsFromTheNextCallOn() throws Throwable {
			start();
			Office office = often(context);
			((Advised) office).addAdvisor(this.marking);
			office.send("b");
			office.send("b");
			((Advised) office).replaceAdvisor(this.marking, this.asking);
			office.send("c");
			((Advised) office).addAdvisor(0, this.marking);
			office.send("d");
			((Advised) office).removeAdvisor(this.asking);
			office.send("e");
			((Advised) office).removeAdvisor(this.marking);
			office.send("f");
			assertThat(office.sent()).containsExactly("b!", "b!", "c?", "d!?", "e!", "f");
		}

		@Test
		void startsFromTheArgumentsOfTheCallAtEachAttempt() throws Throwable {
			start();
			Office office = often(context);
			((Advised) office).addAdvisor(this.marking);
			office.failures(2);
			office.send("b");
			((Advised) office).removeAdvisor(this.marking);
			office.failures(2);
			office.send("c");
			((Advised) office).addAdvisor(this.asking);
			office.failures(2);
			office.send("d");
			assertThat(office.sent()).containsExactly("b!", "b!", "b!", "c", "c", "c", "d?", "d?", "d?");
		}

		@Test
		void ofAnotherBeanIsNotMixedUp() throws Throwable {
			start();
			Office branch = context.getBean("branch", Office.class);
			((Advised) branch).addAdvisor(this.marking);
			Office office = often(context);
			branch.send("b");
			office.send("b");
			branch.send("c");
			assertThat(office.sent()).containsExactly("b");
			assertThat(branch.sent()).containsExactly("b!", "c!");
		}

		@Test
		void runsAtNoAttemptOfTheCallThatIsUnderWay() throws Throwable {
			start();
			Office office = often(context);
			office.failures(2);
			office.whenFailing(() -> {
				if (((Advised) office).indexOf(this.marking) < 0) {
					((Advised) office).addAdvisor(this.marking);
				}
			});
			office.send("b");
			office.failures(2);
			office.send("c");
			assertThat(office.sent()).containsExactly("b", "b", "b", "c!", "c!", "c!");
		}

	}

	@Nested
	class Behaves {

		@Test
		void alikeWithTheHandle() {
			start((beans) -> {
				beans.registerBean("shop", Shop.class);
			});
			Shop shop = context.getBean(Shop.class);
			List<String> before = report(shop);
			for (int i = 0; i < OFTEN; i++) {
				callAll(shop);
			}
			assertThat(report(shop)).isEqualTo(before);
			assertThat(before).containsExactly("7", "ab", "null", "null", "[x, y]", "2.5", "<a>", "<b>", "hidden",
					"true", "IllegalStateException: a", "NoSuchFieldError: b", "UndeclaredThrowableException: null");
		}

		@Test
		void alikeOnEachTarget() {
			start((beans) -> {
				beans.registerBean("many", Shop.class, Shop::new, (definition) -> definition.setScope("prototype"));
			});
			BackoffAdvisor advisor = context.getBean(BackoffAdvisor.class);
			HotSwappableTargetSource targets = new HotSwappableTargetSource(new Shop());
			ProxyFactory factory = new ProxyFactory();
			factory.setTargetSource(targets);
			factory.setProxyTargetClass(true);
			factory.addAdvisor(advisor);
			Shop shop = (Shop) factory.getProxy();
			for (int i = 0; i < OFTEN; i++) {
				assertThat(shop.wrap("a")).isEqualTo("<a>");
			}
			targets.swap(new Branch());
			assertThat(shop.wrap("a")).isEqualTo("{a}");
			for (int i = 0; i < OFTEN; i++) {
				assertThat(shop.wrap("a")).isEqualTo("{a}");
			}
			targets.swap(new Shop());
			assertThat(shop.wrap("a")).isEqualTo("<a>");
			assertThat(context.getBean("many", Shop.class).wrap("b")).isEqualTo("<b>");
		}

		@Test
		void byThePolicyOfEachTarget() {
			start();
			HotSwappableTargetSource targets = new HotSwappableTargetSource(new Office());
			ProxyFactory factory = new ProxyFactory();
			factory.setTargetSource(targets);
			factory.setProxyTargetClass(true);
			factory.addAdvisor(context.getBean(BackoffAdvisor.class));
			Office office = (Office) factory.getProxy();
			assertThat(attempts(office)).isEqualTo(4);
			Object first = targets.swap(new PatientOffice());
			assertThat(attempts(office)).isEqualTo(5);
			assertThat(attempts(office)).isEqualTo(5);
			targets.swap(first);
			assertThat(attempts(office)).isEqualTo(4);
		}

		private static int attempts(Office office) {
			office.sent().clear();
			office.failures(10);
			assertThatThrownBy(() -> office.send("a")).isInstanceOf(IOException.class);
			return office.sent().size();
		}

		@Test
		void alikeIfTheProxyIsExposed() {
			start();
			ProxyFactory factory = new ProxyFactory(new Office());
			factory.setProxyTargetClass(true);
			factory.setExposeProxy(true);
			factory.addAdvisor(context.getBean(BackoffAdvisor.class));
			Office office = (Office) factory.getProxy();
			for (int i = 0; i < OFTEN; i++) {
				assertThat(office.self() == office).isTrue();
			}
		}

		@Test
		void alikeByItsInterface() {
			start();
			ProxyFactory factory = new ProxyFactory(new Shop());
			factory.addInterface(Wrapper.class);
			factory.addAdvisor(context.getBean(BackoffAdvisor.class));
			Object proxy = factory.getProxy();
			@SuppressWarnings("unchecked")
			Wrapper<Object> wrapper = (Wrapper<Object>) proxy;
			for (int i = 0; i < OFTEN; i++) {
				assertThat(wrapper.wrap("a")).isEqualTo("<a>");
			}
			assertThatThrownBy(() -> wrapper.wrap(1)).isInstanceOf(ClassCastException.class);
		}

		private List<String> report(Shop shop) {
			List<String> report = new ArrayList<>();
			report.add(String.valueOf(shop.add((byte) 3, 4L)));
			report.add(shop.join("a", "b"));
			shop.nothing();
			report.add("null");
			report.add(String.valueOf(shop.none()));
			report.add(shop.list("x", "y").toString());
			report.add(String.valueOf(shop.half(5)));
			report.add(shop.wrap("a"));
			report.add(((Wrapper<String>) shop).wrap("b"));
			report.add(shop.hidden());
			report.add(String.valueOf(shop.yes()));
			for (String kind : new String[] { "a", "b", "c" }) {
				Throwable thrown = catchThrowable(() -> shop.fail(kind));
				report.add(thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
			}
			return report;
		}

		private void callAll(Shop shop) {
			shop.add((byte) 3, 4L);
			shop.join("a", "b");
			shop.nothing();
			shop.none();
			shop.list("x", "y");
			shop.half(5);
			shop.wrap("a");
			shop.hidden();
			shop.yes();
		}

	}

	@Test
	void countingIsRightForEachOfManyThreads() {
		start();
		Office office = context.getBean("office", Office.class);
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			callers.add(CompletableFuture.runAsync(() -> {
				for (int j = 0; j < 5_000; j++) {
					assertThat(office.echo("x")).isEqualTo("x");
				}
			}));
		}
		callers.forEach(CompletableFuture::join);
		assertThat(office.calls()).isEqualTo(40_000);
	}

	public static class Office {

		private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

		private final AtomicInteger failures = new AtomicInteger();

		private final AtomicInteger calls = new AtomicInteger();

		private Runnable whenFailing = () -> {
		};

		public List<String> sent() {
			return this.sent;
		}

		public int calls() {
			return this.calls.get();
		}

		public void failures(int count) {
			this.failures.set(count);
		}

		public void whenFailing(Runnable action) {
			this.whenFailing = action;
		}

		@Backoff(budget = "none")
		public void send(String letter) throws IOException {
			this.sent.add(letter);
			if (this.failures.getAndDecrement() > 0) {
				this.whenFailing.run();
				throw new IOException("down");
			}
		}

		@Backoff(budget = "none")
		public String echo(String text) {
			this.calls.incrementAndGet();
			return text;
		}

		@Backoff(budget = "none")
		public @Nullable Object self() {
			return AopContext.currentProxy();
		}

	}

	public static class PatientOffice extends Office {

		@Override
		@Backoff(budget = "none", maxAttempts = "5")
		public void send(String letter) throws IOException {
			super.send(letter);
		}

	}

	interface Wrapper<T> {

		@Backoff(budget = "none")
		String wrap(T value);

	}

	@Backoff(budget = "none", maxAttempts = "1")
	public static class Shop implements Wrapper<String> {

		@Override
		public String wrap(String value) {
			return "<" + value + ">";
		}

		public int add(byte first, long second) {
			return (int) (first + second);
		}

		public String join(String... parts) {
			return String.join("", parts);
		}

		public void nothing() {
		}

		public @Nullable Integer none() {
			return null;
		}

		@SuppressWarnings("unchecked")
		public <T> List<T> list(T... all) {
			return List.of(all);
		}

		public double half(int whole) {
			return whole / 2.0;
		}

		@Backoff(budget = "none")
		String hidden() {
			return "hidden";
		}

		@Backoff(budget = "none")
		protected boolean yes() {
			return true;
		}

		public void fail(String kind) {
			if (kind.equals("a")) {
				throw new IllegalStateException("a");
			}
			if (kind.equals("b")) {
				throw new NoSuchFieldError("b");
			}
			sneak(new IOException("c"));
		}

		@SuppressWarnings("unchecked")
		private static <E extends Throwable> void sneak(Throwable failure) throws E {
			throw (E) failure;
		}

	}

	public static class Branch extends Shop {

		@Override
		public String wrap(String value) {
			return "{" + value + "}";
		}

	}

}
