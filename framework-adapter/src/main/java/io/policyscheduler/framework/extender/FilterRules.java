package io.policyscheduler.framework.extender;

/**
 * In what the filter calls of releases differ.
 *
 * @param ruleOut whether an extender can say where preemption would not help
 * @param emptiesNodes whether of a node that was sent as a whole and came back nothing is known any more but its object: neither
 *     its pods nor its images count in scores. Mirrors {@code Filter} of {@code pkg/scheduler/extender.go} since 1.33
 */
public record FilterRules(boolean ruleOut, boolean emptiesNodes) {}
