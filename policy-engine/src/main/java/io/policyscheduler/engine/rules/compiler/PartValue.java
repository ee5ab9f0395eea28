package io.policyscheduler.engine.rules.compiler;

import java.util.List;

/**
 * A part of a rule and what it came to for one pod and node.
 *
 * @param parts the parts of it, those without a value of their own left out
 */
public record PartValue(Part part, Tally tally, List<PartValue> parts) {
    public PartValue {
        parts = List.copyOf(parts);
    }
}
