package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.document.SourcePosition;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code priorities}.
 *
 * @param name free text if there is an argument, else the name of a priority
 * @param weight as written, 0 if missing
 * @param argument null for a plain entry
 */
public record PriorityPolicy(
        String name, long weight, @Nullable PriorityArgument argument, SourcePosition position) {}
