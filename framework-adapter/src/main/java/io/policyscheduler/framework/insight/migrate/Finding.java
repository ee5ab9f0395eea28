package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourcePosition;

/**
 * What became of one item of a policy.
 *
 * @param item the entry or setting, e.g. {@code SameRegion}
 * @param position of the item in the policy, unknown for what the file does not say
 * @param text what is the same and what differs
 * @param wayOut what can be done about it, empty if nothing need be
 */
public record Finding(
        FindingCode code,
        Level level,
        Fidelity fidelity,
        String item,
        SourcePosition position,
        String text,
        String wayOut) {}
