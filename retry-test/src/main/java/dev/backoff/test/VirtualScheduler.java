package dev.backoff.test;

final class VirtualScheduler {
	VirtualScheduler(VirtualTime time) {
	}
}
