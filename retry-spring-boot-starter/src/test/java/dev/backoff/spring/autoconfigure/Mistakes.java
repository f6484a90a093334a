package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;

/** Methods whose annotations are wrong, each with its report. */
interface Mistakes {

	@Reported({ "invalid value (orders): names a policy that is not defined.",
			"Define backoff.policies.orders, or give the annotation values such as base or idempotent. Known names: "
					+ "payment-callback." })
	@Backoff("orders")
	String unknownPolicy(String order);

	@Reported({ "invalid value (payment-callback2): names a policy that is not defined.",
			"Define backoff.policies.payment-callback2, or give the annotation values such as base or idempotent. Known names: "
					+ "payment-callback." })
	@Backoff("payment-callback2")
	String anotherNumber(String order);

	@Reported({ "invalid value (payment-calback): names a policy that is not defined.",
			"Write payment-callback, or define backoff.policies.payment-calback, or give the annotation values "
					+ "such as base or idempotent." })
	@Backoff("payment-calback")
	String misspelledPolicy(String order);

	@Reported({
			"invalid value (payment-calback): names a policy that is not defined, and is so near to payment-callback "
					+ "(application.yml:3) that one of them may be misspelt.",
			"Write payment-callback here, or payment-calback there. To have both, define "
					+ "backoff.policies.payment-calback too." })
	@Backoff(value = "payment-calback", base = "1s")
	String misspelledPolicyWithValues(String order);

	@Reported({ "invalid cap (50ms): must not be below the base (100ms).",
			"Raise the cap or lower the base (annotation on Mistakes.capBelowBase)." })
	@Backoff(base = "100ms", cap = "50ms")
	String capBelowBase(String order);

	@Reported({ "invalid maxAttempts (0): must be a number from 1 to 1000000, or unlimited.",
			"Write 1 or more, or unlimited; 1 means no retry." })
	@Backoff(maxAttempts = "0")
	String noAttempts(String order);

	@Reported({ "invalid jitter (0.3): must be none, full, equal, decorrelated, beta, beta a..b or a percentage.",
			"Write it as a percentage: 30%." })
	@Backoff(jitter = "0.3")
	String jitterAsAShare(String order);

	@Reported({ "invalid deadline (30): must have a unit.", "Write 30ms or 30s." })
	@Backoff(deadline = "30")
	String deadlineWithoutUnit(String order);

	@Reported({ "invalid ladder (1s, , 3s): has an empty level.", "Write a delay in its place, or remove it." })
	@Backoff(ladder = "1s,,3s")
	String ladderWithAGap(String order);

	@Reported({ "invalid base ( ): must not be blank.", "Give it a value, or leave it out." })
	@Backoff(base = " ")
	String blankBase(String order);

	@Reported({ "invalid base (${orders.base}): has the placeholder ${orders.base}, which nothing defines.",
			"Define the property orders.base, or give it a default, as in ${orders.base:2s}.",
			"invalid value (${orders.policy}): has the placeholder ${orders.policy}, which nothing defines.",
			"Define the property orders.policy, or give it a default, as in ${orders.policy:2s}." })
	@Backoff(base = "${orders.base}", value = "${orders.policy}")
	String undefinedPlaceholder(String order);

	@Reported({ "invalid base (#{systemProperties}): must not be an expression: #{} is never evaluated here.",
			"Write a literal value, or a ${placeholder}.",
			"invalid value (#{orders}): must not be an expression: #{} is never evaluated here.",
			"Write a literal value, or a ${placeholder}." })
	@Backoff(value = "#{orders}", base = "#{systemProperties}", recover = "")
	String expressions(String order);

	@Reported({ "invalid ladder (): must have at least one level.", "Write the delays, such as 1s x5, 10s, 30s." })
	@Backoff(ladder = " ")
	String emptyLadder(String order);

	@Reported({ "invalid ladder (1s x3, soon): has the level 'soon', which must be a duration.",
			"Write a level as a duration with an optional number of times, such as 10s or 1s x5." })
	@Backoff(ladder = { "1s x3", "soon" })
	String badLevel(String order);

	@Reported({ "invalid multiplier (NaN): must be a finite number of at least 1.",
			"Write a number such as 2 or 1.5; 1 keeps the delay constant." })
	@Backoff(multiplier = "NaN")
	String notANumber(String order);

	@Reported({ "invalid shape (ladder): needs a ladder.", "Add the delays as ladder." })
	@Backoff(shape = "ladder")
	String ladderWithoutLevels(String order);

	@Reported({ "invalid step (5s): has no effect, because the shape is exponential (built in).",
			"Remove it, or set the shape to linear." })
	@Backoff(step = "5s")
	String stepWithoutLinear(String order);

	@Reported({ "invalid base (2s): has no effect, because the shape is ladder (annotation on Mistakes.ladderAndBase).",
			"Remove it, or set the shape to fixed, linear or exponential." })
	@Backoff(ladder = "1s", base = "2s")
	String ladderAndBase(String order);

	@Reported({
			"invalid deadline (1s): leaves no room for a retry, which waits 2s at least and needs 10ms (shortest-attempt).",
			"Raise the deadline, or lower the base (annotation on Mistakes.deadlineWithoutRoom)." })
	@Backoff(deadline = "1s", base = "2s", jitter = "none")
	String deadlineWithoutRoom(String order);

	@Reported({
			"invalid cap (1s): must be at least twice the base (1s) for decorrelated jitter (annotation on "
					+ "Mistakes.narrowDecorrelated).",
			"Raise the cap or lower the base (annotation on Mistakes.narrowDecorrelated)." })
	@Backoff(jitter = "decorrelated", base = "1s", cap = "1s")
	String narrowDecorrelated(String order);

	@Reported({ "invalid retryOn (java.lang.InterruptedException): names a failure that is never retried.",
			"Remove it." })
	@Backoff(retryOn = { IOException.class, InterruptedException.class })
	String neverRetried(String order);

	@Reported({ "invalid classifier (gateway): names no bean of type FailureClassifier.",
			"Write the name of such a bean, or define one called gateway." })
	@Backoff(classifier = "gateway")
	String unknownClassifier(String order);

	@Reported({ "invalid classifier (backofFailureClassifier): names no bean of type FailureClassifier.",
			"Write backoffFailureClassifiers." })
	@Backoff(classifier = "backofFailureClassifier")
	String misspelledClassifier(String order);

	@Reported({
			"invalid retryWhen (#result ==): is no expression: EL1042E: Problem parsing right operand (at character 8).",
			"Write a condition over #result, such as #result == false." })
	@Backoff(retryWhen = "#result ==")
	String noExpression(String order);

	@Reported({
			"invalid retryWhen (T(java.lang.Runtime).getRuntime() != null): uses T(java.lang.Runtime), which is not allowed "
					+ "here.",
			"Use #result and #root.args only; put more into a method of the result." })
	@Backoff(retryWhen = "T(java.lang.Runtime).getRuntime() != null")
	String typeInExpression(String order);

	@Reported({ "invalid retryWhen (new String('x') == #result): uses new String('x'), which is not allowed here.",
			"Use #result and #root.args only; put more into a method of the result." })
	@Backoff(retryWhen = "new String('x') == #result")
	String constructorInExpression(String order);

	@Reported({ "invalid until (@gateway.isDone(#result)): uses @gateway, which is not allowed here.",
			"Use #result and #root.args only; put more into a method of the result." })
	@Backoff(until = "@gateway.isDone(#result)")
	String beanInExpression(String order);

	@Reported({ "invalid until ((#result = 'DONE') == 'DONE'): uses #result='DONE', which is not allowed here.",
			"Use #result and #root.args only; put more into a method of the result." })
	@Backoff(until = "(#result = 'DONE') == 'DONE'")
	String assignmentInExpression(String order);

	@Reported({ "invalid until (#done(#result)): uses #done(#result), which is not allowed here.",
			"Use #result and #root.args only; put more into a method of the result." })
	@Backoff(until = "#done(#result)")
	String functionInExpression(String order);

	@Reported({ "invalid until (#order == null): uses #order, which is always null.",
			"Use #result for the result and #root.args[0] for the first argument." })
	@Backoff(until = "#order == null")
	String unknownVariable(String order);

	@Reported({ "invalid until (result == 'DONE'): uses result, which nothing here is called.", "Write #result." })
	@Backoff(until = "result == 'DONE'")
	String variableWithoutHash(String order);

	@Reported({ "invalid until (#root.arguments[0] == #result): uses #root.arguments[0], which nothing here is called.",
			"Use #result for the result and #root.args[0] for the first argument." })
	@Backoff(until = "#root.arguments[0] == #result")
	String unknownOfRoot(String order);

	@Reported({ "invalid until (#result.length()): gives int instead of true or false.",
			"Write a condition over #result, such as #result == false." })
	@Backoff(until = "#result.length()")
	String noCondition(String order);

	@Reported({ "invalid until ('DONE'): gives a constant instead of true or false.",
			"Write a condition over #result, such as #result == false." })
	@Backoff(until = "'DONE'")
	String constantCondition(String order);

	@Reported({ "invalid until (#result.statsu.name == 'DONE'): uses statsu, which Payment does not have.",
			"Write status instead of statsu." })
	@Backoff(until = "#result.statsu.name == 'DONE'")
	Payment unknownProperty(String order);

	@Reported({ "invalid until (#result.status == 'DONE'): compares the enum Status with text, which is never equal.",
			"Write #result.status.name instead of #result.status." })
	@Backoff(until = "#result.status == 'DONE'")
	Payment enumAndText(String order);

	@Reported({ "invalid until ('DONE' != #result.status()): compares the enum Status with text, which is never equal.",
			"Write #result.status().name instead of #result.status()." })
	@Backoff(until = "'DONE' != #result.status()")
	Payment enumMethodAndText(String order);

	@Reported({ "invalid until (#result == 'DONE'): compares the enum Status with text, which is never equal.",
			"Write #result.name instead of #result." })
	@Backoff(until = "#result == 'DONE'")
	Status enumItselfAndText(String order);

	@Reported({
			"invalid retryWhen (#result == null): judges a result, and Mistakes.conditionOnVoid(String) returns none.",
			"Remove it, or let the method return something." })
	@Backoff(retryWhen = "#result == null")
	void conditionOnVoid(String order);

	@Reported({ "is on a method that returns a FutureTask, which its caller could not be given.",
			"Declare a CompletableFuture or a CompletionStage." })
	@Backoff
	FutureTask<String> futureResult(String order);

	@Reported({ "is on a method that returns a Future, which does not tell when it ends.",
			"Declare a CompletableFuture or a CompletionStage." })
	@Backoff
	Future<String> plainFuture(String order);

	@Reported({ "is on a method that returns a ConnectableFlux, which its caller could not be given.",
			"Declare a Flux." })
	@Backoff
	ConnectableFlux<String> reactiveResult(String order);

	@Reported({ "invalid until (#result == true): judges a result, and Mistakes.noValueInMono(String) returns none.",
			"Remove it, or let the method return something." })
	@Backoff(until = "#result == true")
	Mono<Void> noValueInMono(String order);

	@Reported({ "invalid breaker (gateway): names a breaker that is not defined.",
			"Define backoff.breakers.gateway, or remove it.",
			"invalid budget (gateway): names a budget that is not defined.",
			"Define backoff.budgets.gateway, or remove it.",
			"invalid idempotent (sometimes): must be by-method, true, false or by-key.",
			"Write by-method, true, false or by-key; yes and no stand for true and false." })
	@Backoff(breaker = "gateway", budget = "gateway", idempotent = "sometimes")
	String unknownBreakerAndBudget(String order);

	@Reported({ "invalid breaker (no): must be the name of a breaker, or none.", "Write none to switch it off.",
			"invalid budget (7.5): must be the name of a budget, or none.",
			"Set backoff.budgets.[Mistakes.switchAndNumberAsNames].tokens." })
	@Backoff(breaker = "no", budget = "7.5")
	String switchAndNumberAsNames(String order);

	record Payment(Status status) {
	}

	enum Status {

		PENDING, DONE

	}

	/** What is wrong with an annotation, and the fix. */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Reported {

		String[] value();

	}

}
