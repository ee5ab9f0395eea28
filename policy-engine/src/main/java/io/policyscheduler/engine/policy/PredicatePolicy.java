package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.document.SourcePosition;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code predicates}.
 *
 * @param name free text if there is an argument, else the name of a predicate
 * @param argument null for a plain entry
 */
public record PredicatePolicy(String name, @Nullable PredicateArgument argument, SourcePosition position) {}
