package io.policyscheduler.engine.rules.data;

/**
 * What a rule may ask about a condition of a node. Public only because MVEL calls it.
 *
 * @param ageMinutes whole minutes since the last transition, 0 when it is not known
 */
public record ConditionView(String type, String status, double ageMinutes) {}
