package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.framework.cycle.Decision;
import org.jspecify.annotations.Nullable;

/**
 * Where a pod went.
 *
 * @param pod {@code namespace/name}
 * @param details what was found out about every node, at the moment of the decision; null unless asked for
 */
public record PodOutcome(
        String pod, Decision decision, @Nullable Evaluation details) {}
