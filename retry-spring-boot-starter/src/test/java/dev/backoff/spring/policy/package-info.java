/** Tests of policies, each on a small application that really starts. */
@NullMarked
package dev.backoff.spring.policy;

import org.jspecify.annotations.NullMarked;
