package io.policyscheduler.engine.policy;

/**
 * An extended resource that an extender manages.
 *
 * @param ignoredByScheduler the scheduler itself does not account for the resource
 */
public record ManagedResource(String name, boolean ignoredByScheduler, SourcePosition position) {}
