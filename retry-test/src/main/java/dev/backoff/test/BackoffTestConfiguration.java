package dev.backoff.test;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import dev.backoff.CallRegistry;
import dev.backoff.delay.RandomSource;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.advice.SubmissionGate;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * Add {@link VirtualTime}, {@link BackoffCalls}, {@link BackoffFaults} and a
 * {@link RandomSource} to an application with our starter, each only if the application
 * has none. Spring tests use this automatically; add it to an
 * {@code ApplicationContextRunner} by {@code withUserConfiguration}.
 *
 * @since 0.1
 */
public final class BackoffTestConfiguration implements BeanDefinitionRegistryPostProcessor {

	private static final Logger logger = LoggerFactory.getLogger(BackoffTestConfiguration.class);

	private static final String SCHEDULER = "taskScheduler";

	private static final int MOST_SLEEPS = 10;

	/* Of real time, of a call that another test has left behind. */
	private static final Duration LONGEST_WORK = Duration.ofMillis(200);

	private final TestBackoff test;

	/** Make the configuration with the defaults of {@link TestBackoff}. */
	public BackoffTestConfiguration() {
		this(null);
	}

	BackoffTestConfiguration(@Nullable TestBackoff test) {
		this.test = (test != null) ? test : AnnotationUtils.synthesizeAnnotation(Map.of(), TestBackoff.class, null);
	}

	/* After all configuration classes, so that the application's beans are known. */
	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		DefaultListableBeanFactory beans = (DefaultListableBeanFactory) registry;
		if (!has(beans, BackoffMethods.class)) {
			return;
		}
		if (this.test.virtualTime()) {
			add(beans, RetryTime.class, VirtualTime.class, VirtualTime::new);
		}
		add(beans, RandomSource.class, Draws.class, () -> new Draws(this.test));
		add(beans, BackoffCalls.class, BackoffCalls.class,
				() -> new BackoffCalls(time(beans), () -> names(beans, true)));
		add(beans, BackoffFaults.class, BackoffFaults.class,
				() -> new BackoffFaults(time(beans), this.test.seed(), () -> names(beans, false)));
		if (has(beans, BackoffAdvisor.class)) {
			add(beans, BackoffFaults.Advice.class, DefaultPointcutAdvisor.class, () -> faultAdvisor(beans));
		}
		if (this.test.scheduling()) {
			schedule(beans);
		}
		report(beans);
	}

	private static boolean has(DefaultListableBeanFactory beans, Class<?> type) {
		return beans.getBeanNamesForType(type, true, false).length > 0;
	}

	private static <T> void add(DefaultListableBeanFactory beans, Class<?> type, Class<T> made, Supplier<T> maker) {
		if (!has(beans, type)) {
			RootBeanDefinition definition = new RootBeanDefinition(made, maker);
			definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			beans.registerBeanDefinition("dev.backoff.test." + type.getSimpleName(), definition);
		}
	}

	private static RetryTime time(DefaultListableBeanFactory beans) {
		return beans.getBeanProvider(RetryTime.class).getIfAvailable(RetryTime::system);
	}

	/* The names of the methods that have a proxy and of their policies, or all. */
	private static Set<String> names(DefaultListableBeanFactory beans, boolean all) {
		Set<String> names = new TreeSet<>(all ? beans.getBean(BackoffPolicies.class).current().names() : Set.of());
		if (all || has(beans, BackoffAdvisor.class)) {
			beans.getBean(BackoffMethods.class).uses().forEach((use) -> {
				names.add(use.policy().name());
				// overloads without their parameters
				names.add(use.method().replaceFirst("\\(.*", ""));
			});
		}
		return names;
	}

	/* Directly inside ours, at the same methods. */
	private static DefaultPointcutAdvisor faultAdvisor(DefaultListableBeanFactory beans) {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(beans.getBean(BackoffAdvisor.class),
				new BackoffFaults.Advice(beans.getBeanProvider(BackoffFaults.class),
						beans.getBeanProvider(BackoffPolicies.class)));
		advisor.setOrder(BackoffAdvisor.ORDER + 1);
		return advisor;
	}

	/* In place of the scheduler of Boot or of the application, which stay for others. */
	private void schedule(DefaultListableBeanFactory beans) {
		Stream.of(beans.getBeanNamesForType(TaskScheduler.class, true, false))
			.filter(beans::containsBeanDefinition)
			.forEach((name) -> beans.getBeanDefinition(name).setPrimary(false));
		if (beans.containsBeanDefinition(SCHEDULER)) {
			BeanDefinition own = beans.getBeanDefinition(SCHEDULER);
			beans.removeBeanDefinition(SCHEDULER);
			beans.registerBeanDefinition("realTaskScheduler", own);
		}
		RootBeanDefinition scheduler = new RootBeanDefinition(VirtualTaskScheduler.class,
				() -> new VirtualTaskScheduler(beans.getBean(VirtualTime.class)));
		scheduler.setPrimary(true);
		beans.registerBeanDefinition(SCHEDULER, scheduler);
	}

	private void report(DefaultListableBeanFactory beans) {
		String own = String.join(", ", beans.getBeanNamesForType(RetryTime.class, true, false));
		boolean jobs = beans.containsBeanDefinition(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME);
		logger.info("Backoff in this test: {} time, chance {}{} (retry-test)",
				has(beans, VirtualTime.class) ? "virtual"
						: own.isEmpty() ? "real" : "the application's own (" + own + ")",
				(this.test.chance() == Chance.MIDDLE) ? "0.5" : this.test.chance(),
				(jobs && !this.test.scheduling()) ? ", jobs in real time unless scheduling = true" : "");
	}

	/** Begin another test, as {@link TestBackoff#reset()} says. */
	static void reset(ApplicationContext context) {
		end(context.getBeanProvider(CallRegistry.class).getIfAvailable(),
				context.getBeanProvider(VirtualTime.class).getIfAvailable());
		context.getBeanProvider(SubmissionGate.class)
			.ifAvailable((gate) -> context.getBean(BackoffCalls.class).forEachStored(gate::remove));
		context.getBeanProvider(LiveConfiguration.class).ifAvailable(LiveConfiguration::reset);
		context.getBeanProvider(OverloadSafety.class).ifAvailable(OverloadSafety::reset);
		context.getBeanProvider(BackoffFaults.class).ifAvailable(BackoffFaults::clear);
		context.getBeanProvider(Draws.class).ifAvailable(Draws::reset);
		context.getBeanProvider(VirtualTime.class).ifAvailable(VirtualTime::reset);
		context.getBeanProvider(VirtualTaskScheduler.class).ifAvailable(VirtualTaskScheduler::reset);
		context.getBeanProvider(BackoffCalls.class).ifAvailable(BackoffCalls::clear);
	}

	/* An attempt that sleeps goes on, and may sleep again; no call begins to wait. */
	private static void end(@Nullable CallRegistry calls, @Nullable VirtualTime time) {
		Object busy = null;
		boolean goesOn = true;
		if (calls != null) {
			calls.shutDown();
		}
		for (int i = 0; goesOn && busy == null && i < MOST_SLEEPS; i++) {
			busy = (time != null) ? time.settle(LONGEST_WORK) : null;
			goesOn = time != null && time.get(time.agenda::wake);
		}
		if (calls != null) {
			calls.reopen();
		}
		if (busy != null) {
			logger.warn("{} began before this test and still works, so it can disturb this test. "
					+ "Let the test that makes the call wait for its end.", busy);
		}
	}

	/** Draw anew in each test. */
	private static final class Draws implements RandomSource {

		private final TestBackoff test;

		private volatile RandomSource source;

		Draws(TestBackoff test) {
			this.test = test;
			this.source = test.chance().source(test.seed());
		}

		@Override
		public double next() {
			return this.source.next();
		}

		void reset() {
			this.source = this.test.chance().source(this.test.seed());
		}

	}

}
