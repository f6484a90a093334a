/**
 * Mails to customers, which are sent in the background and repeated until they succeed.
 */
@NullMarked
package dev.backoff.sample.mail;

import org.jspecify.annotations.NullMarked;
