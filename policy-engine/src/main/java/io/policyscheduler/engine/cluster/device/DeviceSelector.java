package io.policyscheduler.engine.cluster.device;

import org.jspecify.annotations.Nullable;

/**
 * Says which devices are wanted.
 *
 * @param expression in CEL; null when the selector is of a kind that is not known
 */
public record DeviceSelector(@Nullable String expression) {}
