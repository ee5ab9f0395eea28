package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The node has room for one more pod and for everything that the pod requests. Once a pod requests anything, cpu,
 * memory and ephemeral storage are all compared, so that a node overcommitted on one of them refuses a pod that asks
 * for another. Several scalar resources fail in name order, where v1.17 has no order. Mirrors
 * {@code PodFitsResources} of {@code predicates.go}.
 */
public final class PodFitsResources implements Predicate {
    private static final int PODS = 1;
    private static final int CPU = 2;
    private static final int MEMORY = 4;
    private static final int EPHEMERAL_STORAGE = 8;

    /** The verdict for every set of the four flags above. */
    private static final Verdict[] VERDICTS = verdicts();

    private final Set<String> ignored;
    private final RequestRules rules;

    /** Leaves {@link AlgorithmConfig#ignoredResources()} to extenders. */
    public PodFitsResources(AlgorithmConfig config) {
        this.rules =
                config.gates().arithmetic() == Arithmetic.WRAPPING ? RequestRules.EXACTLY_V1_17 : RequestRules.V1_17;
        this.ignored = config.ignoredResources();
    }

    @Override
    public String name() {
        return "PodFitsResources";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public boolean needsMetadata() {
        return true;
    }

    @Override
    public PodFilter start(PodContext context) {
        ResourceVector request = context.pod().resources().request();
        // The ignored set travels in the metadata; without it v1.17 compares everything.
        return new Filter(rules, request, comparedScalars(request, context.metadataAvailable() ? ignored : Set.of()));
    }

    private static int[] comparedScalars(ResourceVector request, Set<String> ignored) {
        int[] compared = new int[request.scalarCount()];
        int count = 0;
        for (int i = 0; i < request.scalarCount(); i++) {
            String name = request.scalarName(i);
            if (!ignored.contains(name) || !ResourceNames.isExtended(name)) {
                compared[count++] = i;
            }
        }
        return Arrays.copyOf(compared, count);
    }

    private static Verdict[] verdicts() {
        Verdict[] verdicts = new Verdict[16];
        for (int flags = 0; flags < verdicts.length; flags++) {
            verdicts[flags] = Verdict.of(reasons(flags));
        }
        return verdicts;
    }

    private static List<FailureReason> reasons(int flags) {
        List<FailureReason> reasons = new ArrayList<>();
        if ((flags & PODS) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.PODS));
        }
        if ((flags & CPU) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.CPU));
        }
        if ((flags & MEMORY) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.MEMORY));
        }
        if ((flags & EPHEMERAL_STORAGE) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.EPHEMERAL_STORAGE));
        }
        return reasons;
    }

    /** Nodes with room for one more pod that requests something, but no scalars. */
    private record Room(NodeAmounts amounts, ResourceVector request, Arithmetic sums) implements SlotPredicate {
        @Override
        public boolean test(int slot) {
            return amounts.room(slot) > 0
                    && amounts.allocatableMilliCpu(slot) >= sums.add(request.milliCpu(), amounts.milliCpu(slot))
                    && amounts.allocatableMemory(slot) >= sums.add(request.memory(), amounts.memory(slot))
                    && amounts.allocatableStorage(slot) >= sums.add(request.ephemeralStorage(), amounts.storage(slot));
        }

        /** The same as by default, in a loop that the compiler can make one of with the test. */
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

    private static final class Filter implements PodFilter {
        private final RequestRules rules;
        private final Arithmetic sums;
        private final ResourceVector request;
        private final boolean empty;
        /** Indexes of the request's scalars that are not left to extenders. */
        private final int[] scalars;

        private final FailureReason[] scalarReasons;

        Filter(RequestRules rules, ResourceVector request, int[] scalars) {
            this.rules = rules;
            this.sums = rules.arithmetic();
            this.request = request;
            this.scalars = scalars;
            // A scalar counts even with amount 0, and even when it is then ignored.
            this.empty = request.milliCpu() == 0
                    && request.memory() == 0
                    && request.ephemeralStorage() == 0
                    && request.scalarCount() == 0;
            this.scalarReasons = new FailureReason[scalars.length];
            for (int i = 0; i < scalars.length; i++) {
                scalarReasons[i] = FailureReasons.insufficient(request.scalarName(scalars[i]));
            }
        }

        /** What is left to extenders is the same for all pods. */
        @Override
        public Object basis() {
            return request;
        }

        @Override
        public Verdict check(NodeInfo node) {
            ResourceVector allocatable = node.allocatable();
            int flags = node.podCount() + 1 > allocatable.pods() ? PODS : 0;
            if (empty) {
                return VERDICTS[flags];
            }
            if (allocatable.milliCpu() < sums.add(request.milliCpu(), rules.milliCpu(node))) {
                flags |= CPU;
            }
            if (allocatable.memory() < sums.add(request.memory(), rules.memory(node))) {
                flags |= MEMORY;
            }
            if (allocatable.ephemeralStorage() < sums.add(request.ephemeralStorage(), rules.ephemeralStorage(node))) {
                flags |= EPHEMERAL_STORAGE;
            }
            for (int i = 0; i < scalars.length; i++) {
                if (lacksScalar(node, allocatable, i)) {
                    return withScalars(node, allocatable, flags, i);
                }
            }
            return VERDICTS[flags];
        }

        @Override
        public @Nullable SlotPredicate bySlot(ClusterIndex index) {
            if (scalars.length > 0) {
                return null;
            }
            NodeAmounts amounts = index.amounts(rules);
            return empty ? slot -> amounts.room(slot) > 0 : new Room(amounts, request, sums);
        }

        private boolean lacksScalar(NodeInfo node, ResourceVector allocatable, int index) {
            int at = scalars[index];
            String name = request.scalarName(at);
            return allocatable.scalar(name) < sums.add(request.scalarAmount(at), rules.scalar(node, name));
        }

        private Verdict withScalars(NodeInfo node, ResourceVector allocatable, int flags, int firstLacking) {
            List<FailureReason> reasons = reasons(flags);
            for (int i = firstLacking; i < scalars.length; i++) {
                if (lacksScalar(node, allocatable, i)) {
                    reasons.add(scalarReasons[i]);
                }
            }
            return Verdict.of(reasons);
        }
    }
}
