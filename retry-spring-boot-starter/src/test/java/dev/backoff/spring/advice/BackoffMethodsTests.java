package dev.backoff.spring.advice;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Contexts that use annotated beans early, late or in unusual ways. */
class BackoffMethodsTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner();

	@Test
	void twoCreatorsOfProxiesDoNotMultiplyAttempts() {
		this.runner.withBean(DefaultAdvisorAutoProxyCreator.class, () -> {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}).withBean(Service.class).run((context) -> {
			Service bean = context.getBean(Service.class);
			assertThat(bean.poll()).isEqualTo("PENDING");
			assertThat(bean.calls()).isEqualTo(3);
			assertThatExceptionOfType(Failure.class).isThrownBy(bean::recoverTwice);
			assertThat(bean.recoveries()).isEqualTo(1);
		});
	}

	@Test
	void scopedBeansAreAdvisedOnce() {
		this.runner
			.withInitializer((context) -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()))
			.withUserConfiguration(ScopedBeans.class)
			.run((context) -> {
				for (String name : List.of("scoped", "prototype", "lazy", "second")) {
					Service bean = (Service) context.getBean(name);
					assertThat(bean.poll()).isEqualTo("PENDING");
				}
				Service scoped = (Service) context.getBean("scoped");
				int before = scoped.calls();
				scoped.poll();
				assertThat(scoped.calls() - before).isEqualTo(3);
				assertThat(context.getBean(Service.class)).isNotNull();
			});
	}

	@Test
	void circularReferencesAreAdvised() {
		this.runner.withAllowCircularReferences(true).withBean(Left.class).withBean(Right.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Left.class).callRight()).isEqualTo(3);
			assertThat(context.getBean(Right.class).callLeft()).isEqualTo(3);
		});
	}

	@Test
	void callsWhileBeansAreMadeAreRetried() {
		this.runner.withBean(Service.class).withBean(Early.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Early.class).early).isEqualTo(3);
		});
	}

	@Test
	@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void callsOfOtherThreadsWhileBeansAreMadeDoNotDeadlock() {
		this.runner.withBean(EarlyInBackground.class)
			.withBean(Service.class)
			.withBean("late", RecordingListener.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(EarlyInBackground.class).early).isEqualTo(3);
			});
	}

	@Test
	void callsOfPostProcessorsAreMade() {
		this.runner.withUserConfiguration(EarlyProcessor.class)
			.withBean(Service.class)
			.withBean("trigger", Later.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Service.class).calls()).isGreaterThanOrEqualTo(1);
			});
	}

	@Test
	void callsWhileTheContextClosesAreMadeAndNotRetried() {
		List<String> told = new ArrayList<>();
		this.runner.withBean(Service.class).withBean(Closing.class, () -> new Closing("known", told)).run((context) -> {
		});
		assertThat(told).containsExactly("known failed as SHUTDOWN");
	}

	@Test
	void firstCallsWhileTheContextClosesAreMadeThoughTheMethodIsNew() {
		List<String> told = new ArrayList<>();
		this.runner.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
			.withBean(Contract.class, HiddenService::new)
			.withBean("closing", Closing.class, () -> new Closing("hidden", told))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(told).containsExactly("hidden failed as SHUTDOWN");
	}

	@Test
	void aListenerMayItselfBeAnnotatedAndFail() {
		this.runner.withBean(Service.class).withBean(AnnotatedListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> context.getBean(Service.class).fail());
			assertThat(context.getBean(AnnotatedListener.class).calls()).isEqualTo(3);
		});
	}

	@Test
	void aListenerMayCallAnAnnotatedBean() {
		this.runner.withBean(Service.class).withBean(CallingListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Service bean = context.getBean(Service.class);
			assertThatExceptionOfType(Failure.class).isThrownBy(bean::recoverTwice);
			// three of its own and three of the listener's
			assertThat(bean.calls()).isEqualTo(6);
		});
	}

	@Test
	void sixtyFourFirstCallsAtOnceAgree() {
		this.runner.withPropertyValues("backoff.defaults.budget=none")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
			.withBean(Contract.class, HiddenService::new)
			.run((context) -> {
				Contract bean = context.getBean(Contract.class);
				Crowd.of(64, (number) -> assertThatNoException().isThrownBy(bean::third));
				assertThat(context.getBean(BackoffMethods.class).uses()).hasSize(1);
				assertThat(context.getBean(MeterRegistry.class)
					.get("backoff.calls")
					.functionCounters()
					.stream()
					.mapToDouble(FunctionCounter::count)
					.sum()).isEqualTo(64);
			});
	}

	@Test
	void prototypesAreCollected() {
		this.runner.withUserConfiguration(ScopedBeans.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()))
			.run((context) -> {
				WeakReference<?> first = prototype(context);
				for (int i = 0; i < 5_000; i++) {
					prototype(context);
				}
				for (int i = 0; i < 20 && first.get() != null; i++) {
					System.gc();
				}
				assertThat(first.get()).isNull();
				assertThat(context.getBean(BackoffMethods.class).uses()).hasSizeLessThan(10);
			});
	}

	@Test
	void contextsLeaveNothing() {
		MeterRegistry registry = new SimpleMeterRegistry();
		ApplicationContextRunner metered = AdviceContexts.runner()
			.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
			.withBean(MeterRegistry.class, () -> registry, (definition) -> definition.setDestroyMethodName(""))
			.withBean(Service.class);
		List<WeakReference<?>> contexts = new ArrayList<>();
		int threads = 0;
		int classes = 0;
		int meters = 0;
		for (int i = 0; i < 30; i++) {
			if (i == 10) {
				threads = Thread.activeCount();
				classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
				meters = registry.getMeters().size();
			}
			metered.run((context) -> {
				contexts.add(new WeakReference<>(context.getBean(BackoffMethods.class)));
				context.getBean(Service.class).poll();
			});
		}
		assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
		assertThat(ManagementFactory.getClassLoadingMXBean().getLoadedClassCount()).isLessThan(classes + 80);
		assertThat(registry.getMeters()).hasSize(meters);
		for (int i = 0; i < 20 && contexts.stream().filter((context) -> !context.refersTo(null)).count() > 2; i++) {
			System.gc();
		}
		assertThat(contexts).filteredOn((context) -> !context.refersTo(null)).hasSizeLessThan(3);
	}

	@Test
	void contextsShareTheClassesOfTheirProxies() {
		List<Class<?>> classes = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			this.runner.withBean(Service.class)
				.run((context) -> classes.add(context.getBean(Service.class).getClass()));
		}
		assertThat(classes.get(1)).isSameAs(classes.get(0));
	}

	@Test
	void aLazyBeanWhoseSignaturesCannotBeLoadedDoesNotStopTheStart() {
		Class<?> broken = BrokenClasses.withMethodOfMissingType();
		this.runner
			.withInitializer((context) -> ((BeanDefinitionRegistry) context.getBeanFactory())
				.registerBeanDefinition("broken", lazy(broken)))
			.withBean(Service.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theChildOfAContextHasBeansOfItsOwn() {
		this.runner.withBean("parentService", Service.class)
			.run((parent) -> this.runner.withParent(parent)
				.withPropertyValues("backoff.policies.child.max-attempts=2")
				.withBean("child", Child.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					Child child = context.getBean(Child.class);
					assertThatExceptionOfType(Failure.class).isThrownBy(child::fail);
					assertThat(child.calls()).isEqualTo(2);
				}));
	}

	private static BeanDefinition lazy(Class<?> type) {
		RootBeanDefinition definition = new RootBeanDefinition(type);
		definition.setLazyInit(true);
		return definition;
	}

	private static WeakReference<?> prototype(ApplicationContext context) {
		Service bean = (Service) context.getBean("prototype");
		bean.poll();
		return new WeakReference<>(bean);
	}

	static class Service implements Contract {

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger recoveries = new AtomicInteger();

		@Backoff(maxAttempts = "3", until = "#result == 'DONE'")
		public String poll() {
			this.calls.incrementAndGet();
			return "PENDING";
		}

		@Backoff(maxAttempts = "3", recover = "park")
		public String recoverTwice() throws Failure {
			this.calls.incrementAndGet();
			throw new Failure("down");
		}

		public String park(Throwable failure) throws Failure {
			this.recoveries.incrementAndGet();
			throw new Failure("park");
		}

		@Override
		@Backoff(maxAttempts = "3")
		public int third() throws Failure {
			if (Attempt.current().number() < 3) {
				throw new Failure("not yet");
			}
			this.calls.incrementAndGet();
			return Attempt.current().number();
		}

		@Backoff(maxAttempts = "3")
		public void fail() throws Failure {
			throw new Failure("down");
		}

		public int calls() {
			return this.calls.get();
		}

		public int recoveries() {
			return this.recoveries.get();
		}

	}

	static class Child {

		private int calls;

		@Backoff("child")
		public void fail() throws Failure {
			this.calls++;
			throw new Failure("down");
		}

		public int calls() {
			return this.calls;
		}

	}

	static class Later {

	}

	interface Contract {

		int third() throws Failure;

	}

	static class HiddenService implements Contract {

		@Override
		@Backoff(maxAttempts = "3")
		public int third() throws Failure {
			if (Attempt.current().number() < 3) {
				throw new Failure("not yet");
			}
			return Attempt.current().number();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBeans {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Service scoped() {
			return new Service();
		}

		@Bean
		@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
		Service prototype() {
			return new Service();
		}

		@Bean
		@Lazy
		Service lazy() {
			return new Service();
		}

		@Bean
		@Primary
		Service second() {
			return new Service();
		}

	}

	static class Left extends Service {

		@Autowired
		private @Nullable Right right;

		public int callRight() throws Failure {
			return this.right.third();
		}

	}

	static class Right extends Service {

		@Autowired
		private @Nullable Left left;

		public int callLeft() throws Failure {
			return this.left.third();
		}

	}

	static class Early {

		final Service service;

		int early;

		Early(Service service) {
			this.service = service;
		}

		@PostConstruct
		void call() throws Exception {
			this.early = this.service.third();
		}

	}

	static class EarlyInBackground extends Early {

		EarlyInBackground(Service service) {
			super(service);
		}

		@Override
		@PostConstruct
		void call() throws Exception {
			ExecutorService pool = Executors.newSingleThreadExecutor();
			try {
				this.early = pool.submit(this.service::third).get(30, TimeUnit.SECONDS);
			}
			finally {
				pool.shutdownNow();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProcessor {

		@Bean
		static BeanPostProcessor calling(ObjectProvider<Service> services) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof Later) {
						services.ifAvailable((service) -> {
							try {
								service.third();
							}
							catch (Failure ex) {
								throw new IllegalStateException(ex);
							}
						});
					}
					return bean;
				}

			};
		}

	}

	private static @Nullable StopReason reason(Throwable failure) {
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		return (report != null) ? report.reason() : null;
	}

	static class Closing {

		private final String name;

		private final List<String> told;

		@Autowired
		private @Nullable Contract service;

		Closing(String name, List<String> told) {
			this.name = name;
			this.told = told;
		}

		@PreDestroy
		void call() {
			try {
				this.told.add(this.name + " " + this.service.third());
			}
			catch (Failure ex) {
				this.told.add(this.name + " failed as " + reason(ex));
			}
		}

	}

	static class AnnotatedListener implements RetryListener {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		@Backoff(maxAttempts = "3")
		public void onStop(RetryEvent.Stopped event) {
			this.calls.incrementAndGet();
			throw new IllegalStateException("the audit is down");
		}

		public int calls() {
			return this.calls.get();
		}

	}

	static class CallingListener implements RetryListener {

		private final Service service;

		CallingListener(Service service) {
			this.service = service;
		}

		@Override
		public void onStop(RetryEvent.Stopped event) {
			try {
				this.service.recoverTwice();
			}
			catch (Failure ex) {
				// as expected
			}
		}

	}

	/** Classes that a compiler would not write. */
	static final class BrokenClasses extends ClassLoader {

		private BrokenClasses() {
			super(BackoffMethodsTests.class.getClassLoader());
		}

		static Class<?> withMethodOfMissingType() {
			ClassWriter writer = new ClassWriter(0);
			String name = "dev/backoff/attack/Broken";
			writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
			MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
			constructor.visitCode();
			constructor.visitVarInsn(Opcodes.ALOAD, 0);
			constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
			constructor.visitInsn(Opcodes.RETURN);
			constructor.visitMaxs(1, 1);
			constructor.visitEnd();
			writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_NATIVE, "use",
					Type.getMethodDescriptor(Type.VOID_TYPE, Type.getObjectType("com/acme/Missing")), null, null);
			writer.visitEnd();
			byte[] bytes = writer.toByteArray();
			return new BrokenClasses().defineClass("dev.backoff.attack.Broken", bytes, 0, bytes.length);
		}

	}

}
