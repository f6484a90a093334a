package dev.backoff.spring.policy;

import java.util.List;

/**
 * A method and the policy in effect for it.
 *
 * @param method the method's name in meters and logs, with parameters for overloads
 * @param annotated the method with its annotations
 * @param policy the policy in effect for the method
 * @param advice the start-up advice on the method, as sentences
 * @since 0.1
 */
public record PolicyUse(String method, AnnotatedMethod annotated, EffectivePolicy policy, List<String> advice) {
}
