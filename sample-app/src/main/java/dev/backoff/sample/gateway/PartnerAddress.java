package dev.backoff.sample.gateway;

import java.net.URI;

/**
 * Where the partners answer.
 *
 * @param url their address, such as {@code http://127.0.0.1:8090}
 */
public record PartnerAddress(URI url) {
}
