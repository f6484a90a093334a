/** Charts as SVG, which bring their own background and colours, light and dark. */
@NullMarked
package dev.backoff.simulator.svg;

import org.jspecify.annotations.NullMarked;
