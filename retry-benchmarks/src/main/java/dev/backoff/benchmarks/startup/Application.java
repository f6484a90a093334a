package dev.backoff.benchmarks.startup;

/**
 * An application to be started.
 *
 * @param contender what it has
 * @param beans how many beans, each of a class of its own
 * @param web whether it has a web server
 */
record Application(Contender contender, int beans, boolean web) {
}
