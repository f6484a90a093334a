/** The drivers' contract, held by methods of every return type through proxies. */
@NullMarked
package dev.backoff.spring.contract;

import org.jspecify.annotations.NullMarked;
