package dev.backoff.spring.advice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.advice.AdviceContexts.Failure;
import dev.backoff.spring.advice.otherpackage.Ancestor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MethodRecoveryTests extends AdvisedApplication {

	@Nested
	class ItsCall {

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void goesThroughTheProxySoThatItsTransactionHolds(boolean classes) throws Exception {
			properties("spring.aop.proxy-target-class=" + classes);
			start(AdviceOrderTests.Database.class, NotifierBean.class);
			assertThat(context.getBean(Notifier.class).send("o-1")).isEqualTo("parked o-1 in a transaction: true");
			assertThat(context.getBean(AdviceOrderTests.CountingTransactions.class).events).containsExactly("begin",
					"commit");
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void reachesWhatTheProxyDoesNotShowOnTheTarget(boolean classes) throws Throwable {
			properties("spring.aop.proxy-target-class=" + classes);
			start((beans) -> {
				beans.registerBean(Service.class, ServiceBean::new);
			});
			Service bean = context.getBean(Service.class);
			assertThat(bean.byPrivate()).isEqualTo("private with state after byPrivate");
			assertThat(bean.byFinal()).isEqualTo("final with state");
			assertThat(bean.byPackagePrivateOfAnotherPackage()).isEqualTo("inherited with state");
			assertThat(bean.byProtected()).isEqualTo("protected with state");
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void isNeverAdvisedThoughTheTypeIsAnnotated(boolean classes) {
			properties("spring.aop.proxy-target-class=" + classes);
			start((beans) -> {
				beans.registerBean(Typed.class, TypedBean::new);
			});
			Typed bean = context.getBean(Typed.class);
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.send("o")).withMessage("no place to park");
			assertThat(time.delays()).hasSize(1);
			assertThat(bean.parked()).isEqualTo(1);
			// a call from elsewhere is retried, as of any method of the type
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.park("o"));
			assertThat(time.delays()).hasSize(2);
			assertThat(bean.parked()).isEqualTo(3);
		}

		@Test
		void onAnotherBeanOfTheClassIsAdvised() {
			start((beans) -> {
				beans.registerBean("standby", Typed.class, TypedBean::new);
				beans.registerBean("primary", Relaying.class);
				beans.registerBean("secondary", Relaying.class);
			});
			Relaying primary = (Relaying) context.getBean("primary");
			Relaying secondary = (Relaying) context.getBean("secondary");
			primary.relayTo(secondary);
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> primary.send("o"));
			assertThat(primary.calls()).containsExactly("send", "send", "park");
			assertThat(secondary.calls()).containsExactly("park", "park");
		}

		@Test
		void ofTwoMethodsThatRecoverEachOtherEnds() {
			start(Mutual.class);
			Mutual bean = context.getBean(Mutual.class);
			assertThatExceptionOfType(Failure.class).isThrownBy(bean::left).withMessage("right");
			assertThat(bean.calls()).containsExactly("left", "left", "right");
		}

		@Test
		void ofItsOwnMethodIsRetriedButNotRecoveredAgain() {
			start(Again.class);
			Again bean = context.getBean(Again.class);
			assertThatExceptionOfType(Failure.class).isThrownBy(() -> bean.send("first"))
				.withMessage("second")
				.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(Failure.class)
					.filteredOn(Failure.class::isInstance)
					.singleElement()
					.extracting(Throwable::getMessage)
					.isEqualTo("first"));
			assertThat(bean.calls()).containsExactly("first", "first", "recover first", "second", "second");
			assertThat(listener.stopped()).extracting((stopped) -> stopped.recovery().name())
				.containsExactly("NONE", "FAILED");
			assertThat(Attempt.isRunning()).isFalse();
		}

		@Test
		void ofItsOwnMethodMaySucceed() throws Exception {
			start(Again.class);
			assertThat(context.getBean(Again.class).send("other")).isEqualTo("sent fine");
		}

		@Test
		void ofItsOwnMethodThroughAnotherBeanIsNotRecoveredAgain() {
			start((beans) -> {
				beans.registerBean("primary", Relay.class);
				beans.registerBean("secondary", Relay.class);
			});
			Relay primary = (Relay) context.getBean("primary");
			Relay secondary = (Relay) context.getBean("secondary");
			primary.relayTo(secondary);
			secondary.relayTo(primary);
			assertThatExceptionOfType(Failure.class).isThrownBy(primary::send);
			assertThat(primary.sent()).isEqualTo(2);
			assertThat(secondary.sent()).isEqualTo(1);
		}

		@Test
		void ofItsOwnMethodIsNotRecoveredAgainIfTheResultComesLater() {
			start(Later.class);
			Later bean = context.getBean(Later.class);
			assertThat(bean.send()).failsWithin(Duration.ZERO)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(Failure.class);
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> bean.publish().block())
				.withCauseInstanceOf(Failure.class);
			assertThat(bean.calls()).containsExactly("send", "recover", "send", "publish", "recover", "publish");
		}

	}

	@Test
	void whatItThrowsIsThatItReturnedNullForAPrimitiveType() {
		start(Failing.class);
		Failure failure = new Failure("down");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> context.getBean(Failing.class).count(failure))
			.withMessage("The recovery nothing returned null instead of int")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).containsExactly(failure));
	}

	@Nested
	class WhatItGets {

		@Test
		void isTheStoryAfterAResultThatStayedBad() {
			start(Results.class);
			assertThat(context.getBean(Results.class).bad("o"))
				.isEqualTo("o: ATTEMPTS_EXHAUSTED, last 'bad 2', failure null");
		}

		@Test
		void isTheStoryAsAThrowableAfterAPollingThatStayedPending() {
			start(Results.class);
			assertThat(context.getBean(Results.class).pending("o"))
				.isEqualTo("o: RetriesStoppedException, last 'pending 2'");
		}

		@Test
		void isTheInnerFailureInsideAnOuterCall() throws Exception {
			start(InnerService.class, OuterService.class);
			assertThat(context.getBean(OuterService.class).place("o"))
				.isEqualTo("outer recovered o from NESTED: inner could not recover");
			assertThat(context.getBean(InnerService.class).calls()).containsExactly("attempt 1", "attempt 2",
					"recover");
			assertThat(listener.stopped()).extracting((stopped) -> stopped.report().method() + " " + stopped.recovery())
				.containsExactly("InnerService.call FAILED", "OuterService.place DONE");
		}

	}

	@Test
	void itsShapeMayBeStaticGenericVariableOrWider() throws Throwable {
		start(Odd.class);
		Odd bean = context.getBean(Odd.class);
		assertThat(bean.byStatic("a")).isEqualTo("static a");
		assertThat(bean.byGeneric("a")).isEqualTo("generic a down");
		assertThat(bean.byVarargs("a", "b")).isEqualTo("varargs 2");
		assertThat(bean.byWider("a")).isEqualTo("wider a");
	}

	/** Notes its calls. */
	public abstract static class Noting {

		final List<String> calls = new ArrayList<>();

		public List<String> calls() {
			return this.calls;
		}

	}

	public interface Notifier {

		String send(String order) throws Failure;

		String park(String order, Failure failure);

	}

	public static class NotifierBean implements Notifier {

		@Override
		@Backoff(base = "1ns", recover = "park")
		public String send(String order) throws Failure {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
			throw new Failure("send");
		}

		@Override
		@Transactional
		public String park(String order, Failure failure) {
			return "parked " + order + " in a transaction: "
					+ TransactionSynchronizationManager.isActualTransactionActive();
		}

	}

	public interface Service {

		String byPrivate() throws Failure;

		String byFinal() throws Failure;

		String byProtected() throws Failure;

		String byPackagePrivateOfAnotherPackage() throws Failure;

	}

	public static class ServiceBean extends Ancestor implements Service {

		private final StringBuilder state = new StringBuilder("with state");

		@Override
		@Backoff(base = "1ns", recover = "privately")
		public String byPrivate() throws Failure {
			throw new Failure("byPrivate");
		}

		@SuppressWarnings("UnusedMethod") // called by its name
		private String privately(Failure failure) {
			return "private " + this.state + " after " + failure.getMessage();
		}

		@Override
		@Backoff(base = "1ns", recover = "sealedly")
		public String byFinal() throws Failure {
			throw new Failure("byFinal");
		}

		public final String sealedly() {
			return "final " + this.state;
		}

		@Override
		@Backoff(base = "1ns", recover = "protectedly")
		public String byProtected() throws Failure {
			throw new Failure("byProtected");
		}

		protected String protectedly() {
			return "protected " + this.state;
		}

		@Override
		@Backoff(base = "1ns", recover = "inherited")
		public String byPackagePrivateOfAnotherPackage() throws Failure {
			throw new Failure("byPackagePrivateOfAnotherPackage");
		}

	}

	public interface Typed {

		String send(String order) throws Failure;

		String park(String order) throws Failure;

		int parked();

	}

	@Backoff(base = "1ns", maxAttempts = "2")
	public static class TypedBean implements Typed {

		private int parked;

		@Override
		@Backoff(recover = "park")
		public String send(String order) throws Failure {
			throw new Failure("send");
		}

		@Override
		public String park(String order) throws Failure {
			this.parked++;
			throw new Failure("no place to park");
		}

		@Override
		public int parked() {
			return this.parked;
		}

	}

	@Backoff(base = "1ns", maxAttempts = "2")
	public static class Relaying extends Noting {

		private Relaying next;

		public void relayTo(Relaying other) {
			this.next = other;
		}

		@Backoff(recover = "park")
		public String send(String order) throws Failure {
			this.calls.add("send");
			throw new Failure("send");
		}

		public String park(String order) throws Failure {
			this.calls.add("park");
			if (this.next != null) {
				return this.next.park(order);
			}
			throw new Failure("no place to park");
		}

	}

	public static class Mutual extends Noting {

		@Backoff(base = "1ns", maxAttempts = "2", recover = "right")
		public void left() throws Failure {
			this.calls.add("left");
			throw new Failure("left");
		}

		@Backoff(base = "1ns", maxAttempts = "2", recover = "left")
		public void right() throws Failure {
			this.calls.add("right");
			throw new Failure("right");
		}

	}

	public static class Failing {

		@Backoff(base = "1ns", recover = "nothing")
		public int count(Throwable failure) throws Throwable {
			throw failure;
		}

		@Nullable Integer nothing(RetriesStoppedException failure) {
			return null;
		}

	}

	public static class Results {

		@Backoff(base = "1ns", maxAttempts = "2", retryWhen = "#result matches 'bad.*'", recover = "instead")
		public String bad(String order) {
			return "bad " + Attempt.current().number();
		}

		String instead(String order, RetriesStoppedException stopped) {
			return order + ": " + stopped.reason() + ", last '" + stopped.lastResult() + "', failure "
					+ stopped.failure();
		}

		@Backoff(base = "1ns", maxAttempts = "2", until = "#result == 'final'", recover = "later")
		public String pending(String order) {
			return "pending " + Attempt.current().number();
		}

		String later(String order, Throwable failure) {
			return order + ": " + failure.getClass().getSimpleName() + ", last '"
					+ ((RetriesStoppedException) failure).lastResult() + "'";
		}

	}

	public static class InnerService extends Noting {

		@Backoff(base = "1ns", maxAttempts = "2", recover = "instead")
		public String call(String order) throws Failure {
			this.calls.add("attempt " + Attempt.current().number());
			throw new Failure("call");
		}

		String instead(String order) throws Failure {
			this.calls.add("recover");
			throw new Failure("inner could not recover");
		}

	}

	public static class OuterService {

		private final InnerService inner;

		public OuterService(InnerService inner) {
			this.inner = inner;
		}

		@Backoff(base = "1ns", recover = "instead")
		public String place(String order) throws Failure {
			return this.inner.call(order);
		}

		String instead(String order, RetriesStoppedException stopped) {
			return "outer recovered " + order + " from " + stopped.reason() + ": " + stopped.failure().getMessage();
		}

	}

	static class Odd {

		@Backoff(maxAttempts = "2", recover = "statically")
		public String byStatic(String text) throws Failure {
			throw new Failure("down");
		}

		static String statically(String text) {
			return "static " + text;
		}

		@Backoff(maxAttempts = "2", recover = "generically")
		public String byGeneric(String text) throws Failure {
			throw new Failure("down");
		}

		<T extends Exception> String generically(String text, T failure) {
			return "generic " + text + " " + failure.getMessage();
		}

		@Backoff(maxAttempts = "2", recover = "variably")
		public String byVarargs(String... texts) throws Failure {
			throw new Failure("down");
		}

		public String variably(String... texts) {
			return "varargs " + texts.length;
		}

		@Backoff(maxAttempts = "2", recover = "widely")
		public Object byWider(String text) throws Failure {
			throw new Failure("down");
		}

		public String widely(Object text) {
			return "wider " + text;
		}

	}

	static class Again extends Noting {

		private final ObjectProvider<Again> self;

		Again(ObjectProvider<Again> self) {
			this.self = self;
		}

		@Backoff(base = "1ns", maxAttempts = "2", recover = "again")
		public String send(String order) throws Failure {
			this.calls.add(order);
			if (order.equals("fine")) {
				return "sent fine";
			}
			throw new Failure(order);
		}

		@SuppressWarnings("UnusedMethod") // called by its name
		private String again(String order) throws Failure {
			this.calls.add("recover " + order);
			return this.self.getObject().send(order.equals("first") ? "second" : "fine");
		}

	}

	public static class Relay {

		private Relay next;

		private int sent;

		public void relayTo(Relay next) {
			this.next = next;
		}

		public int sent() {
			return this.sent;
		}

		@Backoff(maxAttempts = "1", recover = "relay")
		public String send() throws Failure {
			this.sent++;
			throw new Failure("send");
		}

		public String relay() throws Failure {
			return this.next.send();
		}

	}

	static class Later extends Noting {

		private final ObjectProvider<Later> self;

		Later(ObjectProvider<Later> self) {
			this.self = self;
		}

		@Backoff(maxAttempts = "1", recover = "sendAgain")
		public CompletableFuture<String> send() {
			this.calls.add("send");
			return CompletableFuture.failedFuture(new Failure("down"));
		}

		public CompletableFuture<String> sendAgain() {
			this.calls.add("recover");
			return this.self.getObject().send();
		}

		@Backoff(maxAttempts = "1", recover = "publishAgain")
		public Mono<String> publish() {
			this.calls.add("publish");
			return Mono.error(new Failure("down"));
		}

		public Mono<String> publishAgain() {
			this.calls.add("recover");
			return this.self.getObject().publish();
		}

	}

}
