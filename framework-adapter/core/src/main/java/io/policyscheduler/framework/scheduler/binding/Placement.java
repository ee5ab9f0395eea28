package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;

/**
 * A decision to be carried out.
 *
 * @param node the chosen node
 * @param runtime the profile that decided
 * @param state what its plugins remember
 * @param generation of the profiles
 */
public record Placement(String node, ProfileRuntime runtime, CycleState state, long generation) {}
