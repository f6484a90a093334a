/** The starter of a platform that all its applications have. */
@NullMarked
package com.acme.platform;

import org.jspecify.annotations.NullMarked;
