/**
 * The pace of attempts against a quota. It hears what a server tells all callers, and
 * lets their attempts go one by one, no faster than the quota refills.
 */
@NullMarked
package dev.backoff.pace;

import org.jspecify.annotations.NullMarked;
