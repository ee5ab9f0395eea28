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
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.DeviceCondition;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.DeviceStatus;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.DeviceAllocator;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.devices.PodResourceClaims;
import io.policyscheduler.framework.devices.PodResourceClaims.ClaimChecks;
import io.policyscheduler.framework.modern.DynamicResources.ClaimHints;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
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
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Allocates devices for pods that use resource claims or, since 1.36, extended resources that device classes provide. Mirrors
 * {@code pkg/scheduler/framework/plugins/dynamicresources} of each release with its default features.
 */
public class DynamicResources
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                ReservePlugin,
                PreBindPlugin,
                EnqueueExtensions,
                RequeueHints,
                SignPlugin {
    /** The plugin's name in configurations. */
    public static final String NAME = "DynamicResources";

    private static final Status NOTHING_TO_FREE = Status.unschedulable("no new claims to deallocate");
    private static final Status FREED = Status.unschedulable("deallocation of ResourceClaim completed");
    private static final Status STILL_UNSCHEDULABLE = Status.unschedulable("still not schedulable");
    private static final Status CANNOT_ALLOCATE = Status.unresolvable("cannot allocate all claims");
    private static final Status INVALID_POOLS = Status.unresolvable("invalid resource pools were encountered");
    private static final String TIMED_OUT = "timed out trying to allocate devices";
    private static final Status LEFT_OVER = Status.unresolvable("cannot schedule extended resource claim");
    private static final Status NO_RESOURCE = Status.unresolvable("cannot fit resource");
    private static final Status DELETED = Status.unschedulable("deletion of ResourceClaim completed");
    private static final Status UNAVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status NOT_FOUND = Status.error("not found");
    /** Events for pods of policies: any change of a claim, device class, or slice. */
    private static final Set<ClusterEvent> CHANGES = Sets.immutableEnumSet(
            EnumSet.complementOf(EnumSet.of(ClusterEvent.BUDGET_CHANGE, ClusterEvent.TABLE_CHANGE)));

    private static final int FIRST_ALTERNATIVE = 8;

    private final ClusterView cluster;
    private final ClaimWriter writer;
    private final DeviceAllocator allocator;
    private final DynamicResourcesArgs args;
    private final Clock clock;
    private final Release release;
    private final boolean honorsDeviceFeatures;
    private final StateKey<StateData> key;

    /** Creates the plugin of a release; only that of 1.35 and later scores nodes. */
    public static DynamicResources create(PluginHandle handle) {
        return SchedulerChange.DEVICES_ARE_SCORED.in(handle.release())
                ? new Scoring(handle)
                : new DynamicResources(handle);
    }

    @Override
    public @Nullable Map<String, Object> sign(PodInfo pod) {
        return pod.spec().resourceClaims().isEmpty() ? Map.of() : null;
    }

    private DynamicResources(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.writer = ClaimWriter.of(handle);
        this.args = DynamicResourcesArgs.of(handle.args());
        this.clock = handle.clock();
        this.release = handle.release();
        this.honorsDeviceFeatures = SchedulerChange.DEVICE_FEATURES.in(release);
        this.allocator = new DeviceAllocator(clock, args.filterTimeout(), release);
        // Allocations of a node are valid for the whole attempt, including the dry runs of preemption.
        this.key = handle.stateKeys().create(NAME, UnaryOperator.identity());
    }

    /** The claims of a pod, with their allocations by node. */
    private static final class StateData {
        private static final StateData NOTHING = new StateData(List.of(), null, ExtendedResources.NONE);

        private final List<ResourceClaimInfo> claims;
        private final List<ResourceClaimInfo> open;
        /** The claim for the pod's extended resources: one that exists, or one in memory without requests. */
        private final @Nullable ResourceClaimInfo special;

        private final ExtendedResources extended;
        private final DeviceAllocator.Attempt attempt = new DeviceAllocator.Attempt();
        /** By node, the allocations of the claims that are not allocated, and last that of the special claim. */
        private final Map<String, List<DeviceAllocation>> found = new HashMap<>();

        private final Map<String, SpecialClaim> specialByNode = new HashMap<>();
        private final Set<Integer> unavailable = new TreeSet<>();
        /** By UID. Used by the binding thread until the scheduling thread ends the attempt. */
        private final Set<String> begun = new HashSet<>();

        private boolean givenUp;
        /** The special claim that the binding thread created. */
        private @Nullable ResourceClaimInfo created;

        StateData(List<ResourceClaimInfo> claims, @Nullable ResourceClaimInfo special, ExtendedResources extended) {
            this.claims = claims;
            this.special = special;
            this.extended = extended;
            this.open =
                    claims.stream().filter(claim -> claim.allocation() == null).toList();
        }

        boolean isEmpty() {
            return claims.isEmpty() && special == null;
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

        /** Ends the wait for binding conditions. */
        synchronized void giveUp() {
            givenUp = true;
        }

        synchronized boolean isGivenUp() {
            return givenUp;
        }

        synchronized void created(ResourceClaimInfo claim) {
            created = claim;
        }

        synchronized @Nullable ResourceClaimInfo created() {
            return created;
        }

        /**
         * Returns the allocation of an unallocated claim on the node; null if it is allocated or unknown. A claim that the
         * pod references twice needs two allocations. As in Kubernetes, only the second is in flight, so it must be the one
         * that is written: other pods can use the devices of the first.
         */
        @Nullable
        DeviceAllocation allocation(ResourceClaimInfo claim, String node) {
            List<DeviceAllocation> all = found.getOrDefault(node, List.of());
            int index = open.lastIndexOf(claim);
            return index < 0 || index >= all.size() ? null : all.get(index);
        }

        /** Returns the allocation of the special claim on the node; null if the pod needs none there. */
        @Nullable
        DeviceAllocation specialAllocation(String node) {
            List<DeviceAllocation> all = found.getOrDefault(node, List.of());
            return specialByNode.containsKey(node) && all.size() > open.size() ? all.get(open.size()) : null;
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
        String problem = PodResourceClaims.of(pod, known(), release).problem();
        return problem.isEmpty() ? Status.SUCCESS : Status.unresolvable(problem);
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return ClaimHints.all(new KnownClaims(cluster), honorsDeviceFeatures);
    }

    @Override
    public Set<ClusterEvent> events() {
        return CHANGES;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        state.write(key, StateData.NOTHING);
        PodResourceClaims pod = PodResourceClaims.of(context.pod(), known(), release);
        if (!pod.problem().isEmpty()) {
            return PreFilterResult.of(Status.unresolvable(pod.problem()));
        }
        ExtendedResources extended = honorsDeviceFeatures ? ExtendedResources.of(cluster) : ExtendedResources.NONE;
        ResourceClaimInfo special = null;
        if (extended.isRequestedBy(context.pod())) {
            ResourceClaimInfo existing = known().ofExtendedResources(context.pod());
            special = existing == null ? ExtendedResources.inMemory(context.pod()) : existing;
        }
        if (pod.claims().isEmpty() && special == null) {
            return PreFilterResult.SKIP;
        }
        for (ResourceClaimInfo claim : pod.claims()) {
            Status status = check(claim);
            if (!status.isSuccess()) {
                return PreFilterResult.of(status);
            }
        }
        state.write(key, new StateData(pod.claims(), special, extended));
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
        StateData data = state.find(key);
        if (data == null) {
            return NOT_FOUND;
        }
        List<ResourceClaimInfo> toAllocate = data.open;
        if (data.special != null) {
            Status status = checkExtendedResources(data, pod, node);
            if (!status.isSuccess()) {
                return status;
            }
            SpecialClaim special = data.specialByNode.get(node.name());
            if (special != null) {
                toAllocate = new ArrayList<>(data.open);
                toAllocate.add(special.claim());
            }
        }
        if (!toAllocate.isEmpty()) {
            Status status = allocate(data, toAllocate, node);
            if (data.attempt.isBudgetExceeded()) {
                state.markExpensive();
            }
            if (!status.isSuccess()) {
                return status;
            }
        }
        boolean available = true;
        for (int i = 0; i < data.claims.size(); i++) {
            if (!isAvailable(data.claims.get(i), node)) {
                data.unavailable.add(i);
                available = false;
            }
        }
        return available ? Status.SUCCESS : UNAVAILABLE;
    }

    private Status allocate(StateData data, List<ResourceClaimInfo> claims, NodeInfo node) {
        try {
            DeviceAllocator.Allocations result = allocator.allocate(node, claims, cluster, known(), data.attempt);
            if (result.found() == null) {
                return result.invalidPools() ? INVALID_POOLS : CANNOT_ALLOCATE;
            }
            data.found.put(node.name(), result.found());
            return Status.SUCCESS;
        } catch (AllocationException e) {
            return Status.error(String.valueOf(e.getMessage()));
        } catch (AllocationTimeout e) {
            return honorsDeviceFeatures
                    ? Status.error("node " + node.name() + ": " + TIMED_OUT)
                    : Status.unresolvable(TIMED_OUT);
        }
    }

    /** Creates the in-memory claim for the extended resources that devices satisfy on the node. */
    private static Status checkExtendedResources(StateData data, PodInfo pod, NodeInfo node) {
        ResourceClaimInfo special = Objects.requireNonNull(data.special);
        if (!special.requests().isEmpty()) {
            return LEFT_OVER;
        }
        List<String> byDevices = new ArrayList<>();
        for (String name : ExtendedResources.requestedBy(pod)) {
            if (data.extended.isByDevices(name, node)) {
                byDevices.add(name);
            } else if (!node.allocatable().hasScalar(name)) {
                return NO_RESOURCE;
            }
        }
        if (byDevices.isEmpty()) {
            data.specialByNode.remove(node.name());
        } else {
            data.specialByNode.put(node.name(), data.extended.claim(pod, byDevices));
        }
        return Status.SUCCESS;
    }

    private boolean isAvailable(ResourceClaimInfo claim, NodeInfo node) {
        DeviceAllocation allocation = claim.allocation();
        if (allocation == null) {
            return true;
        }
        return ClaimChecks.isAvailable(allocation, node) && !(honorsDeviceFeatures && hasFailedToBind(claim));
    }

    /** Whether the devices of a claim cannot be used because their binding conditions failed, or were not true in time. */
    private boolean hasFailedToBind(ResourceClaimInfo claim) {
        BindingState state = BindingState.of(claim);
        return state.failure() != null || (!state.isReady() && isOverdue(claim));
    }

    private boolean isOverdue(ResourceClaimInfo claim) {
        DeviceAllocation allocation = claim.allocation();
        return allocation != null
                && allocation.allocatedMillis() != PodInfo.NO_TIME
                && allocation.allocatedMillis() + args.bindingTimeout().toMillis() < clock.millis();
    }

    /**
     * The binding conditions of the devices of an allocated claim.
     *
     * @param isReady whether all of them are true
     * @param failure a failure condition that is true, or null
     */
    record BindingState(boolean isReady, @Nullable DeviceCondition failure) {
        static BindingState of(ResourceClaimInfo claim) {
            DeviceAllocation allocation = claim.allocation();
            boolean ready = true;
            for (DeviceAllocation.Result result :
                    allocation == null ? List.<DeviceAllocation.Result>of() : allocation.results()) {
                if (result.bindingConditions().isEmpty()) {
                    continue;
                }
                DeviceStatus status = claim.statusOf(result);
                if (status == null) {
                    ready = false;
                    continue;
                }
                for (String failed : result.bindingFailureConditions()) {
                    if (status.isTrue(failed)) {
                        return new BindingState(false, status.conditions().get(failed));
                    }
                }
                ready &= result.bindingConditions().stream().allMatch(status::isTrue);
            }
            return new BindingState(ready, null);
        }
    }

    /**
     * Deallocates an unused claim whose allocation excludes the pod's nodes. Fails if an earlier plugin ended the attempt
     * before this plugin ran, which prevents preemption.
     */
    @Override
    public Status postFilter(
            CycleState state, PodInfo pod, Map<String, NodeFailure> failures, PostFilterPlugin.Services services) {
        StateData data = state.find(key);
        if (data == null) {
            return NOT_FOUND;
        }
        if (data.isEmpty()) {
            return NOTHING_TO_FREE;
        }
        if (data.special != null && !ExtendedResources.isInMemory(data.special)) {
            String problem = writer.deleteCreated(data.special);
            return problem.isEmpty() ? DELETED : Status.error(problem);
        }
        for (int index : data.unavailable) {
            ResourceClaimInfo claim = data.claims.get(index);
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
        StateData data = state.find(key);
        if (data == null) {
            return NOT_FOUND;
        }
        for (ResourceClaimInfo claim : data.claims) {
            if (known().isBeingWritten(claim)) {
                // A pending request to remove this pod from the claim is repeated until it has a response, also if the
                // claim no
                // longer contains the pod. It would remove the reservation of this attempt.
                return Status.error("claim " + claim.key() + " is still being written");
            }
        }
        for (ResourceClaimInfo claim : data.open) {
            if (data.allocation(claim, node) == null) {
                return Status.error("internal error, couldn't find allocation for claim " + claim.key());
            }
        }
        for (ResourceClaimInfo claim : data.open) {
            known().allocating(ClaimWriter.reserved(claim, data.allocation(claim, node), pod));
        }
        SpecialClaim special = data.specialByNode.get(node);
        if (special != null) {
            DeviceAllocation allocation = data.specialAllocation(node);
            if (allocation == null) {
                return Status.error(
                        "internal error, couldn't find allocation for the extended resources of " + pod.key());
            }
            known().allocating(ClaimWriter.reserved(special.claim(), allocation, pod));
        }
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        StateData data = state.find(key);
        if (data == null) {
            return;
        }
        data.giveUp();
        for (ResourceClaimInfo claim : data.claims) {
            if (claim.allocation() == null && writer.isUnwritten(claim, () -> data.giveUp(claim))) {
                known().allocationEnded(claim);
            }
            ResourceClaimInfo now = known().claim(claim.namespace(), claim.name());
            if (now != null && now.isReservedFor(pod)) {
                writer.release(now, pod);
            }
        }
        SpecialClaim special = data.specialByNode.get(node);
        if (special != null) {
            if (writer.isUnwritten(special.claim(), () -> data.giveUp(special.claim()))) {
                known().allocationEnded(special.claim());
            }
            ResourceClaimInfo created = data.created();
            if (created != null) {
                writer.deleteCreated(created);
            }
        }
    }

    @Override
    public Status preBindPreFlight(CycleState state, PodInfo pod, String node) {
        StateData data = state.find(key);
        boolean hasWork = data != null && (!data.claims.isEmpty() || data.specialByNode.containsKey(node));
        return hasWork ? Status.SUCCESS : Status.SKIP;
    }

    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        StateData data = state.find(key);
        if (data == null) {
            return NOT_FOUND;
        }
        boolean waits = false;
        try {
            SpecialClaim special = data.specialByNode.get(node);
            if (special != null) {
                if (!data.begin(special.claim())) {
                    return Status.error(givenUp(special.claim(), pod));
                }
                DeviceAllocation allocation = timed(data.specialAllocation(node));
                data.created(writer.create(special, Objects.requireNonNull(allocation), pod));
                waits = allocation.hasBindingConditions();
            }
            for (ResourceClaimInfo claim : new LinkedHashSet<>(data.claims)) {
                DeviceAllocation allocation = timed(data.allocation(claim, node));
                DeviceAllocation used = allocation == null ? claim.allocation() : allocation;
                waits |= used != null && used.hasBindingConditions();
                if (claim.isReservedFor(pod)) {
                    continue;
                }
                if (!data.begin(claim)) {
                    return Status.error(givenUp(claim, pod));
                }
                writer.reserve(claim, allocation, pod);
            }
        } catch (ClaimWriteException e) {
            return Status.error(String.valueOf(e.getMessage()));
        }
        return waits && honorsDeviceFeatures ? waitForConditions(data, pod, node) : Status.SUCCESS;
    }

    private static String givenUp(ResourceClaimInfo claim, PodInfo pod) {
        return "claim " + claim.key() + ": pod " + pod.key() + " was given up in the meantime";
    }

    /** Since 1.36 an allocation has a timestamp. */
    private @Nullable DeviceAllocation timed(@Nullable DeviceAllocation allocation) {
        return allocation == null || !honorsDeviceFeatures ? allocation : allocation.allocatedAt(clock.millis());
    }

    /** Waits until the binding conditions of all devices are true. */
    private Status waitForConditions(StateData data, PodInfo pod, String node) {
        List<ResourceClaimInfo> claims = new ArrayList<>(new LinkedHashSet<>(data.claims));
        ResourceClaimInfo created = data.created();
        if (created != null) {
            claims.add(created);
        }
        String problem = writer.awaitBindingConditions(claims, pod, node, args.bindingTimeout(), claim -> {
            if (data.isGivenUp()) {
                return givenUp(claim, pod);
            }
            if (claim.allocation() == null) {
                return "claim " + claim.key() + " got deallocated elsewhere in the meantime";
            }
            BindingState state = BindingState.of(claim);
            if (state.failure() != null) {
                return "device binding failed: claim=" + claim.name() + ", reason="
                        + state.failure().reason() + ", message="
                        + GoText.quote(state.failure().message());
            }
            if (state.isReady()) {
                return "";
            }
            return isOverdue(claim) ? "device binding timeout: claim=" + claim.name() : null;
        });
        return problem.isEmpty() ? Status.SUCCESS : Status.error(problem);
    }

    /** Returns whether {@link #points} is 0 for all nodes; true for most pods, which have no claims. */
    private boolean scoresNothing(CycleState state) {
        StateData data = state.find(key);
        return data == null || (data.open.isEmpty() && data.specialByNode.isEmpty());
    }

    /** The points of a node for a pod: 8 for each first alternative of a prioritized list, less for later ones. */
    private long points(CycleState state, NodeInfo node) {
        StateData data = state.find(key);
        if (data == null || (data.open.isEmpty() && !data.specialByNode.containsKey(node.name()))) {
            return 0;
        }
        long points = 0;
        for (ResourceClaimInfo claim : data.claims) {
            DeviceAllocation allocation =
                    claim.allocation() == null ? data.allocation(claim, node.name()) : claim.allocation();
            if (allocation == null) {
                continue;
            }
            for (DeviceRequest request : claim.requests()) {
                int chosen = chosen(request, allocation);
                points += chosen < 0 ? 0 : FIRST_ALTERNATIVE - chosen;
            }
        }
        return points;
    }

    private static int chosen(DeviceRequest request, DeviceAllocation allocation) {
        for (int i = 0; i < request.firstAvailable().size(); i++) {
            String name = request.name() + "/" + request.firstAvailable().get(i).name();
            if (allocation.results().stream()
                    .anyMatch(result -> result.request().equals(name))) {
                return i;
            }
        }
        return -1;
    }

    /** The plugin of 1.35 and later, which prefers nodes with better alternatives of prioritized lists. */
    private static final class Scoring extends DynamicResources implements InTreeScore, CacheableScore {
        Scoring(PluginHandle handle) {
            super(handle);
        }

        @Override
        public ScoreReads scoreReads(CycleState state, PodInfo pod) {
            OptionalLong uniform = super.scoresNothing(state) ? OptionalLong.of(0) : OptionalLong.empty();
            return new ScoreReads(null, 0, Reduction.BY_HIGHEST, () -> uniform, null);
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return super.points(state, node);
        }

        @Override
        public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
            Reduction.BY_HIGHEST.apply(scores);
            return Status.SUCCESS;
        }
    }

    /**
     * The arguments of {@link DynamicResources}.
     *
     * @param filterTimeout maximum duration of the search for devices on a node; zero for no limit
     * @param bindingTimeout how long a pod waits for binding conditions
     */
    record DynamicResourcesArgs(Duration filterTimeout, Duration bindingTimeout) {
        private static final Duration DEFAULT_FILTER = Duration.ofSeconds(10);
        private static final Duration DEFAULT_BINDING = Duration.ofMinutes(10);

        static DynamicResourcesArgs of(JsonNode args) {
            return new DynamicResourcesArgs(
                    duration(args.path("filterTimeout"), DEFAULT_FILTER),
                    duration(args.path("bindingTimeout"), DEFAULT_BINDING));
        }

        private static Duration duration(JsonNode text, Duration preset) {
            return text.isTextual() ? GoDuration.parse(text.asText()) : preset;
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

            /** Returns whether the pod requests an extended resource that a new or changed device class provides. */
            boolean isProvided(PodInfo pod, @Nullable ClusterObject old, ClusterObject deviceClass);
        }

        /** Returns the events for a lookup of claims. */
        static List<EventHint> all(Claims claims, boolean forExtendedResources) {
            Hint ofClaim = (pod, event) -> mayHelp(claims, pod, event);
            Hint ofPod = (pod, event) ->
                    event.object() instanceof PodInfo changed && changed.isSame(pod) && claims.resolve(pod);
            return List.of(
                    EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL, UPDATE_NODE_ALLOCATABLE),
                    EventHint.of(ofClaim, RESOURCE_CLAIM, ADD, UPDATE),
                    EventHint.of(ofPod, POD, UPDATE_POD_GENERATED_RESOURCE_CLAIM),
                    EventHint.of(
                            (pod, event) -> !forExtendedResources
                                    || !pod.spec().resourceClaims().isEmpty()
                                    || claims.isProvided(pod, event.old(), event.object()),
                            DEVICE_CLASS,
                            ADD,
                            UPDATE),
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

    /** Whether the pod requests an extended resource that a new or changed device class provides. */
    public static boolean isProvided(PodInfo pod, @Nullable ClusterObject old, ClusterObject now) {
        if (!(now instanceof DeviceClassInfo deviceClass)) {
            return false;
        }
        String before = old instanceof DeviceClassInfo earlier ? earlier.extendedResourceName() : "";
        String name = deviceClass.extendedResourceName();
        Set<String> requested = ExtendedResources.requestedBy(pod);
        boolean isNewName = !name.isEmpty() && !name.equals(before) && requested.contains(name);
        return isNewName || (old == null && requested.contains(ResourceNames.DEVICE_CLASS_PREFIX + deviceClass.name()));
    }

    /** The lookup of claims in the cluster, for queueing hints. */
    record KnownClaims(ClusterView cluster) implements ClaimHints.Claims {
        @Override
        public boolean resolve(PodInfo pod) {
            return PodResourceClaims.of(pod, cluster.assumedClaims()).problem().isEmpty();
        }

        @Override
        public boolean isOf(PodInfo pod, ClusterObject claim) {
            return claim instanceof ResourceClaimInfo data
                    && PodResourceClaims.of(pod, cluster.assumedClaims()).claims().stream()
                            .anyMatch(known -> known.uid().equals(data.uid()));
        }

        @Override
        public boolean lostAllocation(ClusterObject old, ClusterObject now) {
            return old instanceof ResourceClaimInfo before
                    && now instanceof ResourceClaimInfo after
                    && before.allocation() != null
                    && after.allocation() == null;
        }

        @Override
        public boolean isProvided(PodInfo pod, @Nullable ClusterObject old, ClusterObject deviceClass) {
            return DynamicResources.isProvided(pod, old, deviceClass);
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
