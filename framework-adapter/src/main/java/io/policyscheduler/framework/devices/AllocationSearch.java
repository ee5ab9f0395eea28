package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Depth first through claims, requests and devices, back where it goes no further; the first way through is taken. Mirrors
 * {@code allocateOne} of 1.34, with what is odd about it: after the first device of an alternative that wants all devices, the search
 * goes on as if it were the first alternative. Devices of one request are tried in one order only, since others end alike.
 */
final class AllocationSearch {
    /** What became of a branch. */
    private enum Outcome {
        SOLVED,
        FAILED,
        /** A claim would get too many devices: another alternative may do, another device will not. */
        TOO_BIG
    }

    /** A device that was taken, and what for. */
    record Taken(Slot slot, PreparedRequest request) {}

    private static final int STEPS_BETWEEN_LOOKS = 256;

    private final List<PreparedClaim> claims;
    private final List<Slot> devices;
    private final List<Pool> pools;
    private final DeviceJudge judge;
    private final AssumedClaims known;
    private final Clock clock;
    private final @Nullable Instant deadline;

    private final List<List<Taken>> taken = new ArrayList<>();
    private final List<int[]> chosen = new ArrayList<>();
    private final List<List<MatchAttribute>> constraints = new ArrayList<>();
    private final Set<DeviceId> inUse = new HashSet<>();
    private int steps;

    /** @param deadline when to give up; null for never */
    AllocationSearch(
            List<PreparedClaim> claims,
            List<Pool> pools,
            DeviceJudge judge,
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
                .flatMap(slice -> slice.devices().stream().map(device -> Slot.of(slice, device)))
                .toList();
        for (PreparedClaim claim : claims) {
            taken.add(new ArrayList<>());
            chosen.add(new int[claim.requests().size()]);
            List<MatchAttribute> ofClaim = new ArrayList<>();
            for (DeviceConstraint constraint : claim.claim().constraints()) {
                ofClaim.add(new MatchAttribute(constraint));
            }
            constraints.add(ofClaim);
        }
    }

    /** Whether there is a way through; then {@link #taken} and {@link #chosen} say which. */
    boolean run() throws AllocationException, AllocationTimeout {
        return next(0, 0) == Outcome.SOLVED;
    }

    /** What a claim gets, in the order in which it was taken. */
    List<Taken> taken(int claim) {
        return taken.get(claim);
    }

    /** Which of its alternatives a request got. */
    PreparedRequest chosen(int claim, int request) {
        return options(claim, request).get(chosen.get(claim)[request]);
    }

    private List<PreparedRequest> options(int claim, int request) {
        return claims.get(claim).requests().get(request).options();
    }

    /** Goes on with a request. */
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
     * Takes the next device of a request.
     *
     * @param k how many it has
     * @param from the first device to look at: of those before, all that could be has been tried
     */
    private Outcome one(int claim, int request, int option, int k, int from)
            throws AllocationException, AllocationTimeout {
        lookAtClock();
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
        Slot slot = wanted.all().get(k);
        if (!take(claim, wanted, slot, true)) {
            return Outcome.FAILED;
        }
        Outcome outcome = one(claim, request, 0, k + 1, 0);
        if (outcome != Outcome.SOLVED) {
            giveBack(claim);
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
                    Slot slot = devices.get(at - 1);
                    if (!isFree(claim, wanted, slot)
                            || !judge.isSelectable(claims.get(claim).claim(), wanted, slice, device)
                            || !take(claim, wanted, slot, false)) {
                        continue;
                    }
                    Outcome outcome = one(claim, request, option, k + 1, at);
                    if (outcome == Outcome.SOLVED) {
                        return outcome;
                    }
                    giveBack(claim);
                    if (outcome == Outcome.TOO_BIG) {
                        return outcome;
                    }
                }
            }
        }
        return Outcome.FAILED;
    }

    /** An administrator may look at what others use, but a claim has a device once. */
    private boolean isFree(int claim, PreparedRequest wanted, Slot slot) {
        if (wanted.wanted().adminAccess()) {
            return taken.get(claim).stream().noneMatch(had -> had.slot().id().equals(slot.id()));
        }
        return !inUse.contains(slot.id()) && !known.isTaken(slot.id());
    }

    private boolean take(int claim, PreparedRequest wanted, Slot slot, boolean must) throws AllocationException {
        if (!isFree(claim, wanted, slot) || slot.device().consumesCounters()) {
            return false;
        }
        List<MatchAttribute> ofClaim = constraints.get(claim);
        for (int i = 0; i < ofClaim.size(); i++) {
            MatchAttribute constraint = ofClaim.get(i);
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

    private void giveBack(int claim) {
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

    private static void release(List<MatchAttribute> constraints, PreparedRequest request) {
        constraints.stream().filter(constraint -> constraint.appliesTo(request)).forEach(MatchAttribute::remove);
    }

    private void lookAtClock() throws AllocationTimeout {
        if (deadline != null
                && ++steps % STEPS_BETWEEN_LOOKS == 0
                && clock.instant().isAfter(deadline)) {
            throw new AllocationTimeout();
        }
    }
}
