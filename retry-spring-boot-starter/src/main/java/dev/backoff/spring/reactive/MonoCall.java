package dev.backoff.spring.reactive;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** A subscription to one element at most, judged before it is passed on. */
@SuppressWarnings("NullAway") // it does not see that the values may be null
final class MonoCall<C> extends ReactiveCall<C> {

	private final MonoSink<Object> sink;

	MonoCall(ReactiveCalls<C> calls, C context, MonoSink<Object> sink) {
		super(calls, context);
		this.sink = sink;
		sink.onCancel(this::cancel);
	}

	@Override
	ContextView subscriberContext() {
		return this.sink.contextView();
	}

	@Override
	Elements elements(Context context) {
		return new OneElement(context);
	}

	@Override
	void end(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			this.sink.error(failure);
		}
		else {
			this.sink.success(value);
		}
	}

	/** Complete with the element, or with null if there is none. */
	private static final class OneElement extends Elements {

		private @Nullable Object element;

		OneElement(Context context) {
			super(context);
		}

		@Override
		long begin() {
			return Long.MAX_VALUE;
		}

		@Override
		public void onNext(Object element) {
			if (isDone()) {
				Operators.onDiscard(element, currentContext());
				return;
			}
			this.element = element;
		}

		@Override
		public void onComplete() {
			Object last = this.element;
			if (!complete(last) && last != null) {
				Operators.onDiscard(last, currentContext());
			}
		}

	}

}
