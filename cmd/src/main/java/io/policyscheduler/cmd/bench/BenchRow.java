package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.workload.Workload;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.profile.Profile;
import java.util.function.Function;

/**
 * What is measured.
 *
 * @param decider what decides, as users write it
 * @param profile makes the plugins for the cluster of each run
 */
record BenchRow(String decider, Workload workload, Function<ClusterState, Profile> profile) {}
