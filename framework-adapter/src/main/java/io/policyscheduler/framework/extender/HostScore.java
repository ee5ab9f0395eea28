package io.policyscheduler.framework.extender;

/** A score that an extender gives a node; nominally 0 to 10, any value counts. */
public record HostScore(String host, long score) {}
