package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A depth-first search with backtracking over claims, requests, and devices. The first complete allocation is the result.
 * Mirrors {@code allocateOne} of 1.34, including a quirk: after the first device of an alternative that requests all
 * devices, the search continues as if it were the first alternative. It evaluates the devices of one request in one order
 * only, because other orders have the same result.
 */
final class AllocationSearch {
    /** The result of a branch. */
    private enum Outcome {
        SOLVED,
        FAILED,
        /** The claim exceeds the maximum number of devices. Another alternative can succeed, another device cannot. */
        TOO_BIG
    }

    /** An allocated device, with its request. */
    record Taken(PooledDevice slot, PreparedRequest request) {}

    private static final int STEPS_BETWEEN_CHECKS = 256;

    private final List<PreparedClaim> claims;
    private final List<PooledDevice> devices;
    private final List<Pool> pools;
    private final DeviceMatcher judge;
    private final AssumedClaims known;
    private final Clock clock;
    private final @Nullable Instant deadline;

    private final List<List<Taken>> taken = new ArrayList<>();
    private final List<int[]> chosen = new ArrayList<>();
    private final List<List<MatchAttributeConstraint>> constraints = new ArrayList<>();
    private final Set<DeviceId> inUse = new HashSet<>();
    private int steps;

    /** @param deadline when the search stops; null for no limit */
    AllocationSearch(
            List<PreparedClaim> claims,
            List<Pool> pools,
            DeviceMatcher judge,
            AssumedClaims known,
            Clock clock,
            @Nullable Instant deadline) {
        this.claims = claims;
        this.pools = pools;
        this.judge = judge;
        this.known = known;
        this.clock = clock;
        this.deadline = deadline;
        this.devices = pools.stream()
                .flatMap(pool -> pool.slices().stream())
                .flatMap(slice -> slice.devices().stream().map(device -> PooledDevice.of(slice, device)))
                .toList();
        for (PreparedClaim claim : claims) {
            taken.add(new ArrayList<>());
            chosen.add(new int[claim.requests().size()]);
            List<MatchAttributeConstraint> ofClaim = new ArrayList<>();
            for (DeviceConstraint constraint : claim.claim().constraints()) {
                ofClaim.add(new MatchAttributeConstraint(constraint));
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
        checkDeadline();
        PreparedRequest wanted = options(claim, request).get(option);
        if (wanted.isAll() && wanted.all().isEmpty()) {
            return Outcome.FAILED;
        }
        if (k >= wanted.need()) {
            return next(claim, request + 1);
        }
        if (taken.get(claim).size() + wanted.need() - k > PreparedClaim.MAX_DEVICES) {
            return Outcome.TOO_BIG;
        }
        return wanted.isAll() ? nextOfAll(claim, request, wanted, k) : anyOf(claim, request, option, k, from);
    }

    private Outcome nextOfAll(int claim, int request, PreparedRequest wanted, int k)
            throws AllocationException, AllocationTimeout {
        PooledDevice slot = wanted.all().get(k);
        if (!take(claim, wanted, slot, true)) {
            return Outcome.FAILED;
        }
        Outcome outcome = one(claim, request, 0, k + 1, 0);
        if (outcome != Outcome.SOLVED) {
            deallocate(claim);
        }
        return outcome;
    }

    private Outcome anyOf(int claim, int request, int option, int k, int from)
            throws AllocationException, AllocationTimeout {
        PreparedRequest wanted = options(claim, request).get(option);
        int at = 0;
        for (Pool pool : pools) {
            if (pool.isInvalid()) {
                throw new AllocationException(
                        "pool " + pool.name() + " is invalid: duplicate device name " + pool.repeated());
            }
            for (ResourceSliceInfo slice : pool.slices()) {
                for (Device device : slice.devices()) {
                    if (at++ < from) {
                        continue;
                    }
                    PooledDevice slot = devices.get(at - 1);
                    if (!isFree(claim, wanted, slot)
                            || !judge.isSelectable(claims.get(claim).claim(), wanted, slice, device)
                            || !take(claim, wanted, slot, false)) {
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
        }
        return Outcome.FAILED;
    }

    /** Requests with admin access can share devices with other claims, but one claim gets each device once. */
    private boolean isFree(int claim, PreparedRequest wanted, PooledDevice slot) {
        if (wanted.wanted().adminAccess()) {
            return taken.get(claim).stream().noneMatch(had -> had.slot().id().equals(slot.id()));
        }
        return !inUse.contains(slot.id()) && !known.isTaken(slot.id());
    }

    private boolean take(int claim, PreparedRequest wanted, PooledDevice slot, boolean must)
            throws AllocationException {
        if (!isFree(claim, wanted, slot) || slot.device().consumesCounters()) {
            return false;
        }
        List<MatchAttributeConstraint> ofClaim = constraints.get(claim);
        for (int i = 0; i < ofClaim.size(); i++) {
            MatchAttributeConstraint constraint = ofClaim.get(i);
            if (constraint.appliesTo(wanted) && !constraint.add(slot)) {
                release(ofClaim.subList(0, i), wanted);
                if (must) {
                    throw new AllocationException(
                            "claim " + claims.get(claim).claim().key() + ", request "
                                    + wanted.wanted().name() + ": cannot add device " + slot.id()
                                    + " because a claim constraint would not be satisfied");
                }
                return false;
            }
        }
        taken.get(claim).add(new Taken(slot, wanted));
        inUse.add(slot.id());
        return true;
    }

    private void deallocate(int claim) {
        List<Taken> ofClaim = taken.get(claim);
        Taken last = ofClaim.remove(ofClaim.size() - 1);
        release(constraints.get(claim), last.request());
        boolean elsewhere = taken.stream()
                .flatMap(List::stream)
                .anyMatch(other -> other.slot().id().equals(last.slot().id()));
        if (!elsewhere) {
            inUse.remove(last.slot().id());
        }
    }

    private static void release(List<MatchAttributeConstraint> constraints, PreparedRequest request) {
        constraints.stream()
                .filter(constraint -> constraint.appliesTo(request))
                .forEach(MatchAttributeConstraint::remove);
    }

    private void checkDeadline() throws AllocationTimeout {
        if (deadline != null
                && ++steps % STEPS_BETWEEN_CHECKS == 0
                && clock.instant().isAfter(deadline)) {
            throw new AllocationTimeout();
        }
    }

    /** A {@code matchAttribute} constraint during the search: the attribute value of its devices, and their number. */
    static final class MatchAttributeConstraint {
        private final DeviceConstraint constraint;
        private final String name;
        private @Nullable AttributeValue value;
        private int devices;

        MatchAttributeConstraint(DeviceConstraint constraint) {
            this.constraint = constraint;
            this.name = Objects.requireNonNullElse(constraint.matchAttribute(), "");
        }

        /** Returns whether the constraint applies to the request. */
        boolean appliesTo(PreparedRequest request) {
            return constraint.requests().isEmpty() || request.isNamedIn(constraint.requests());
        }

        /** Adds a device; returns false if its attribute differs from that of the others. */
        boolean add(PooledDevice slot) {
            AttributeValue attribute = attribute(slot);
            if (attribute == null || attribute.kind() == AttributeValue.Kind.NONE) {
                return false;
            }
            if (devices == 0) {
                value = attribute;
            } else if (!attribute.equals(value)) {
                return false;
            }
            devices++;
            return true;
        }

        void remove() {
            devices--;
        }

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
    }

    /** Converts the result of the search to the allocation of one claim. */
    static final class AllocationResult {
        private AllocationResult() {}

        static DeviceAllocation of(
                ResourceClaimInfo claim, List<AllocationSearch.Taken> taken, List<PreparedRequest> chosen, String node)
                throws AllocationException {
            List<DeviceAllocation.Result> results = new ArrayList<>(taken.size());
            for (AllocationSearch.Taken one : taken) {
                results.add(new DeviceAllocation.Result(
                        one.request().resultName(),
                        one.slot().id(),
                        one.request().wanted().adminAccess()));
            }
            return new DeviceAllocation(results, config(claim, chosen), nodeTerms(claim, taken, node));
        }

        private static List<DeviceConfig> config(ResourceClaimInfo claim, List<PreparedRequest> chosen) {
            List<DeviceConfig> config = new ArrayList<>();
            for (PreparedRequest request : chosen) {
                for (DeviceConfig entry : request.deviceClass().config()) {
                    config.add(new DeviceConfig(DeviceConfig.FROM_CLASS, List.of(), entry.content()));
                }
            }
            for (DeviceConfig entry : claim.config()) {
                DeviceConfig told = new DeviceConfig(DeviceConfig.FROM_CLAIM, entry.requests(), entry.content());
                if (entry.requests().isEmpty()) {
                    config.add(told);
                } else {
                    chosen.stream()
                            .filter(request -> request.isNamedIn(entry.requests()))
                            .forEach(request -> config.add(told));
                }
            }
            return config;
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
                List<NodeSelectorTerm> terms = one.slot().slice().nodeTerms();
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
