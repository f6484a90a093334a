package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;

/** Methods with wrong annotations; {@code annotation-reports.txt} has the reports. */
interface Mistakes {

	@Backoff("orders")
	String unknownPolicy(String order);

	@Backoff("payment-callback2")
	String anotherNumber(String order);

	@Backoff("payment-calback")
	String misspelledPolicy(String order);

	@Backoff(value = "payment-calback", base = "1s")
	String misspelledPolicyWithValues(String order);

	@Backoff(base = "100ms", cap = "50ms")
	String capBelowBase(String order);

	@Backoff(base = " ")
	String blankBase(String order);

	@Backoff(base = "${orders.base}", value = "${orders.policy}")
	String undefinedPlaceholder(String order);

	@Backoff(value = "#{orders}", base = "#{systemProperties}", recover = "")
	String expressions(String order);

	@Backoff(ladder = { "1s x3", "soon" })
	String badLevel(String order);

	@Backoff(step = "5s")
	String stepWithoutLinear(String order);

	@Backoff(ladder = "1s", base = "2s")
	String ladderAndBase(String order);

	@Backoff(deadline = "1s", base = "2s", jitter = "none")
	String deadlineWithoutRoom(String order);

	@Backoff(jitter = "decorrelated", base = "1s", cap = "1s")
	String narrowDecorrelated(String order);

	@Backoff(retryOn = { IOException.class, InterruptedException.class })
	String neverRetried(String order);

	@Backoff(classifier = "gateway")
	String unknownClassifier(String order);

	@Backoff(classifier = "backofFailureClassifier")
	String misspelledClassifier(String order);

	@Backoff(retryWhen = "#result ==")
	String noExpression(String order);

	@Backoff(retryWhen = "T(java.lang.Runtime).getRuntime() != null")
	String typeInExpression(String order);

	@Backoff(retryWhen = "new String('x') == #result")
	String constructorInExpression(String order);

	@Backoff(until = "@gateway.isDone(#result)")
	String beanInExpression(String order);

	@Backoff(until = "(#result = 'DONE') == 'DONE'")
	String assignmentInExpression(String order);

	@Backoff(until = "#done(#result)")
	String functionInExpression(String order);

	@Backoff(per = "#tenant")
	String unknownParameter(String order);

	@Backoff(per = "order")
	String parameterWithoutHash(String order);

	@Backoff(per = "@tenants.of(#order)")
	String beanInKey(String order);

	@Backoff(per = "#order.bytes")
	String keyOfAnotherType(String order);

	@Backoff(per = "#order.")
	String brokenKey(String order);

	@Backoff(until = "#order == null")
	String unknownVariable(String order);

	@Backoff(until = "result == 'DONE'")
	String variableWithoutHash(String order);

	@Backoff(until = "#root.arguments[0] == #result")
	String unknownOfRoot(String order);

	@Backoff(until = "#result.length()")
	String noCondition(String order);

	@Backoff(until = "'DONE'")
	String constantCondition(String order);

	@Backoff(until = "#result.statsu.name == 'DONE'")
	Payment unknownProperty(String order);

	@Backoff(until = "#result.status == 'DONE'")
	Payment enumAndText(String order);

	@Backoff(until = "'DONE' != #result.status()")
	Payment enumMethodAndText(String order);

	@Backoff(until = "#result == 'DONE'")
	Status enumItselfAndText(String order);

	@Backoff(retryWhen = "#result == null")
	void conditionOnVoid(String order);

	@Backoff
	FutureTask<String> futureResult(String order);

	@Backoff
	Future<String> plainFuture(String order);

	@Backoff
	ConnectableFlux<String> reactiveResult(String order);

	@Backoff(until = "#result == true")
	Mono<Void> noValueInMono(String order);

	@Backoff(breaker = "gateway", budget = "gateway", idempotent = "sometimes")
	String unknownBreakerAndBudget(String order);

	@Backoff(breaker = "no", budget = "7.5")
	String switchAndNumberAsNames(String order);

	record Payment(Status status) {
	}

	enum Status {

		PENDING, DONE

	}

}
