/**
 * The contract of the drivers, held by methods of every return type through real proxies.
 */
@NullMarked
package dev.backoff.spring.contract;

import org.jspecify.annotations.NullMarked;
