package dev.backoff.spring.policy;

import java.util.List;

/**
 * A method and the policy in effect for it.
 *
 * @param method the method as meters and logs call it; overloads with their parameters
 * @param annotated the method with its annotations
 * @param policy what is in effect for it
 * @param advice what works but is probably not meant, sentences
 * @since 0.1
 */
public record PolicyUse(String method, AnnotatedMethod annotated, EffectivePolicy policy, List<String> advice) {
}
