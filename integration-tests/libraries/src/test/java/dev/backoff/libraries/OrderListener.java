package dev.backoff.libraries;

import java.time.Duration;
import java.util.List;

import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.message.MessageExt;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import dev.backoff.delay.DelayLevels;
import dev.backoff.spring.adapt.FrameworkRetries;

/** A listener of RocketMQ, whose broker repeats by the delays of a policy. */
class OrderListener implements MessageListenerConcurrently {

	private final Orders orders;

	private final BackOff delays;

	OrderListener(Orders orders, FrameworkRetries retries) {
		this.orders = orders;
		this.delays = retries.backOff("orders");
	}

	@Override
	public ConsumeConcurrentlyStatus consumeMessage(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
		try {
			this.orders.handle(messages.get(0).getBody());
			return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
		}
		catch (RuntimeException ex) {
			context.setDelayLevelWhenNextConsume(level(messages.get(0).getReconsumeTimes()));
			return ConsumeConcurrentlyStatus.RECONSUME_LATER;
		}
	}

	private int level(int redeliveries) {
		BackOffExecution next = this.delays.start();
		long delay = next.nextBackOff();
		for (int i = 0; i < redeliveries && delay != BackOffExecution.STOP; i++) {
			delay = next.nextBackOff();
		}
		return (delay != BackOffExecution.STOP) ? DelayLevels.ROCKETMQ.nearest(Duration.ofMillis(delay)) : -1;
	}

	interface Orders {

		void handle(byte[] order);

	}

}
