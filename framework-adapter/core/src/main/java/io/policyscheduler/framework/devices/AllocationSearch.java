package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.DeviceSelectors.SelectorBudget;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A depth-first search with backtracking over claims, requests, and devices. The first complete allocation is the result.
 * Mirrors {@code allocateOne}, including a quirk of 1.34 and 1.35: after the first device of an alternative that requests all
 * devices, the search continues as if it were the first alternative. It evaluates the devices of one request in one order
 * only. Kubernetes does so since 1.36; before, other orders had the same result.
 */
final class AllocationSearch {
    /** The result of a branch. */
    private enum Outcome {
        SOLVED,
        FAILED,
        /** The claim exceeds the maximum number of devices. Another alternative can succeed, another device cannot. */
        TOO_BIG
    }

    /**
     * An allocated device, with its request.
     *
     * @param consumed the capacity that the request consumes of a shared device
     */
    record Taken(PooledDevice slot, PreparedRequest request, Map<String, BigDecimal> consumed) {}

    /** The end of a search that takes too long. */
    static final class SearchLimit {
        private static final int STEPS_BETWEEN_CHECKS = 256;
        /** A node that is searched after an expensive one gets so many steps nevertheless. */
        private static final int STEPS_OF_NODE = 20_000;

        private final SelectorBudget budget;
        private final Clock clock;
        private final @Nullable Instant deadline;
        private int steps;

        /** @param deadline when the search stops; null for no limit */
        SearchLimit(SelectorBudget budget, Clock clock, @Nullable Instant deadline) {
            this.budget = budget;
            this.clock = clock;
            this.deadline = deadline;
        }

        void check() throws AllocationTimeout {
            steps++;
            boolean late = deadline != null
                    && steps % STEPS_BETWEEN_CHECKS == 0
                    && clock.instant().isAfter(deadline);
            if (late || (!budget.step() && steps > STEPS_OF_NODE)) {
                throw new AllocationTimeout();
            }
        }
    }

    private final List<PreparedClaim> claims;
    private final List<Pool> pools;
    private final DeviceMatcher matcher;
    private final AllocatorVariant variant;
    private final DeviceUse use;
    private final SearchLimit limit;

    private final List<List<Taken>> taken = new ArrayList<>();
    private final List<int[]> chosen = new ArrayList<>();
    private final List<List<AttributeConstraint>> constraints = new ArrayList<>();
    private final Set<DeviceId> inUse = new HashSet<>();

    /** @param use the devices, capacities, and counters that are in use */
    AllocationSearch(
            List<PreparedClaim> claims,
            List<Pool> pools,
            DeviceMatcher matcher,
            AllocatorVariant variant,
            DeviceUse use,
            SearchLimit limit) {
        this.claims = claims;
        this.pools = pools;
        this.matcher = matcher;
        this.variant = variant;
        this.use = use;
        this.limit = limit;
        for (PreparedClaim claim : claims) {
            taken.add(new ArrayList<>());
            chosen.add(new int[claim.requests().size()]);
            List<AttributeConstraint> ofClaim = new ArrayList<>();
            for (DeviceConstraint constraint : claim.claim().constraints()) {
                ofClaim.add(AttributeConstraint.of(constraint, variant));
            }
            constraints.add(ofClaim);
        }
    }

    /** Returns whether an allocation exists; {@link #taken} and {@link #chosen} then return it. */
    boolean run() throws AllocationException, AllocationTimeout {
        return next(0, 0) == Outcome.SOLVED;
    }

    /** Returns the devices of a claim, in the order of their allocation. */
    List<Taken> taken(int claim) {
        return taken.get(claim);
    }

    /** Returns the selected alternative of a request. */
    PreparedRequest chosen(int claim, int request) {
        return options(claim, request).get(chosen.get(claim)[request]);
    }

    private List<PreparedRequest> options(int claim, int request) {
        return claims.get(claim).requests().get(request).options();
    }

    /** Allocates a request and all that follow. */
    private Outcome next(int claim, int request) throws AllocationException, AllocationTimeout {
        if (claim == claims.size()) {
            return Outcome.SOLVED;
        }
        if (request == claims.get(claim).requests().size()) {
            Outcome outcome = next(claim + 1, 0);
            return outcome == Outcome.TOO_BIG ? Outcome.FAILED : outcome;
        }
        if (!claims.get(claim).requests().get(request).isChoice()) {
            return one(claim, request, 0, 0, 0);
        }
        boolean allTooBig = true;
        for (int option = 0; option < options(claim, request).size(); option++) {
            Outcome outcome = one(claim, request, option, 0, 0);
            if (outcome == Outcome.SOLVED) {
                chosen.get(claim)[request] = option;
                return outcome;
            }
            allTooBig &= outcome == Outcome.TOO_BIG;
        }
        return allTooBig ? Outcome.TOO_BIG : Outcome.FAILED;
    }

    /**
     * Allocates the next device of a request.
     *
     * @param k number of devices that the request has
     * @param from index of the first device to evaluate; the search has tried all combinations of those before
     */
    private Outcome one(int claim, int request, int option, int k, int from)
            throws AllocationException, AllocationTimeout {
        limit.check();
        PreparedRequest prepared = options(claim, request).get(option);
        if (prepared.isAll() && prepared.all().isEmpty()) {
            return Outcome.FAILED;
        }
        if (k >= prepared.need()) {
            return next(claim, request + 1);
        }
        if (taken.get(claim).size() + prepared.need() - k > PreparedClaim.MAX_DEVICES) {
            return Outcome.TOO_BIG;
        }
        return prepared.isAll() ? nextOfAll(claim, request, option, k) : anyOf(claim, request, option, k, from);
    }

    private Outcome nextOfAll(int claim, int request, int option, int k) throws AllocationException, AllocationTimeout {
        PreparedRequest prepared = options(claim, request).get(option);
        PooledDevice slot = prepared.all().get(k);
        if (!take(claim, prepared, slot, true)) {
            return Outcome.FAILED;
        }
        Outcome outcome = one(claim, request, variant.keepsAlternative() ? option : 0, k + 1, 0);
        if (outcome != Outcome.SOLVED) {
            deallocate(claim);
        }
        return outcome;
    }

    private Outcome anyOf(int claim, int request, int option, int k, int from)
            throws AllocationException, AllocationTimeout {
        PreparedRequest prepared = options(claim, request).get(option);
        int at = 0;
        for (Pool pool : pools) {
            if (variant.skipsUnusablePools() && (pool.isInvalid() || pool.incomplete())) {
                continue;
            }
            if (pool.isInvalid()) {
                throw new AllocationException("pool " + pool.name() + " is invalid: " + pool.problem());
            }
            for (PooledDevice slot : pool.devices()) {
                if (at++ < from) {
                    continue;
                }
                if (!isFree(claim, prepared, slot)
                        || !matcher.isSelectable(claims.get(claim).claim(), prepared, slot)
                        || !use.hasCapacity(slot, prepared.exactRequest())
                        || !take(claim, prepared, slot, false)) {
                    continue;
                }
                Outcome outcome = one(claim, request, option, k + 1, at);
                if (outcome == Outcome.SOLVED) {
                    return outcome;
                }
                deallocate(claim);
                if (outcome == Outcome.TOO_BIG) {
                    return outcome;
                }
            }
        }
        return Outcome.FAILED;
    }

    private boolean isShared(PooledDevice slot) {
        return variant.honorsDeviceFeatures() && slot.device().shareable();
    }

    /** Requests with admin access can use devices of other claims, but one claim gets each device once. */
    private boolean isFree(int claim, PreparedRequest prepared, PooledDevice slot) {
        if (prepared.exactRequest().adminAccess()) {
            return isShared(slot)
                    || taken.get(claim).stream()
                            .noneMatch(had -> had.slot().id().equals(slot.id()));
        }
        // A shared device is never in inUse, but a claim can have all of it.
        return !inUse.contains(slot.id()) && !use.isTaken(slot.id());
    }

    private boolean take(int claim, PreparedRequest prepared, PooledDevice slot, boolean must)
            throws AllocationException {
        if (!isFree(claim, prepared, slot)) {
            return false;
        }
        if (!slot.device().consumesCounters().isEmpty()
                && !(variant.honorsDeviceFeatures() && use.takeCounters(slot, isShared(slot)))) {
            return false;
        }
        // As in Kubernetes 1.36, the counters stay taken if one of the next steps refuses the device.
        if (variant.honorsDeviceFeatures() && !toleratesTaints(prepared.exactRequest(), slot.device())) {
            return false;
        }
        List<AttributeConstraint> ofClaim = constraints.get(claim);
        for (int i = 0; i < ofClaim.size(); i++) {
            AttributeConstraint constraint = ofClaim.get(i);
            if (constraint.appliesTo(prepared) && !constraint.add(prepared, slot)) {
                release(ofClaim.subList(0, i), prepared);
                if (must) {
                    throw new AllocationException(
                            "claim " + claims.get(claim).claim().key() + ", request "
                                    + prepared.exactRequest().name() + ": cannot add device " + slot.id()
                                    + " because a claim constraint would not be satisfied");
                }
                return false;
            }
        }
        Map<String, BigDecimal> consumed = Map.of();
        if (variant.honorsDeviceFeatures()) {
            Map<String, BigDecimal> amounts = use.consumed(slot, prepared.exactRequest());
            if (amounts == null) {
                // As in Kubernetes 1.36, the constraints still count the device.
                return false;
            }
            consumed = isShared(slot) ? amounts : consumed;
        }
        taken.get(claim).add(new Taken(slot, prepared, consumed));
        if (isShared(slot)) {
            use.addShare(slot, consumed);
        } else {
            inUse.add(slot.id());
        }
        return true;
    }

    /** Returns whether the request tolerates all taints of the device that prevent its allocation. */
    static boolean toleratesTaints(DeviceRequest.RequestedDevices exactRequest, Device device) {
        for (Taint taint : device.taints()) {
            boolean prevents =
                    taint.effect().equals("NoSchedule") || taint.effect().equals("NoExecute");
            if (prevents && exactRequest.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint))) {
                return false;
            }
        }
        return true;
    }

    private void deallocate(int claim) {
        List<Taken> ofClaim = taken.get(claim);
        Taken last = ofClaim.remove(ofClaim.size() - 1);
        release(constraints.get(claim), last.request());
        if (isShared(last.slot())) {
            use.removeShare(last.slot(), last.consumed());
            return;
        }
        // A claim with admin access can have the device of another claim, and consumes its counters again.
        boolean elsewhere = taken.stream()
                .flatMap(List::stream)
                .anyMatch(other -> other.slot().id().equals(last.slot().id()));
        if (!elsewhere) {
            inUse.remove(last.slot().id());
        }
        if (variant.honorsDeviceFeatures()) {
            use.returnCounters(last.slot());
        }
    }

    private static void release(List<AttributeConstraint> constraints, PreparedRequest request) {
        constraints.stream()
                .filter(constraint -> constraint.appliesTo(request))
                .forEach(constraint -> constraint.remove(request));
    }

    /** A constraint during the search: the attribute values of its devices. */
    abstract static class AttributeConstraint {
        private final DeviceConstraint constraint;
        private final String name;
        private int devices;

        private AttributeConstraint(DeviceConstraint constraint, @Nullable String name) {
            this.constraint = constraint;
            this.name = Objects.requireNonNullElse(name, "");
        }

        static AttributeConstraint of(DeviceConstraint constraint, AllocatorVariant variant) {
            return constraint.matchAttribute() == null
                    ? new Distinct(constraint, variant.honorsDeviceFeatures())
                    : new Match(constraint);
        }

        /** Returns whether the constraint applies to the request. */
        final boolean appliesTo(PreparedRequest request) {
            return constraint.requests().isEmpty() || request.isNamedIn(constraint.requests());
        }

        /** Adds a device; returns false if it has no attribute, or one that violates the constraint. */
        final boolean add(PreparedRequest request, PooledDevice slot) {
            AttributeValue attribute = attribute(slot);
            if (attribute == null || !accepts(request, attribute, devices == 0)) {
                return false;
            }
            devices++;
            return true;
        }

        void remove(PreparedRequest request) {
            devices--;
        }

        /** Returns whether a device with the attribute can be added, and remembers the attribute if so. */
        abstract boolean accepts(PreparedRequest request, AttributeValue attribute, boolean isFirst);

        /** Returns the attribute with the qualified name, or with the plain name if the domain is the driver. */
        private @Nullable AttributeValue attribute(PooledDevice slot) {
            AttributeValue attribute = slot.device().attributes().get(name);
            int slash = name.indexOf('/');
            if (attribute != null
                    || slash < 0
                    || !name.substring(0, slash).equals(slot.slice().driver())) {
                return attribute;
            }
            return slot.device().attributes().get(name.substring(slash + 1));
        }

        /** {@code matchAttribute}: all devices have the same value. */
        private static final class Match extends AttributeConstraint {
            private @Nullable AttributeValue value;

            Match(DeviceConstraint constraint) {
                super(constraint, constraint.matchAttribute());
            }

            @Override
            boolean accepts(PreparedRequest request, AttributeValue attribute, boolean isFirst) {
                if (isFirst) {
                    value = attribute;
                    return true;
                }
                return attribute.equals(value) && attribute.kind() != AttributeValue.Kind.NONE;
            }
        }

        /**
         * {@code distinctAttribute}: all devices have different values. As in Kubernetes, only the last value of each request is
         * remembered. Kubernetes 1.34 compares pointers, so that all values are different.
         */
        private static final class Distinct extends AttributeConstraint {
            private final Map<String, AttributeValue> values = new HashMap<>();

            private final boolean comparesValues;

            Distinct(DeviceConstraint constraint, boolean comparesValues) {
                super(constraint, constraint.distinctAttribute());
                this.comparesValues = comparesValues;
            }

            @Override
            boolean accepts(PreparedRequest request, AttributeValue attribute, boolean isFirst) {
                boolean isUnknown = attribute.kind() == AttributeValue.Kind.NONE && !values.isEmpty();
                if (!isFirst && (isUnknown || (comparesValues && values.containsValue(attribute)))) {
                    return false;
                }
                values.put(request.baseName(), attribute);
                return true;
            }

            @Override
            void remove(PreparedRequest request) {
                super.remove(request);
                values.remove(request.baseName());
            }
        }
    }

    /** Converts the result of the search to the allocation of one claim. */
    static final class AllocationResult {
        private AllocationResult() {}

        static DeviceAllocation of(
                ResourceClaimInfo claim,
                List<AllocationSearch.Taken> taken,
                List<PreparedRequest> chosen,
                String node,
                AllocatorVariant variant)
                throws AllocationException {
            List<DeviceAllocation.Result> results = new ArrayList<>(taken.size());
            taken.forEach(one -> results.add(result(one, variant)));
            List<DeviceConfig> config = new ArrayList<>();
            if (variant.skipsUnusablePools()) {
                addClassConfig(chosen, config);
            } else {
                for (PreparedRequest request : chosen) {
                    for (DeviceConfig entry : request.deviceClass().config()) {
                        config.add(new DeviceConfig(DeviceConfig.FROM_CLASS, List.of(), entry.content()));
                    }
                }
            }
            addClaimConfig(claim, chosen, config);
            return new DeviceAllocation(results, config, nodeTerms(claim, taken, node));
        }

        private static DeviceAllocation.Result result(AllocationSearch.Taken one, AllocatorVariant variant) {
            DeviceRequest.RequestedDevices exactRequest = one.request().exactRequest();
            Device device = one.slot().device();
            boolean honors = variant.honorsDeviceFeatures();
            boolean isShare = honors && device.shareable();
            Map<String, String> consumed = new TreeMap<>();
            one.consumed()
                    .forEach((name, amount) ->
                            consumed.put(name, DeviceUse.text(device, name, exactRequest.capacity(), amount)));
            List<String> conditions = device.bindingConditions();
            return new DeviceAllocation.Result(
                    one.request().resultName(),
                    one.slot().id(),
                    exactRequest.adminAccess(),
                    variant.skipsUnusablePools() ? exactRequest.tolerations() : List.of(),
                    isShare ? UUID.randomUUID().toString() : "",
                    consumed,
                    honors && conditions != null ? conditions : List.of(),
                    honors ? device.bindingFailureConditions() : List.of());
        }

        /** Each class once, with the requests that use it. */
        private static void addClassConfig(List<PreparedRequest> chosen, List<DeviceConfig> config) {
            Map<String, List<PreparedRequest>> byClass = new LinkedHashMap<>();
            for (PreparedRequest request : chosen) {
                byClass.computeIfAbsent(request.deviceClass().name(), name -> new ArrayList<>())
                        .add(request);
            }
            for (List<PreparedRequest> requests : byClass.values()) {
                List<String> names =
                        requests.stream().map(PreparedRequest::resultName).toList();
                for (DeviceConfig entry : requests.get(0).deviceClass().config()) {
                    config.add(new DeviceConfig(DeviceConfig.FROM_CLASS, names, entry.content()));
                }
            }
        }

        private static void addClaimConfig(
                ResourceClaimInfo claim, List<PreparedRequest> chosen, List<DeviceConfig> config) {
            for (DeviceConfig entry : claim.config()) {
                DeviceConfig deviceConfig =
                        new DeviceConfig(DeviceConfig.FROM_CLAIM, entry.requests(), entry.content());
                if (entry.requests().isEmpty()) {
                    config.add(deviceConfig);
                } else {
                    chosen.stream()
                            .filter(request -> request.isNamedIn(entry.requests()))
                            .forEach(request -> config.add(deviceConfig));
                }
            }
        }

        private static @Nullable List<NodeSelectorTerm> nodeTerms(
                ResourceClaimInfo claim, List<AllocationSearch.Taken> taken, String node) throws AllocationException {
            List<LabelRequirement> expressions = new ArrayList<>();
            List<LabelRequirement> fields = new ArrayList<>();
            for (AllocationSearch.Taken one : taken) {
                if (one.slot().isLocal()) {
                    return List.of(new NodeSelectorTerm(
                            List.of(), List.of(LabelRequirement.ofNodeSelector("metadata.name", "In", List.of(node)))));
                }
                List<NodeSelectorTerm> terms = one.slot().nodeTerms();
                if (terms == null) {
                    continue;
                }
                if (terms.size() != 1) {
                    throw new AllocationException("create NodeSelector for claim " + claim.name()
                            + ": unsupported ResourceSlice.NodeSelector with " + terms.size() + " terms");
                }
                terms.get(0).expressions().forEach(requirement -> addNew(expressions, requirement));
                terms.get(0).fields().forEach(requirement -> addNew(fields, requirement));
            }
            return expressions.isEmpty() && fields.isEmpty()
                    ? null
                    : List.of(new NodeSelectorTerm(expressions, fields));
        }

        private static void addNew(List<LabelRequirement> all, LabelRequirement requirement) {
            boolean known = all.stream()
                    .anyMatch(other -> other.key().equals(requirement.key())
                            && other.operator().equals(requirement.operator())
                            && new HashSet<>(other.values()).equals(new HashSet<>(requirement.values())));
            if (!known) {
                all.add(requirement);
            }
        }
    }
}
