package io.policyscheduler.framework.scheduler;

import io.policyscheduler.framework.plugin.CycleState;

/**
 * A decision to be carried out.
 *
 * @param node the chosen node
 * @param runtime the profile that decided
 * @param state what its plugins remember
 * @param generation of the profiles
 */
record Placement(String node, ProfileRuntime runtime, CycleState state, long generation) {}
