package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock.InterceptMode;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.CallRecorder;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

@ExtendWith(OutputCaptureExtension.class)
class AdviceOrderTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner();

	public interface Limited {

		@ConcurrencyLimit(1)
		String place(int succeedsAt);

	}

	public static class LimitedBean implements Limited {

		@Override
		@Backoff(base = "1ns")
		@ConcurrencyLimit(1)
		@Transactional
		public String place(int succeedsAt) {
			if (Attempt.current().number() < succeedsAt) {
				throw new IllegalStateException("not yet");
			}
			return "attempt " + Attempt.current().number();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class LockedInside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m", order = BackoffAdvisor.ORDER - 1)
	static class LockedOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@SuppressWarnings("removal") // applications still use it
	@EnableSchedulerLock(defaultLockAtMostFor = "1m", interceptMode = InterceptMode.PROXY_SCHEDULER)
	static class LockedByTheScheduler {

	}

	public static class Job {

		private int runs;

		@Backoff(base = "1ns", maxAttempts = "3")
		@SchedulerLock(name = "job")
		public void run() {
			this.runs++;
			throw new IllegalStateException("not yet");
		}

		public int runs() {
			return this.runs;
		}

	}

	/** How the proxy is made. */
	enum Kind {

		OF_CLASSES, OF_INTERFACES, OPAQUE, OPAQUE_OF_INTERFACES;

		ApplicationContextRunner of(ApplicationContextRunner runner) {
			boolean classes = this == OF_CLASSES || this == OPAQUE;
			ApplicationContextRunner made = runner.withPropertyValues("spring.aop.proxy-target-class=" + classes);
			return name().startsWith("OPAQUE") ? made.withUserConfiguration(Opaque.class) : made;
		}

	}

	@Nested
	class Transactions {

		private final ApplicationContextRunner runner = AdviceOrderTests.this.runner
			.withUserConfiguration(Database.class)
			.withBean(OrderStore.class);

		@ParameterizedTest
		@EnumSource
		void areBegunByEachAttemptAndOnlyTheLastIsCommitted(Kind kind) {
			kind.of(this.runner).run((context) -> {
				Store store = context.getBean(Store.class);
				assertThat(store instanceof Advised).isEqualTo(!kind.name().startsWith("OPAQUE"));
				store.place("o-1", 3);
				CountingTransactions transactions = context.getBean(CountingTransactions.class);
				assertThat(transactions.events).containsExactly("begin", "rollback", "begin", "rollback", "begin",
						"commit");
				assertThat(rows(context.getBean(JdbcClient.class))).containsExactly("o-1 at attempt 3");
				store.place("o-2", 1);
				assertThat(transactions.events).endsWith("commit", "begin", "commit").hasSize(8);
			});
		}

		@Test
		void mayBeOrderedAroundAllAttemptsOfACall(CapturedOutput output) {
			AdviceOrderTests.this.runner
				.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
				.withUserConfiguration(Tables.class, TransactionsOutside.class)
				.withBean(OrderStore.class)
				.run((context) -> {
					context.getBean(Store.class).place("o-1", 3);
					assertThat(context.getBean(CountingTransactions.class).events).containsExactly("begin", "commit");
					assertThat(rows(context.getBean(JdbcClient.class))).containsExactly("o-1 at attempt 1",
							"o-1 at attempt 2", "o-1 at attempt 3");
				});
			assertThat(output).containsOnlyOnce("Retrying OrderStore.place inside a transaction of its caller");
		}

		private static List<String> rows(JdbcClient jdbc) {
			return jdbc.sql("select name from orders").query(String.class).list();
		}

	}

	@Nested
	class TheChain {

		@Test
		void hasOursInsideAsyncAndOutsideTransactionAndCache(CapturedOutput output) {
			AdviceOrderTests.this.runner.withUserConfiguration(Everything.class).withBean(Busy.class).run((context) -> {
				List<String> advice = Stream.of(((Advised) context.getBean(Busy.class)).getAdvisors())
					.map((advisor) -> advisor.getAdvice().getClass().getSimpleName())
					.filter((name) -> !name.equals("ExposeInvocationInterceptor"))
					.toList();
				assertThat(advice).startsWith("AnnotationAsyncExecutionInterceptor", "BackoffInterceptor")
					.contains("TransactionInterceptor", "CacheInterceptor")
					.hasSize(4);
				assertThat(output).doesNotContain("not eligible for getting processed");
			});
		}

		@Test
		void runsAllAttemptsInOneAsynchronousTask() {
			AdviceOrderTests.this.runner.withUserConfiguration(Everything.class).withBean(Busy.class).run((context) -> {
				context.getBean(Busy.class).run();
				assertThat(context.getBean(CountingExecutor.class).tasks).isEqualTo(1);
				assertThat(context.getBean(Log.class).lines).containsExactly("attempt 1", "attempt 2", "attempt 3");
			});
		}

		@Test
		void countsAnAnswerFromTheCacheAsASuccess() {
			RecordingRecorder recorder = new RecordingRecorder();
			CallRecorder.Factory recorders = (policy, method) -> recorder;
			AdviceOrderTests.this.runner.withUserConfiguration(Everything.class)
				.withBean(CallRecorder.Factory.class, () -> recorders)
				.withBean(Busy.class)
				.run((context) -> {
					Busy bean = context.getBean(Busy.class);
					assertThat(bean.price("x")).isEqualTo("price of x at attempt 3");
					assertThat(bean.price("x")).isEqualTo("price of x at attempt 3");
					assertThat(context.getBean(Log.class).lines).hasSize(3);
					assertThat(recorder.lines("attempt")).containsExactly("attempt 1 transient 0ms",
							"attempt 2 transient 0ms", "attempt 3 success 0ms", "attempt 1 success 0ms");
				});
		}

	}

	@Nested
	class ConcurrencyLimits {

		private final ApplicationContextRunner runner = AdviceOrderTests.this.runner
			.withUserConfiguration(Resilient.class);

		@ParameterizedTest
		@EnumSource(names = { "OF_CLASSES", "OF_INTERFACES" })
		void holdNoPermitWhileACallWaits(Kind kind) {
			kind.of(this.runner).withBean(LimitedBean.class).run((context) -> {
				Limited bean = context.getBean(Limited.class);
				List<String> others = new ArrayList<>();
				context.getBean(VirtualTime.class).whileSleeping((nanos) -> others.add(elsewhere(bean)));
				assertThat(bean.place(3)).isEqualTo("attempt 3");
				assertThat(others).containsExactly("attempt 1", "attempt 1");
			});
		}

		@Test
		void standBetweenOursAndWhatElseIsInside() {
			AdviceOrderTests.this.runner.withUserConfiguration(Everything.class, Resilient.class)
				.withBean(LimitedBean.class)
				.run((context) -> {
					List<String> advice = Stream.of(((Advised) context.getBean(Limited.class)).getAdvisors())
						.map((advisor) -> advisor.getAdvice().getClass().getSimpleName())
						.filter((name) -> !name.equals("ExposeInvocationInterceptor"))
						.toList();
					assertThat(advice).containsExactly("BackoffInterceptor", "ConcurrencyLimitInterceptor",
							"TransactionInterceptor");
				});
		}

		private static String elsewhere(Limited bean) {
			try {
				return CompletableFuture.supplyAsync(() -> bean.place(1)).get(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				return ex.toString();
			}
		}

	}

	@ParameterizedTest
	@CsvSource({ "LockedInside, 1, true", "LockedOutside, 3, false", "LockedByTheScheduler, 3, false" })
	void locksThatSkipAttemptsAreWarnedOfUnlessOneEnclosesThemAll(String locks, int runs, boolean warned,
			CapturedOutput output) throws ClassNotFoundException {
		Class<?> configuration = Class.forName(AdviceOrderTests.class.getName() + "$" + locks);
		// as if its least time outlasted the test
		AtomicBoolean held = new AtomicBoolean();
		LockProvider provider = (lock) -> Optional.of((SimpleLock) () -> {
		}).filter((free) -> held.compareAndSet(false, true));
		this.runner.withUserConfiguration(configuration)
			.withBean(LockProvider.class, () -> provider)
			.withBean(Job.class)
			.run((context) -> {
				Job job = context.getBean(Job.class);
				assertThat(catchThrowable(job::run) == null).isEqualTo(warned);
				assertThat(job.runs()).isEqualTo(runs);
			});
		assertThat(output.toString()
			.contains("An attempt that @SchedulerLock skips counts as a success: Job.run(); "
					+ "add order = BackoffAdvisor.ORDER - 1 to @EnableSchedulerLock, so that one lock encloses all "
					+ "attempts"))
			.isEqualTo(warned);
	}

	@Nested
	class Observations {

		@Test
		void areOneForEachAttempt() {
			TestObservationRegistry registry = TestObservationRegistry.create();
			AdviceOrderTests.this.runner.withBean(ObservedAspect.class, () -> new ObservedAspect(registry))
				.withBean(Observable.class)
				.run((context) -> context.getBean(Observable.class).run());
			TestObservationRegistryAssert.assertThat(registry).hasNumberOfObservationsWithNameEqualTo("order.run", 3);
		}

		@Test
		void areOneForEachCallIfTheyAreOrderedOutside() {
			TestObservationRegistry registry = TestObservationRegistry.create();
			AdviceOrderTests.this.runner.withBean(ObserveOutside.class, () -> new ObserveOutside(registry))
				.withBean(Observable.class)
				.run((context) -> context.getBean(Observable.class).run());
			TestObservationRegistryAssert.assertThat(registry).hasNumberOfObservationsEqualTo(1);
		}

	}

	@Nested
	class AdviceInside {

		private final ApplicationContextRunner runner = AdviceOrderTests.this.runner.withBean(Log.class);

		@ParameterizedTest
		@EnumSource
		void runsAtEachAttemptWithTheArgumentsOfTheCall(Kind kind) {
			kind.of(this.runner).withBean(Marking.class).withBean(TargetBean.class).run((context) -> {
				Target bean = context.getBean(Target.class);
				for (int call = 1; call <= 2; call++) {
					context.getBean(Log.class).lines.clear();
					assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.place("o-1"));
					assertThat(context.getBean(Log.class).lines).containsExactly("around o-1", "target o-1!",
							"around o-1", "target o-1!", "around o-1", "target o-1!", "recover o-1");
				}
			});
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void mayReplaceArgumentsInPlace(boolean classes) {
			this.runner.withPropertyValues("spring.aop.proxy-target-class=" + classes)
				.withBean(Advisor.class, AdviceOrderTests::appendInPlace)
				.withBean(TargetBean.class)
				.run((context) -> {
					assertThatExceptionOfType(Failure.class)
						.isThrownBy(() -> context.getBean(Target.class).place("o-1"));
					assertThat(context.getBean(Log.class).lines).containsExactly("target o-1?", "target o-1?",
							"target o-1?", "recover o-1");
				});
		}

		@Test
		void mayBeOnOneOfTwoBeansOfAClass() {
			this.runner.withBean(OnSecond.class)
				.withBean("first", TargetBean.class)
				.withBean("second", TargetBean.class)
				.run((context) -> {
					List<String> plain = List.of("target o", "target o", "target o", "recover o");
					List<String> advised = List.of("around second", "target o", "around second", "target o",
							"around second", "target o", "recover o");
					assertThat(called(context.getBean(Log.class), (Target) context.getBean("first"))).isEqualTo(plain);
					assertThat(called(context.getBean(Log.class), (Target) context.getBean("second")))
						.isEqualTo(advised);
					assertThat(called(context.getBean(Log.class), (Target) context.getBean("second")))
						.isEqualTo(advised);
					assertThat(called(context.getBean(Log.class), (Target) context.getBean("first"))).isEqualTo(plain);
				});
		}

		private static List<String> called(Log log, Target bean) {
			log.lines.clear();
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.place("o"));
			return List.copyOf(log.lines);
		}

		@Test
		void outsideOursRunsOnce() {
			this.runner.withBean(Outside.class).withBean(TargetBean.class).run((context) -> {
				assertThatExceptionOfType(Failure.class)
					.isThrownBy(() -> context.getBean(TargetBean.class).place("o-1"));
				assertThat(context.getBean(Log.class).lines).containsExactly("outside", "target o-1", "target o-1",
						"target o-1", "recover o-1");
			});
		}

	}

	private static Advisor appendInPlace() {
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.setMappedName("place");
		pointcut.setClassFilter(Target.class::isAssignableFrom);
		return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
			invocation.getArguments()[0] = invocation.getArguments()[0] + "?";
			return invocation.proceed();
		});
	}

	public static class Log {

		final List<String> lines = new CopyOnWriteArrayList<>();

	}

	public interface Store {

		void place(String name, int succeedAt) throws Failure;

	}

	public static class OrderStore implements Store {

		private final JdbcClient jdbc;

		public OrderStore(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Override
		@Backoff(base = "1ns")
		@Transactional(rollbackFor = Failure.class)
		public void place(String name, int succeedAt) throws Failure {
			int attempt = Attempt.current().number();
			this.jdbc.sql("insert into orders values (?)").param(name + " at attempt " + attempt).update();
			if (attempt < succeedAt) {
				throw new Failure("attempt " + attempt);
			}
		}

	}

	public interface Target {

		void place(Object order) throws Failure;

	}

	public static class TargetBean implements Target {

		private final Log log;

		public TargetBean(Log log) {
			this.log = log;
		}

		@Override
		@Backoff(base = "1ns", maxAttempts = "3", recover = "give")
		public void place(Object order) throws Failure {
			this.log.lines.add("target " + order);
			throw new Failure("place");
		}

		@SuppressWarnings("UnusedMethod") // called by its name
		private void give(Object order, Failure failure) throws Failure {
			this.log.lines.add("recover " + order);
			throw failure;
		}

	}

	/** Binds an argument, which only the running call can match, and replaces it. */
	@Aspect
	public record Marking(Log log) {

		@Around("execution(* dev.backoff.spring.advice.AdviceOrderTests.Target+.place(..)) && args(order)")
		public Object mark(ProceedingJoinPoint joinPoint, String order) throws Throwable {
			this.log.lines.add("around " + order);
			return joinPoint.proceed(new Object[] { order + "!" });
		}

	}

	@Aspect
	public record OnSecond(Log log) {

		@Around("bean(second) && execution(* dev.backoff.spring.advice.AdviceOrderTests.Target+.place(..))")
		public Object around(ProceedingJoinPoint joinPoint) throws Throwable {
			this.log.lines.add("around second");
			return joinPoint.proceed();
		}

	}

	@Aspect
	@org.springframework.core.annotation.Order(0)
	public record Outside(Log log) {

		@Around("execution(* dev.backoff.spring.advice.AdviceOrderTests.Target+.place(..))")
		public Object around(ProceedingJoinPoint joinPoint) throws Throwable {
			this.log.lines.add("outside");
			return joinPoint.proceed();
		}

	}

	public static class Observable {

		@Observed(name = "order.run")
		@Backoff(base = "1ns")
		public void run() {
			int attempt = Attempt.current().number();
			if (attempt < 3) {
				throw new IllegalStateException("attempt " + attempt);
			}
		}

	}

	@Aspect
	@org.springframework.core.annotation.Order(0)
	public record ObserveOutside(ObservationRegistry registry) {

		@Around("@annotation(io.micrometer.observation.annotation.Observed)")
		public Object around(ProceedingJoinPoint joinPoint) throws Throwable {
			return Observation.createNotStarted("order.run", this.registry).observeChecked(() -> joinPoint.proceed());
		}

	}

	/** Succeeds at the third attempt. */
	public static class Busy {

		private final Log log;

		public Busy(Log log) {
			this.log = log;
		}

		@Async
		@Backoff(base = "1ns")
		@Transactional
		@Cacheable("busy")
		public void run() throws Failure {
			attempt();
		}

		@Backoff(base = "1ns")
		@Cacheable("prices")
		public String price(String item) throws Failure {
			return "price of " + item + " at attempt " + attempt();
		}

		private int attempt() throws Failure {
			int attempt = Attempt.current().number();
			this.log.lines.add("attempt " + attempt);
			if (attempt < 3) {
				throw new Failure("attempt " + attempt);
			}
			return attempt;
		}

	}

	public static class CountingTransactions extends DataSourceTransactionManager {

		private static final long serialVersionUID = 1L;

		final transient List<String> events = new ArrayList<>();

		CountingTransactions(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.events.add("begin");
			super.doBegin(transaction, definition);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.events.add("commit");
			super.doCommit(status);
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.events.add("rollback");
			super.doRollback(status);
		}

	}

	/** Runs tasks at once and counts them. */
	public static class CountingExecutor implements TaskExecutor {

		int tasks;

		@Override
		public void execute(Runnable task) {
			this.tasks++;
			task.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Database extends Tables {

	}

	@Configuration(proxyBeanMethods = false)
	static class Tables {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		CountingTransactions transactions(DataSource dataSource) {
			return new CountingTransactions(dataSource);
		}

		@Bean
		JdbcClient jdbcClient(DataSource dataSource) {
			JdbcClient client = JdbcClient.create(dataSource);
			client.sql("create table orders (name varchar(50))").update();
			return client;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableCaching
	static class Everything extends Database {

		@Bean
		CountingExecutor taskExecutor() {
			return new CountingExecutor();
		}

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		Log log() {
			return new Log();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Opaque {

		@Bean
		static BeanFactoryPostProcessor opaqueProxies() {
			return (beanFactory) -> beanFactory.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
				.getPropertyValues()
				.add("opaque", true);
		}

	}

}
