package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_ALLOCATABLE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_GENERATED_RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.DEVICE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.RESOURCE_SLICE;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.DeviceAllocator;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.DeviceSelectors;
import io.policyscheduler.framework.devices.PodResourceClaims;
import io.policyscheduler.framework.devices.PodResourceClaims.ClaimChecks;
import io.policyscheduler.framework.modern.DynamicResources.ClaimHints;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    /** The plugin's name in configurations. */
    public static final String NAME = "DynamicResources";

    private static final Status NOTHING_TO_FREE = Status.unschedulable("no new claims to deallocate");
    private static final Status FREED = Status.unschedulable("deallocation of ResourceClaim completed");
    private static final Status STILL_UNSCHEDULABLE = Status.unschedulable("still not schedulable");
    private static final Status CANNOT_ALLOCATE = Status.unresolvable("cannot allocate all claims");
    private static final Status TIMED_OUT = Status.unresolvable("timed out trying to allocate devices");
    private static final Status UNAVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status NOT_FOUND = Status.error("not found");
    /** Events for pods of policies: any change of a claim, device class, or slice. */
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
        // Allocations of a node are valid for the whole attempt, including the dry runs of preemption.
        this.key = handle.stateKeys().create(NAME, UnaryOperator.identity());
    }

    /** The claims of a pod, with their allocations by node. */
    private static final class Wanted {
        private final List<ResourceClaimInfo> claims;
        private final List<ResourceClaimInfo> open;
        private final Map<String, List<DeviceAllocation>> found = new HashMap<>();
        private final Set<Integer> unavailable = new TreeSet<>();
        /** By UID. Used by the binding thread until the scheduling thread ends the attempt. */
        private final Set<String> begun = new HashSet<>();

        private boolean givenUp;

        Wanted(List<ResourceClaimInfo> claims) {
            this.claims = claims;
            this.open =
                    claims.stream().filter(claim -> claim.allocation() == null).toList();
        }

        /** Returns whether a claim can still be written. */
        synchronized boolean begin(ResourceClaimInfo claim) {
            if (!givenUp) {
                begun.add(claim.uid());
            }
            return !givenUp;
        }

        /**
         * Prevents further writes. Returns false if this claim was possibly written; then the writer ends its in-flight
         * state.
         */
        synchronized boolean giveUp(ResourceClaimInfo claim) {
            givenUp = true;
            return !begun.contains(claim.uid());
        }

        /**
         * Returns the allocation of an unallocated claim on the node; null if it is allocated or unknown. A claim that the
         * pod references twice needs two allocations. As in 1.34, only the second is in flight, so it must be the one that
         * is written: other pods can use the devices of the first.
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
        String problem = PodResourceClaims.of(pod, known()).problem();
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
        PodResourceClaims pod = PodResourceClaims.of(context.pod(), known());
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
     * Deallocates an unused claim whose allocation excludes the pod's nodes. Fails if an earlier plugin ended the attempt
     * before this plugin ran, which prevents preemption.
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
                // A claim in flight is not written again: the pending request could remove the claim from the bound
                // pod.
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

    /**
     * The arguments of {@link DynamicResources}.
     *
     * @param filterTimeout how long the search for devices may take on a node; zero for as long as it takes
     */
    record DynamicResourcesArgs(Duration filterTimeout) {
        private static final Duration DEFAULT = Duration.ofSeconds(10);

        static DynamicResourcesArgs of(JsonNode args) {
            JsonNode text = args.path("filterTimeout");
            return new DynamicResourcesArgs(text.isTextual() ? GoDuration.parse(text.asText()) : DEFAULT);
        }
    }

    /**
     * The events that can make pods schedulable that DynamicResources rejected or gates. Mirrors {@code EventsToRegister} of
     * the plugin.
     */
    static final class ClaimHints {
        private ClaimHints() {}

        /** A lookup of claims for queueing hints. */
        interface Claims {
            /** Returns whether all claims of the pod exist, belong to it, and are not being deleted. */
            boolean resolve(PodInfo pod);

            /** Returns whether the pod uses the claim. */
            boolean isOf(PodInfo pod, ClusterObject claim);

            /** Returns whether the claim was deallocated. */
            boolean lostAllocation(ClusterObject old, ClusterObject now);

            /** Returns whether the status of the claim changed. */
            boolean changedStatus(ClusterObject old, ClusterObject now);
        }

        /** Returns the events for a lookup of claims. */
        static List<EventHint> all(Claims claims) {
            Hint ofClaim = (pod, event) -> mayHelp(claims, pod, event);
            Hint ofPod = (pod, event) ->
                    event.object() instanceof PodInfo changed && changed.isSame(pod) && claims.resolve(pod);
            return List.of(
                    EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL, UPDATE_NODE_ALLOCATABLE),
                    EventHint.of(ofClaim, RESOURCE_CLAIM, ADD, UPDATE),
                    EventHint.of(ofPod, POD, UPDATE_POD_GENERATED_RESOURCE_CLAIM),
                    EventHint.of(Hint.ALWAYS, DEVICE_CLASS, ADD, UPDATE),
                    EventHint.of(Hint.ALWAYS, RESOURCE_SLICE, ADD, UPDATE));
        }

        private static boolean mayHelp(Claims claims, PodInfo pod, ObjectEvent event) {
            if (!claims.resolve(pod)) {
                return false;
            }
            ClusterObject old = event.old();
            ClusterObject now = event.object();
            if (old != null && claims.lostAllocation(old, now)) {
                return true;
            }
            return claims.isOf(pod, now) && (old == null || claims.changedStatus(old, now));
        }
    }

    /** The lookup of claims in the cluster, for queueing hints. */
    record KnownClaims(ClusterView cluster) implements ClaimHints.Claims {
        @Override
        public boolean resolve(PodInfo pod) {
            return PodResourceClaims.of(pod, cluster.assumedClaims()).problem().isEmpty();
        }

        @Override
        public boolean isOf(PodInfo pod, ClusterObject claim) {
            return claim instanceof ResourceClaimInfo wanted
                    && PodResourceClaims.of(pod, cluster.assumedClaims()).claims().stream()
                            .anyMatch(known -> known.uid().equals(wanted.uid()));
        }

        @Override
        public boolean lostAllocation(ClusterObject old, ClusterObject now) {
            return old instanceof ResourceClaimInfo before
                    && now instanceof ResourceClaimInfo after
                    && before.allocation() != null
                    && after.allocation() == null;
        }

        @Override
        public boolean changedStatus(ClusterObject old, ClusterObject now) {
            return old instanceof ResourceClaimInfo before
                    && now instanceof ResourceClaimInfo after
                    && !(Objects.equals(before.allocation(), after.allocation())
                            && before.reservedFor().equals(after.reservedFor()));
        }
    }
}
