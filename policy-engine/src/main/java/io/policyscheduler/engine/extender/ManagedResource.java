package io.policyscheduler.engine.extender;

import io.policyscheduler.engine.document.SourcePosition;

/**
 * An extended resource that an extender manages.
 *
 * @param ignoredByScheduler the scheduler itself does not account for the resource
 */
public record ManagedResource(String name, boolean ignoredByScheduler, SourcePosition position) {}
