package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether nodes have enough free resources for a pod. Mirrors {@code PodFitsResources} of {@code predicates.go} of 1.17 and
 * {@code fitsRequest} of {@code pkg/scheduler/framework/plugins/noderesources/fit.go}. Once a pod requests anything, CPU, memory, and
 * ephemeral storage are compared, so that a node that is overcommitted on one of them rejects a pod that requests another.
 */
public final class ResourceFit {
    /** The node already has the maximum number of pods. */
    public static final int PODS = 1;
    /** CPU is insufficient. */
    public static final int CPU = 2;
    /** Memory is insufficient. */
    public static final int MEMORY = 4;
    /** Ephemeral storage is insufficient. */
    public static final int EPHEMERAL_STORAGE = 8;
    /** The node would be too small even if it were empty. */
    public static final int TOO_SMALL = 16;
    /** A scalar resource is insufficient; see {@link #insufficientScalars}. */
    public static final int SCALARS = 32;

    /**
     * The rules of a release.
     *
     * @param requests the sums of requests
     * @param addsUp whether the sum of requests is compared with allocatable, as in 1.17, else the request with the free amount;
     *     they differ if the sum overflows 64 bits
     * @param checksZero whether an overcommitted resource that the pod does not request rejects the node
     * @param reportsTooSmall whether {@link #TOO_SMALL} is reported
     */
    public record Rules(RequestRules requests, boolean addsUp, boolean checksZero, boolean reportsTooSmall) {
        /** The rules of 1.17. */
        public static Rules v117(RequestRules requests) {
            return new Rules(requests, true, true, false);
        }
    }

    private final Rules rules;
    private final RequestRules requests;
    private final Arithmetic sums;
    private final boolean addsUp;
    private final ResourceVector request;
    private final boolean nothing;
    /** The indexes of the scalar resources that are compared. */
    private final int[] scalars;
    /** The indexes of scalar resources that devices satisfy on nodes without a device plugin. */
    private final BitSet byDevices;

    /**
     * The request of a pod.
     *
     * @param compares returns whether a scalar resource of the request is compared, by its index
     * @param byDevices the indexes of the scalar resources that devices satisfy on nodes that do not have them
     */
    public ResourceFit(Rules rules, ResourceVector request, IntPredicate compares, BitSet byDevices) {
        this.rules = rules;
        this.requests = rules.requests();
        this.sums = requests.arithmetic();
        this.addsUp = rules.addsUp();
        this.request = request;
        // A scalar counts even if its amount is 0 or it is then ignored.
        this.nothing = request.milliCpu() == 0
                && request.memory() == 0
                && request.ephemeralStorage() == 0
                && request.scalarCount() == 0;
        int[] compared = new int[request.scalarCount()];
        int count = 0;
        for (int i = 0; i < compared.length; i++) {
            if (compares.test(i)) {
                compared[count++] = i;
            }
        }
        this.scalars = Arrays.copyOf(compared, count);
        this.byDevices = byDevices;
    }

    /** The request. */
    public ResourceVector request() {
        return request;
    }

    private boolean fits(long requested, long allocatable, long taken) {
        return addsUp
                ? allocatable >= sums.add(requested, taken)
                : (requested <= 0 && !rules.checksZero()) || requested <= sums.subtract(allocatable, taken);
    }

    private int check(int reason, long requested, long allocatable, long taken) {
        if (fits(requested, allocatable, taken)) {
            return 0;
        }
        return rules.reportsTooSmall() && requested > allocatable ? reason | TOO_SMALL : reason;
    }

    /** Returns 0 if a node has enough of all resources, else a bit mask of reasons. */
    public int check(NodeInfo node) {
        ResourceVector allocatable = node.allocatable();
        int reasons = node.podCount() + 1 > allocatable.pods() ? PODS : 0;
        if (nothing) {
            return reasons;
        }
        long cpu = requests.milliCpu(node);
        long memory = requests.memory(node);
        long storage = requests.ephemeralStorage(node);
        // Most nodes have enough resources, and the compiler inlines these comparisons.
        boolean fits = addsUp
                ? allocatable.milliCpu() >= sums.add(request.milliCpu(), cpu)
                        && allocatable.memory() >= sums.add(request.memory(), memory)
                        && allocatable.ephemeralStorage() >= sums.add(request.ephemeralStorage(), storage)
                : request.milliCpu() <= sums.subtract(allocatable.milliCpu(), cpu)
                        && request.memory() <= sums.subtract(allocatable.memory(), memory)
                        && request.ephemeralStorage() <= sums.subtract(allocatable.ephemeralStorage(), storage);
        if (!fits) {
            reasons |= check(CPU, request.milliCpu(), allocatable.milliCpu(), cpu);
            reasons |= check(MEMORY, request.memory(), allocatable.memory(), memory);
            reasons |= check(EPHEMERAL_STORAGE, request.ephemeralStorage(), allocatable.ephemeralStorage(), storage);
        }
        for (int i = 0; i < scalars.length; i++) {
            reasons |= checkScalar(scalars[i], node, allocatable);
        }
        return reasons;
    }

    private int checkScalar(int index, NodeInfo node, ResourceVector allocatable) {
        String name = request.scalarName(index);
        long there = allocatable.scalar(name);
        return there == 0 && byDevices.get(index)
                ? 0
                : check(SCALARS, request.scalarAmount(index), there, requests.scalar(node, name));
    }

    /** Returns the names of the scalar resources of which a node does not have enough. */
    public List<String> insufficientScalars(NodeInfo node) {
        ResourceVector allocatable = node.allocatable();
        List<String> names = new ArrayList<>(1);
        for (int index : scalars) {
            if (checkScalar(index, node, allocatable) != 0) {
                names.add(request.scalarName(index));
            }
        }
        return names;
    }

    /** Returns a test of nodes by slot; null if scalar resources are compared. */
    public @Nullable SlotPredicate bySlot(ClusterIndex index) {
        if (scalars.length > 0) {
            return null;
        }
        NodeAmounts amounts = index.amounts(requests);
        return nothing ? slot -> amounts.free(slot) > 0 : new FreeResources(amounts, this);
    }

    /** The test of {@link #check} by slot, for a pod without scalar requests. */
    private static final class FreeResources implements SlotPredicate {
        private final NodeAmounts amounts;
        private final Arithmetic sums;
        private final boolean addsUp;
        private final long milliCpu;
        private final long memory;
        private final long storage;

        FreeResources(NodeAmounts amounts, ResourceFit fit) {
            this.amounts = amounts;
            this.sums = fit.sums;
            this.addsUp = fit.addsUp;
            this.milliCpu = fit.least(fit.request.milliCpu());
            this.memory = fit.least(fit.request.memory());
            this.storage = fit.least(fit.request.ephemeralStorage());
        }

        @Override
        public boolean test(int slot) {
            if (amounts.free(slot) <= 0) {
                return false;
            }
            if (addsUp) {
                return amounts.allocatableMilliCpu(slot) >= sums.add(milliCpu, amounts.milliCpu(slot))
                        && amounts.allocatableMemory(slot) >= sums.add(memory, amounts.memory(slot))
                        && amounts.allocatableStorage(slot) >= sums.add(storage, amounts.storage(slot));
            }
            return milliCpu <= sums.subtract(amounts.allocatableMilliCpu(slot), amounts.milliCpu(slot))
                    && memory <= sums.subtract(amounts.allocatableMemory(slot), amounts.memory(slot))
                    && storage <= sums.subtract(amounts.allocatableStorage(slot), amounts.storage(slot));
        }

        /** The default implementation, repeated so that the compiler can inline the test. */
        @Override
        public void retain(int[] order, long[] positions) {
            for (int block = 0; block < positions.length; block++) {
                long passing = positions[block];
                for (long left = passing; left != 0; left &= left - 1) {
                    if (!test(order[(block << 6) + Long.numberOfTrailingZeros(left)])) {
                        passing &= ~Long.lowestOneBit(left);
                    }
                }
                positions[block] = passing;
            }
        }
    }

    /** A minimum that a resource which is not compared always meets. */
    private long least(long requested) {
        return requested <= 0 && !rules.checksZero() ? Long.MIN_VALUE : requested;
    }
}
