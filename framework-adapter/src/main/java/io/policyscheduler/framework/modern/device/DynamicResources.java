package io.policyscheduler.framework.modern.device;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.AllocationException;
import io.policyscheduler.framework.devices.AllocationTimeout;
import io.policyscheduler.framework.devices.ClaimChecks;
import io.policyscheduler.framework.devices.ClaimWriteException;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.DeviceAllocator;
import io.policyscheduler.framework.devices.DeviceSelectors;
import io.policyscheduler.framework.devices.PodClaims;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterResult;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.StateKey;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.event.EnqueueExtensions;
import io.policyscheduler.framework.plugin.event.EventHint;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Pods that ask for devices through resource claims. Mirrors {@code pkg/scheduler/framework/plugins/dynamicresources} of 1.34 with
 * its default features.
 */
public final class DynamicResources
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                ReservePlugin,
                PreBindPlugin,
                EnqueueExtensions,
                RequeueHints {
    /** Its name in configurations. */
    public static final String NAME = "DynamicResources";

    private static final Status NOTHING_TO_FREE = Status.unschedulable("no new claims to deallocate");
    private static final Status FREED = Status.unschedulable("deallocation of ResourceClaim completed");
    private static final Status STILL_UNSCHEDULABLE = Status.unschedulable("still not schedulable");
    private static final Status CANNOT_ALLOCATE = Status.unresolvable("cannot allocate all claims");
    private static final Status TIMED_OUT = Status.unresolvable("timed out trying to allocate devices");
    private static final Status UNAVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status NOT_FOUND = Status.error("not found");
    /** For the pods of policies, which wait for any change: those of devices, too. */
    private static final Set<ClusterEvent> CHANGES = Sets.immutableEnumSet(
            EnumSet.complementOf(EnumSet.of(ClusterEvent.BUDGET_CHANGE, ClusterEvent.TABLE_CHANGE)));

    private static final Wanted NOTHING = new Wanted(List.of());

    private final ClusterView cluster;
    private final ClaimWriter writer;
    private final DeviceAllocator allocator;
    private final StateKey<Wanted> key;

    public DynamicResources(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.writer = handle.claimWriter();
        this.allocator = new DeviceAllocator(
                new DeviceSelectors(),
                handle.clock(),
                DynamicResourcesArgs.of(handle.args()).filterTimeout());
        // What is found on a node holds for the attempt, also in what preemption tries out.
        this.key = handle.stateKeys().create(NAME, UnaryOperator.identity());
    }

    /** The claims of a pod, and what has become of them on nodes. */
    private static final class Wanted {
        private final List<ResourceClaimInfo> claims;
        private final List<ResourceClaimInfo> open;
        private final Map<String, List<DeviceAllocation>> found = new HashMap<>();
        private final Set<Integer> unavailable = new TreeSet<>();
        /** By UID; of the binding thread, until the pod is given up by the scheduling thread. */
        private final Set<String> begun = new HashSet<>();

        private boolean givenUp;

        Wanted(List<ResourceClaimInfo> claims) {
            this.claims = claims;
            this.open =
                    claims.stream().filter(claim -> claim.allocation() == null).toList();
        }

        /** Whether a claim may still be written. */
        synchronized boolean begin(ResourceClaimInfo claim) {
            if (!givenUp) {
                begun.add(claim.uid());
            }
            return !givenUp;
        }

        /** No claim may be written any more; false when this one may have been, so that the writer has the last word. */
        synchronized boolean giveUp(ResourceClaimInfo claim) {
            givenUp = true;
            return !begun.contains(claim.uid());
        }

        /**
         * What an open claim gets on the node; null for one that is allocated, or when it is not known. A claim that the pod names
         * twice has to fit twice. The last of both is in flight then, as in 1.34, so that it has to be the one that is written, too:
         * nobody else keeps away from the first.
         */
        @Nullable
        DeviceAllocation allocation(ResourceClaimInfo claim, String node) {
            List<DeviceAllocation> all = found.getOrDefault(node, List.of());
            int index = open.lastIndexOf(claim);
            return index < 0 || index >= all.size() ? null : all.get(index);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    private AssumedClaims known() {
        return cluster.assumedClaims();
    }

    @Override
    public Status preEnqueue(PodInfo pod) {
        String problem = PodClaims.of(pod, known()).problem();
        return problem.isEmpty() ? Status.SUCCESS : Status.unresolvable(problem);
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return ClaimHints.all(new KnownClaims(cluster));
    }

    @Override
    public Set<ClusterEvent> events() {
        return CHANGES;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        state.write(key, NOTHING);
        PodClaims pod = PodClaims.of(context.pod(), known());
        if (!pod.problem().isEmpty()) {
            return PreFilterResult.of(Status.unresolvable(pod.problem()));
        }
        if (pod.claims().isEmpty()) {
            return PreFilterResult.SKIP;
        }
        for (ResourceClaimInfo claim : pod.claims()) {
            Status status = check(claim);
            if (!status.isSuccess()) {
                return PreFilterResult.of(status);
            }
        }
        state.write(key, new Wanted(pod.claims()));
        return PreFilterResult.ALL_NODES;
    }

    private Status check(ResourceClaimInfo claim) {
        if (claim.allocation() != null) {
            String problem = ClaimChecks.placeProblem(claim.allocation());
            return problem == null ? Status.SUCCESS : Status.error(problem);
        }
        if (known().isInFlight(claim)) {
            return Status.unresolvable("resource claim " + claim.key() + " is in the process of being allocated");
        }
        ClaimChecks.Problem problem = ClaimChecks.classes(claim, cluster);
        if (problem == null) {
            return Status.SUCCESS;
        }
        return problem.isError() ? Status.error(problem.text()) : Status.unresolvable(problem.text());
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Wanted wanted = state.find(key);
        if (wanted == null) {
            return NOT_FOUND;
        }
        if (!wanted.open.isEmpty()) {
            try {
                List<DeviceAllocation> found = allocator.allocate(node, wanted.open, cluster, known());
                if (found == null) {
                    return CANNOT_ALLOCATE;
                }
                wanted.found.put(node.name(), found);
            } catch (AllocationException e) {
                return Status.error(String.valueOf(e.getMessage()));
            } catch (AllocationTimeout e) {
                return TIMED_OUT;
            }
        }
        boolean available = true;
        for (int i = 0; i < wanted.claims.size(); i++) {
            DeviceAllocation allocation = wanted.claims.get(i).allocation();
            if (allocation != null && !ClaimChecks.isAvailable(allocation, node)) {
                wanted.unavailable.add(i);
                available = false;
            }
        }
        return available ? Status.SUCCESS : UNAVAILABLE;
    }

    /**
     * Frees a claim that is allocated where the pod cannot go and that nobody else uses. Fails when an earlier plugin has ended the
     * attempt before this one had its turn, which keeps preemption from running.
     */
    @Override
    public Status postFilter(
            CycleState state, PodInfo pod, Map<String, NodeFailure> failures, PostFilterPlugin.Services services) {
        Wanted wanted = state.find(key);
        if (wanted == null) {
            return NOT_FOUND;
        }
        if (wanted.claims.isEmpty()) {
            return NOTHING_TO_FREE;
        }
        for (int index : wanted.unavailable) {
            ResourceClaimInfo claim = wanted.claims.get(index);
            boolean unused =
                    claim.reservedFor().isEmpty() || (claim.reservedFor().size() == 1 && claim.isReservedFor(pod));
            if (unused) {
                String problem = writer.deallocate(claim);
                return problem.isEmpty() ? FREED : Status.error(problem);
            }
        }
        return STILL_UNSCHEDULABLE;
    }

    @Override
    public boolean wantsFailures() {
        return false;
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        Wanted wanted = state.find(key);
        if (wanted == null) {
            return NOT_FOUND;
        }
        for (ResourceClaimInfo claim : wanted.claims) {
            if (claim.isReservedFor(pod) && known().isUnsettled(claim)) {
                // It is not written again, so what is under way might take it from the pod once that is bound.
                return Status.error("claim " + claim.key() + " is still being written");
            }
        }
        for (ResourceClaimInfo claim : wanted.open) {
            if (wanted.allocation(claim, node) == null) {
                return Status.error("internal error, couldn't find allocation for claim " + claim.key());
            }
        }
        for (ResourceClaimInfo claim : wanted.open) {
            known().allocating(ClaimWriter.reserved(claim, wanted.allocation(claim, node), pod));
        }
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        Wanted wanted = state.find(key);
        if (wanted == null) {
            return;
        }
        for (ResourceClaimInfo claim : wanted.claims) {
            if (claim.allocation() == null && wanted.giveUp(claim)) {
                known().allocationEnded(claim);
            }
            ResourceClaimInfo now = known().claim(claim.namespace(), claim.name());
            if (now != null && now.isReservedFor(pod)) {
                writer.release(now, pod);
            }
        }
    }

    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        Wanted wanted = state.find(key);
        if (wanted == null) {
            return NOT_FOUND;
        }
        for (ResourceClaimInfo claim : new LinkedHashSet<>(wanted.claims)) {
            if (claim.isReservedFor(pod)) {
                continue;
            }
            if (!wanted.begin(claim)) {
                return Status.error("claim " + claim.key() + ": pod " + pod.key() + " was given up in the meantime");
            }
            try {
                writer.reserve(claim, wanted.allocation(claim, node), pod);
            } catch (ClaimWriteException e) {
                return Status.error(String.valueOf(e.getMessage()));
            }
        }
        return Status.SUCCESS;
    }
}
