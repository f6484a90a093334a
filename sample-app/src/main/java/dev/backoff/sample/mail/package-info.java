/**
 * Mails to customers: sent in the background, and again until they are.
 */
@NullMarked
package dev.backoff.sample.mail;

import org.jspecify.annotations.NullMarked;
