package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.configuration.SmallApplication;

/** Every kind of bad annotation, with the whole report that stops the start. */
class AnnotationReportTests {

	@ParameterizedTest
	@MethodSource
	void reportsAnnotations(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsAnnotations() {
		return Stream.of(
				annotated(UnknownPolicy.class,
						"@Backoff on UnknownPolicy.place(String): invalid value (orders): names a policy that "
								+ "is not defined.",
						"Define backoff.policies.orders, or give the annotation values of its own. Known names: "
								+ "payment-callback."),
				annotated(AnotherNumber.class,
						"@Backoff on AnotherNumber.place(String): invalid value (payment-callback2): names a policy that "
								+ "is not defined.",
						"Define backoff.policies.payment-callback2, or give the annotation values of its own. Known "
								+ "names: payment-callback."),
				annotated(MisspelledPolicy.class,
						"@Backoff on MisspelledPolicy.place(String): invalid value (payment-calback): names a "
								+ "policy that is not defined.",
						"Write payment-callback, or define backoff.policies.payment-calback, or give the "
								+ "annotation values of its own."),
				annotated(MisspelledPolicyWithValues.class,
						"@Backoff on MisspelledPolicyWithValues.place(String): invalid value "
								+ "(payment-calback): names a policy that is not defined, and is so near to "
								+ "payment-callback (application.yml:3) that one of them may be misspelt.",
						"Write payment-callback here, or payment-calback there. To have both, define "
								+ "backoff.policies.payment-calback too."),
				annotated(CapBelowBase.class,
						"@Backoff on CapBelowBase.place(String): invalid cap (50ms): must not be below the "
								+ "base (100ms).",
						"Raise the cap or lower the base (annotation on CapBelowBase.place)."),
				annotated(NoAttempts.class,
						"@Backoff on NoAttempts.place(String): invalid maxAttempts (0): must be a number from "
								+ "1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				annotated(JitterAsAShare.class,
						"@Backoff on JitterAsAShare.place(String): invalid jitter (0.3): must be none, full, "
								+ "equal, decorrelated, beta, beta a..b or a percentage.",
						"Write it as a percentage: 30%."),
				annotated(DeadlineWithoutUnit.class,
						"@Backoff on DeadlineWithoutUnit.place(String): invalid deadline (30): must have a unit.",
						"Write 30ms or 30s."),
				annotated(LadderWithAGap.class,
						"@Backoff on LadderWithAGap.place(String): invalid ladder (1s, , 3s): has an empty rung.",
						"Write a delay in its place, or remove it."),
				annotated(BlankBase.class, "@Backoff on BlankBase.place(String): invalid base ( ): must not be blank.",
						"Give it a value, or leave it out."),
				annotated(UndefinedPlaceholder.class,
						"@Backoff on UndefinedPlaceholder.place(String): invalid base (${orders.base}): has "
								+ "the placeholder ${orders.base}, which nothing defines.",
						"Define the property orders.base, or give it a default, as in ${orders.base:2s}.",
						"@Backoff on UndefinedPlaceholder.place(String): invalid value (${orders.policy}): has "
								+ "the placeholder ${orders.policy}, which nothing defines.",
						"Define the property orders.policy, or give it a default, as in ${orders.policy:2s}."),
				annotated(Expressions.class,
						"@Backoff on Expressions.place(String): invalid base (#{systemProperties}): must not "
								+ "be an expression: #{} is never evaluated here.",
						"Write a literal value, or a ${placeholder}.",
						"@Backoff on Expressions.place(String): invalid value (#{orders}): must not be an "
								+ "expression: #{} is never evaluated here.",
						"Write a literal value, or a ${placeholder}."),
				annotated(EmptyLadder.class,
						"@Backoff on EmptyLadder.place(String): invalid ladder (): must have at least one rung.",
						"Write the delays, such as 1s x5, 10s, 30s."),
				annotated(BadRung.class,
						"@Backoff on BadRung.place(String): invalid ladder (1s x3, soon): has the rung 'soon', "
								+ "which must be a duration.",
						"Write a rung as a duration with an optional number of times, such as 10s or 1s x5."),
				annotated(NotANumber.class,
						"@Backoff on NotANumber.place(String): invalid multiplier (NaN): must be a finite "
								+ "number of at least 1.",
						"Write a number such as 2 or 1.5; 1 keeps the delay constant."),
				annotated(LadderWithoutRungs.class,
						"@Backoff on LadderWithoutRungs.place(String): invalid shape (ladder): needs a ladder.",
						"Add the delays as ladder."),
				annotated(StepWithoutLinear.class,
						"@Backoff on StepWithoutLinear.place(String): invalid step (5s): has no effect, "
								+ "because the shape is exponential (built in).",
						"Remove it, or set the shape to linear."),
				annotated(LadderAndBase.class,
						"@Backoff on LadderAndBase.place(String): invalid base (2s): has no effect, because "
								+ "the shape is ladder (annotation on LadderAndBase.place).",
						"Remove it, or set the shape to fixed, linear or exponential."),
				annotated(LadderUnderABaseOfTheFile.class,
						"Invalid backoff.policies.payment-callback.base (1s) at application.yml:3: has no "
								+ "effect, because the shape is ladder (annotation on LadderUnderABaseOfTheFile.place).",
						"Remove it, or set the shape to fixed, linear or exponential."),
				annotated(DeadlineWithoutRoom.class,
						"@Backoff on DeadlineWithoutRoom.place(String): invalid deadline (1s): leaves no room "
								+ "for a retry, which waits 2s at least and needs 10ms (shortest-attempt).",
						"Raise the deadline, or lower the base (annotation on DeadlineWithoutRoom.place)."),
				annotated(NarrowDecorrelated.class,
						"@Backoff on NarrowDecorrelated.place(String): invalid cap (1s): must be at least "
								+ "twice the base (1s) for decorrelated jitter (annotation on NarrowDecorrelated.place).",
						"Raise the cap or lower the base (annotation on NarrowDecorrelated.place)."),
				annotated(NeverRetried.class,
						"@Backoff on NeverRetried.place(String): invalid retryOn "
								+ "(java.lang.InterruptedException): names a failure that is never retried.",
						"Remove it."),
				annotated(UnknownClassifier.class,
						"@Backoff on UnknownClassifier.place(String): invalid classifier (gateway): names no "
								+ "bean of type FailureClassifier.",
						"Write the name of such a bean, or define one called gateway."),
				annotated(MisspelledClassifier.class,
						"@Backoff on MisspelledClassifier.place(String): invalid classifier "
								+ "(backofFailureClassifier): names no bean of type FailureClassifier.",
						"Write backoffFailureClassifiers."),
				annotated(MissingRecover.class,
						"@Backoff on MissingRecover.place(String): invalid recover (park): names no method of "
								+ "MissingRecover.",
						"Write String park(String), if you like with a Throwable or a RetriesStoppedException "
								+ "as its last parameter."),
				annotated(MisspelledRecover.class,
						"@Backoff on MisspelledRecover.place(String): invalid recover (parks): names no method "
								+ "of MisspelledRecover.",
						"Write park."),
				annotated(OtherRecover.class,
						"@Backoff on OtherRecover.place(String, int): invalid recover (park): does not fit "
								+ "OtherRecover.place(String, int), because it is void park(String, int, "
								+ "RetriesStoppedException) and String park(int, String).",
						"Write String park(String, int), if you like with a Throwable or a "
								+ "RetriesStoppedException as its last parameter."),
				annotated(NoExpression.class,
						"@Backoff on NoExpression.place(String): invalid retryWhen (#result ==): is no "
								+ "expression: EL1042E: Problem parsing right operand (at character 8).",
						"Write a condition over #result, such as #result == false."),
				annotated(TypeInExpression.class, "@Backoff on TypeInExpression.place(String): invalid retryWhen "
						+ "(T(java.lang.Runtime).getRuntime() != null): uses T(java.lang.Runtime), which is not "
						+ "allowed here.", "Use #result and #root.args only; put more into a method of the result."),
				annotated(ConstructorInExpression.class,
						"@Backoff on ConstructorInExpression.place(String): invalid retryWhen (new String('x') "
								+ "== #result): uses new String('x'), which is not allowed here.",
						"Use #result and #root.args only; put more into a method of the result."),
				annotated(BeanInExpression.class,
						"@Backoff on BeanInExpression.place(String): invalid until (@gateway.isDone(#result)): "
								+ "uses @gateway, which is not allowed here.",
						"Use #result and #root.args only; put more into a method of the result."),
				annotated(AssignmentInExpression.class,
						"@Backoff on AssignmentInExpression.place(String): invalid until ((#result = 'DONE') "
								+ "== 'DONE'): uses #result='DONE', which is not allowed here.",
						"Use #result and #root.args only; put more into a method of the result."),
				annotated(FunctionInExpression.class,
						"@Backoff on FunctionInExpression.place(String): invalid until (#done(#result)): uses "
								+ "#done(#result), which is not allowed here.",
						"Use #result and #root.args only; put more into a method of the result."),
				annotated(UnknownVariable.class,
						"@Backoff on UnknownVariable.place(String): invalid until (#order == null): uses "
								+ "#order, which is always null.",
						"Use #result for the result and #root.args[0] for the first argument."),
				annotated(VariableWithoutHash.class,
						"@Backoff on VariableWithoutHash.place(String): invalid until (result == 'DONE'): uses "
								+ "result, which nothing here is called.",
						"Write #result."),
				annotated(UnknownOfRoot.class,
						"@Backoff on UnknownOfRoot.place(String): invalid until (#root.arguments[0] == "
								+ "#result): uses #root.arguments[0], which nothing here is called.",
						"Use #result for the result and #root.args[0] for the first argument."),
				annotated(NoCondition.class,
						"@Backoff on NoCondition.place(String): invalid until (#result.length()): gives int "
								+ "instead of true or false.",
						"Write a condition over #result, such as #result == false."),
				annotated(ConstantCondition.class,
						"@Backoff on ConstantCondition.place(String): invalid until ('DONE'): gives a constant "
								+ "instead of true or false.",
						"Write a condition over #result, such as #result == false."),
				annotated(UnknownProperty.class,
						"@Backoff on UnknownProperty.pay(String): invalid until (#result.statsu.name == "
								+ "'DONE'): uses statsu, which Payment does not have.",
						"Write status instead of statsu."),
				annotated(EnumAndText.class,
						"@Backoff on EnumAndText.pay(String): invalid until (#result.status == 'DONE'): "
								+ "compares the enum Status with text, which is never equal.",
						"Write #result.status.name instead of #result.status."),
				annotated(EnumMethodAndText.class,
						"@Backoff on EnumMethodAndText.pay(String): invalid until ('DONE' != "
								+ "#result.status()): compares the enum Status with text, which is never equal.",
						"Write #result.status().name instead of #result.status()."),
				annotated(EnumItselfAndText.class,
						"@Backoff on EnumItselfAndText.ask(String): invalid until (#result == 'DONE'): "
								+ "compares the enum Status with text, which is never equal.",
						"Write #result.name instead of #result."),
				annotated(BooleanAndText.class,
						"@Backoff on BooleanAndText.send(String): invalid retryWhen (#result == 'false'): "
								+ "compares the boolean with text, which is never equal.",
						"Write false instead of 'false'."),
				annotated(NumberAndText.class,
						"@Backoff on NumberAndText.send(String): invalid retryWhen (#result == '0'): "
								+ "compares the int with text, which is never equal.",
						"Write 0 instead of '0'."),
				annotated(OtherTypeArgument.class,
						"@Backoff on OtherTypeArgument.list(String): invalid recover (none): does not fit "
								+ "OtherTypeArgument.list(String), because it is List<Integer> none(String).",
						"Write List<String> none(String), if you like with a Throwable or a RetriesStoppedException as its "
								+ "last parameter."),
				annotated(ConditionOnVoid.class,
						"@Backoff on ConditionOnVoid.place(String): invalid retryWhen (#result == null): "
								+ "judges a result, and ConditionOnVoid.place(String) returns none.",
						"Remove it, or let the method return something."),
				annotated(FinalMethod.class,
						"@Backoff on FinalMethod.place(String): is on a final method, which no proxy can " + "advise.",
						"Make the method non-final, or move the annotation to a method that calls it."),
				annotated(PrivateMethod.class,
						"@Backoff on PrivateMethod.place(String): is on a private method, which no proxy can "
								+ "advise.",
						"Make the method non-private, or move the annotation to a method that calls it."),
				annotated(StaticMethod.class,
						"@Backoff on StaticMethod.place(String): is on a static method, which no proxy can "
								+ "advise.",
						"Make the method non-static, or move the annotation to a method that calls it."),
				annotated(LifeCycle.class,
						calledByContainer("LifeCycle", "afterPropertiesSet", "destroy", "last", "open")),
				annotated(InitMethods.class, calledByContainer("Opened", "open", "shut")),
				annotated(FinalClass.class,
						"@Backoff on FinalClass: the class is final, so no proxy can be made of it.",
						"Make it non-final."),
				annotated(FinalClassWithContract.class,
						"@Backoff on FinalClassWithContract: the class is final, so no proxy can be made of it.",
						"Make it non-final, or let it be proxied by its interfaces with @Proxyable(INTERFACES)."),
				annotated(SealedClass.class,
						"@Backoff on SealedClass: the class is sealed, so no proxy can be made of it.",
						"Remove sealed and permits."),
				annotated(FutureResult.class,
						"@Backoff on FutureResult.place(String): is on a method that returns a FutureTask, which its "
								+ "caller could not be given.",
						"Declare a CompletableFuture, a CompletionStage or a Future."),
				annotated(ReactiveResult.class,
						"@Backoff on ReactiveResult.place(String): is on a method that returns a ConnectableFlux, "
								+ "which its caller could not be given.",
						"Declare a Flux."),
				annotated(SeveralResults.class,
						"@Backoff on SeveralResults.place(String): invalid retryWhen (#result == null): judges the "
								+ "one result of a call, and SeveralResults.place(String) may give several.",
						"Remove it, or let the method collect them and return the collection as one.",
						"@Backoff on SeveralResults.place(String): invalid recover (park): does not fit "
								+ "SeveralResults.place(String), because it is Mono<String> park(String).",
						"Write Flux<String> park(String), if you like with a Throwable or a RetriesStoppedException as its "
								+ "last parameter."),
				annotated(ValueForMono.class,
						"@Backoff on ValueForMono.place(String): invalid recover (park): does not fit "
								+ "ValueForMono.place(String), because it is String park(String).",
						"Write Mono<String> park(String), if you like with a Throwable or a RetriesStoppedException as its "
								+ "last parameter."),
				annotated(NoValueInMono.class,
						"@Backoff on NoValueInMono.place(String): invalid until (#result == true): judges a result, "
								+ "and NoValueInMono.place(String) returns none.",
						"Remove it, or let the method return something."),
				annotated(SeveralMethods.class,
						"@Backoff on SeveralMethods.a(): invalid base (later): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.a(): invalid cap (never): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.b(): invalid base (soon): must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.c(): invalid base (-1s): must not be negative.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on SeveralMethods.c(): invalid recover (b): does not fit SeveralMethods.c(), "
								+ "because it is void b().",
						"Write int b(), if you like with a Throwable or a RetriesStoppedException as its last "
								+ "parameter."),
				annotated(TypeWithManyMethods.class,
						"@Backoff on TypeWithManyMethods: invalid cap (0s): must be above zero.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"@Backoff on TypeWithManyMethods: invalid retryWhen (#result == 1): judges a result, "
								+ "and TypeWithManyMethods.forget(String) returns none.",
						"Remove it, or let the method return something.",
						"@Backoff on TypeWithManyMethods: invalid recover (park): does not fit "
								+ "TypeWithManyMethods.later(String), because it is int park(String, Throwable).",
						"Write CompletableFuture<String> park(String), if you like with a Throwable or a "
								+ "RetriesStoppedException as its last parameter.",
						"@Backoff on TypeWithManyMethods: invalid retryWhen (#result == 1): judges the one result of a "
								+ "call, and TypeWithManyMethods.muchLater(String) may give several.",
						"Remove it, or let the method collect them and return the collection as one.",
						"@Backoff on TypeWithManyMethods: invalid recover (park): does not fit "
								+ "TypeWithManyMethods.muchLater(String), because it is int park(String, Throwable).",
						"Write Flux<String> park(String), if you like with a Throwable or a "
								+ "RetriesStoppedException as its last parameter."));
	}

	private static String[] calledByContainer(String type, String... methods) {
		return Stream.of(methods)
			.flatMap((method) -> Stream.of(
					"@Backoff on " + type + "." + method
							+ "(): is on a method that the container calls by itself, without a proxy that retries it.",
					"Move it to SmartLifecycle.start or an ApplicationRunner, or to a method of another bean that this "
							+ "one calls."))
			.toArray(String[]::new);
	}

	private static ReportRow annotated(Class<?> bean, String... problems) {
		return ReportRow.of(bean.getSimpleName(), SmallApplication.of(bean).yaml("""
				backoff.policies:
				  payment-callback:
				    base: 1s
				    cap: 20s
				"""), problems);
	}

	public static class UnknownPolicy {

		@Backoff("orders")
		public String place(String order) {
			return order;
		}

	}

	public static class AnotherNumber {

		@Backoff("payment-callback2")
		public String place(String order) {
			return order;
		}

	}

	public static class MisspelledPolicy {

		@Backoff("payment-calback")
		public String place(String order) {
			return order;
		}

	}

	public static class DeadlineWithoutUnit {

		@Backoff(deadline = "30")
		public String place(String order) {
			return order;
		}

	}

	public static class LadderWithAGap {

		@Backoff(ladder = "1s,,3s")
		public String place(String order) {
			return order;
		}

	}

	public static class MisspelledPolicyWithValues {

		@Backoff(value = "payment-calback", base = "1s")
		public String place(String order) {
			return order;
		}

	}

	public static class CapBelowBase {

		@Backoff(base = "100ms", cap = "50ms")
		public String place(String order) {
			return order;
		}

	}

	public static class NoAttempts {

		@Backoff(maxAttempts = "0")
		public String place(String order) {
			return order;
		}

	}

	public static class JitterAsAShare {

		@Backoff(jitter = "0.3")
		public String place(String order) {
			return order;
		}

	}

	public static class BlankBase {

		@Backoff(base = " ")
		public String place(String order) {
			return order;
		}

	}

	public static class UndefinedPlaceholder {

		@Backoff(base = "${orders.base}", value = "${orders.policy}")
		public String place(String order) {
			return order;
		}

	}

	public static class Expressions {

		@Backoff(value = "#{orders}", base = "#{systemProperties}", recover = "")
		public String place(String order) {
			return order;
		}

	}

	public static class EmptyLadder {

		@Backoff(ladder = " ")
		public String place(String order) {
			return order;
		}

	}

	public static class BadRung {

		@Backoff(ladder = { "1s x3", "soon" })
		public String place(String order) {
			return order;
		}

	}

	public static class NotANumber {

		@Backoff(multiplier = "NaN")
		public String place(String order) {
			return order;
		}

	}

	public static class LadderWithoutRungs {

		@Backoff(shape = "ladder")
		public String place(String order) {
			return order;
		}

	}

	public static class StepWithoutLinear {

		@Backoff(step = "5s")
		public String place(String order) {
			return order;
		}

	}

	public static class LadderAndBase {

		@Backoff(ladder = "1s", base = "2s")
		public String place(String order) {
			return order;
		}

	}

	public static class LadderUnderABaseOfTheFile {

		@Backoff(value = "payment-callback", ladder = { "1s", "5s" })
		public String place(String order) {
			return order;
		}

	}

	public static class DeadlineWithoutRoom {

		@Backoff(deadline = "1s", base = "2s", jitter = "none")
		public String place(String order) {
			return order;
		}

	}

	public static class NarrowDecorrelated {

		@Backoff(jitter = "decorrelated", base = "1s", cap = "1s")
		public String place(String order) {
			return order;
		}

	}

	public static class NeverRetried {

		@Backoff(retryOn = { IOException.class, InterruptedException.class })
		public String place(String order) {
			return order;
		}

	}

	public static class UnknownClassifier {

		@Backoff(classifier = "gateway")
		public String place(String order) {
			return order;
		}

	}

	public static class MisspelledClassifier {

		@Backoff(classifier = "backofFailureClassifier")
		public String place(String order) {
			return order;
		}

	}

	public static class MissingRecover {

		@Backoff(recover = "park")
		public String place(String order) {
			return order;
		}

		String store(String order) {
			return order;
		}

	}

	public static class MisspelledRecover {

		@Backoff(recover = "parks")
		public String place(String order) {
			return order;
		}

		String park(String order) {
			return order;
		}

	}

	public static class OtherRecover {

		@Backoff(recover = "park")
		public String place(String order, int count) {
			return order;
		}

		String park(int count, String order) {
			return order;
		}

		void park(String order, int count, RetriesStoppedException stopped) {
		}

	}

	public static class NoExpression {

		@Backoff(retryWhen = "#result ==")
		public String place(String order) {
			return order;
		}

	}

	public static class TypeInExpression {

		@Backoff(retryWhen = "T(java.lang.Runtime).getRuntime() != null")
		public String place(String order) {
			return order;
		}

	}

	public static class ConstructorInExpression {

		@Backoff(retryWhen = "new String('x') == #result")
		public String place(String order) {
			return order;
		}

	}

	public static class BeanInExpression {

		@Backoff(until = "@gateway.isDone(#result)")
		public String place(String order) {
			return order;
		}

	}

	public static class AssignmentInExpression {

		@Backoff(until = "(#result = 'DONE') == 'DONE'")
		public String place(String order) {
			return order;
		}

	}

	public static class FunctionInExpression {

		@Backoff(until = "#done(#result)")
		public String place(String order) {
			return order;
		}

	}

	public static class UnknownVariable {

		@Backoff(until = "#order == null")
		public String place(String order) {
			return order;
		}

	}

	public static class VariableWithoutHash {

		@Backoff(until = "result == 'DONE'")
		public String place(String order) {
			return order;
		}

	}

	public static class UnknownOfRoot {

		@Backoff(until = "#root.arguments[0] == #result")
		public String place(String order) {
			return order;
		}

	}

	public static class NoCondition {

		@Backoff(until = "#result.length()")
		public String place(String order) {
			return order;
		}

	}

	public static class ConstantCondition {

		@Backoff(until = "'DONE'")
		public String place(String order) {
			return order;
		}

	}

	public static class UnknownProperty {

		@Backoff(until = "#result.statsu.name == 'DONE'")
		public Payment pay(String order) {
			return new Payment(Status.DONE);
		}

	}

	public static class EnumAndText {

		@Backoff(until = "#result.status == 'DONE'")
		public Payment pay(String order) {
			return new Payment(Status.DONE);
		}

	}

	public static class EnumMethodAndText {

		@Backoff(until = "'DONE' != #result.status()")
		public Payment pay(String order) {
			return new Payment(Status.DONE);
		}

	}

	public static class EnumItselfAndText {

		@Backoff(until = "#result == 'DONE'")
		public Status ask(String order) {
			return Status.DONE;
		}

	}

	public static class BooleanAndText {

		@Backoff(retryWhen = "#result == 'false'")
		public boolean send(String order) {
			return false;
		}

	}

	public static class NumberAndText {

		@Backoff(retryWhen = "#result == '0'")
		public int send(String order) {
			return 0;
		}

	}

	public static class OtherTypeArgument {

		@Backoff(recover = "none")
		public List<String> list(String order) {
			return List.of();
		}

		List<Integer> none(String order) {
			return List.of();
		}

	}

	public static class ConditionOnVoid {

		@Backoff(retryWhen = "#result == null")
		public void place(String order) {
		}

	}

	public static class FinalMethod {

		@Backoff
		public final void place(String order) {
		}

	}

	public static class PrivateMethod {

		@Backoff
		private String place(String order) {
			return order;
		}

		public String callsIt(String order) {
			return place(order);
		}

	}

	public static class StaticMethod {

		@Backoff
		static void place(String order) {
		}

	}

	public static class LifeCycle implements InitializingBean, DisposableBean {

		@Backoff
		@PostConstruct
		public void open() {
		}

		@Backoff
		@Override
		public void afterPropertiesSet() {
		}

		@Backoff
		@PreDestroy
		public void last() {
		}

		@Backoff
		@Override
		public void destroy() {
		}

		@Backoff
		public void destroy(String order) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class InitMethods {

		@Bean(initMethod = "open", destroyMethod = "shut")
		Opened opened() {
			return new Opened();
		}

		public static class Opened {

			@Backoff
			public void open() {
			}

			@Backoff
			public void shut() {
			}

		}

	}

	public static final class FinalClass {

		@Backoff
		public void place(String order) {
		}

	}

	public static sealed class SealedClass {

		@Backoff
		public void place(String order) {
		}

		static final class Permitted extends SealedClass {

		}

	}

	public static final class FinalClassWithContract implements Runnable {

		@Override
		@Backoff
		public void run() {
		}

	}

	public static class FutureResult {

		@Backoff
		public FutureTask<String> place(String order) {
			return new FutureTask<>(() -> order);
		}

	}

	public static class ReactiveResult {

		@Backoff
		public ConnectableFlux<String> place(String order) {
			return Flux.just(order).publish();
		}

	}

	public static class SeveralResults {

		@Backoff(retryWhen = "#result == null", recover = "park")
		public Flux<String> place(String order) {
			return Flux.just(order);
		}

		Mono<String> park(String order) {
			return Mono.just(order);
		}

	}

	public static class ValueForMono {

		@Backoff(recover = "park")
		public Mono<String> place(String order) {
			return Mono.just(order);
		}

		String park(String order) {
			return order;
		}

	}

	public static class NoValueInMono {

		@Backoff(until = "#result == true")
		public Mono<Void> place(String order) {
			return Mono.empty();
		}

	}

	public static class SeveralMethods {

		@Backoff(base = "soon")
		public void b() {
		}

		@Backoff(base = "later", cap = "never")
		public void a() {
		}

		@Backoff(recover = "b", base = "-1s")
		public int c() {
			return 1;
		}

	}

	@Backoff(recover = "park", retryWhen = "#result == 1", cap = "0s")
	public static class TypeWithManyMethods {

		public int place(String order) {
			return 1;
		}

		public void forget(String order) {
		}

		public CompletableFuture<String> later(String order) {
			return CompletableFuture.completedFuture(order);
		}

		public Flux<String> muchLater(String order) {
			return Flux.just(order);
		}

		public int park(String order, Throwable failure) {
			return 0;
		}

	}

	public record Payment(Status status) {
	}

	public enum Status {

		PENDING, DONE

	}

}
