package dev.backoff.spring.advice;

import java.net.SocketException;
import java.nio.file.ProviderNotFoundException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/** Kept for reflection, whether or not a proxy keeps it too. */
class AnnotatedMethodHintsTests {

	private final ReflectionHintsPredicates reflection = RuntimeHintsPredicates.reflection();

	@Test
	void keepsWhatIsAnnotatedAndWhatRecovers() {
		assertThat(hints(Orders.class)).matches(this.reflection.onMethodInvocation(Orders.class, "place"))
			.matches(this.reflection.onMethodInvocation(Orders.class, "recover"))
			.matches(Predicate.not(this.reflection.onMethodInvocation(Orders.class, "other")));
	}

	@Test
	void keepsTheTypesWhoseMethodsAreLookedThrough() {
		assertThat(hints(Orders.class)).matches(this.reflection.onType(Orders.class))
			.matches(this.reflection.onType(Shop.class))
			.matches(this.reflection.onType(Contract.class))
			.matches(Predicate.not(this.reflection.onType(Object.class)));
	}

	@Test
	void keepsTheExceptionsThatAnnotationsName() {
		assertThat(hints(Orders.class)).matches(this.reflection.onType(SocketException.class));
		assertThat(hints(ByType.class)).matches(this.reflection.onType(ProviderNotFoundException.class));
	}

	@Test
	void keepsWhatExpressionsRead() {
		assertThat(hints(Orders.class)).matches(this.reflection.onMethodInvocation(Receipt.class, "isSettled"))
			.matches(this.reflection.onMethodInvocation(Receipt.class, "details"))
			.matches(this.reflection.onMethodInvocation(Details.class, "state"))
			.matches(this.reflection.onMethodInvocation(Enum.class, "name"))
			.matches(this.reflection.onMethodInvocation(ResultExpression.Root.class, "args"))
			.matches(this.reflection.onMethodInvocation(Basket.class, "getSize"));
	}

	@Test
	void keepsNoResultThatNoExpressionReads() {
		assertThat(hints(ByType.class)).matches(Predicate.not(this.reflection.onType(Enum.class)))
			.matches(Predicate.not(this.reflection.onType(Receipt.class)));
	}

	@Test
	void keepsNothingWithoutTheLibrary() {
		assertThat(new AnnotatedMethodHints().processAheadOfTime(new DefaultListableBeanFactory())).isNull();
	}

	private static RuntimeHints hints(Class<?> bean) {
		AtomicReference<RuntimeHints> hints = new AtomicReference<>();
		AdviceContexts.runner().withBean(bean).run((context) -> {
			BeanFactoryInitializationAotContribution contribution = new AnnotatedMethodHints()
				.processAheadOfTime((DefaultListableBeanFactory) context.getBeanFactory());
			TestGenerationContext generation = new TestGenerationContext();
			contribution.applyTo(generation, mock(BeanFactoryInitializationCode.class));
			hints.set(generation.getRuntimeHints());
		});
		return hints.get();
	}

	public interface Contract {

		Receipt place(Basket basket);

	}

	public static class Shop {

	}

	public static class Orders extends Shop implements Contract {

		@Override
		@Backoff(retryOn = SocketException.class, retryWhen = "#result.details.state.name == 'PENDING'",
				recover = "recover")
		public Receipt place(Basket basket) {
			return new Receipt(new Details(State.DONE));
		}

		Receipt recover(Basket basket) {
			return place(basket);
		}

		public void other() {
		}

	}

	@Backoff(abortOn = ProviderNotFoundException.class)
	public static class ByType {

		public Receipt find() {
			return new Receipt(new Details(State.DONE));
		}

	}

	public record Receipt(Details details) {

		public boolean isSettled() {
			return this.details.state() == State.DONE;
		}

	}

	public record Details(State state) {
	}

	public enum State {

		PENDING, DONE

	}

	public static class Basket {

		public int getSize() {
			return 1;
		}

	}

}
