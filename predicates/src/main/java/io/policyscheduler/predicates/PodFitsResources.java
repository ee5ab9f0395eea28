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
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceFit;
import io.policyscheduler.engine.placement.ResourceFit.Rules;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The node can run one more pod and has all resources that the pod requests. If a pod requests anything, cpu, memory and ephemeral
 * storage are all compared, so that a node overcommitted on one of them rejects a pod that requests another. Several scalar
 * resources fail in name order; v1.17 has no order. Mirrors {@code PodFitsResources} of {@code predicates.go}.
 */
public final class PodFitsResources implements Predicate {
    private static final BitSet NONE = new BitSet(0);
    /** The verdicts for all combinations of reasons without scalar resources. */
    private static final List<Verdict> VERDICTS = IntStream.range(0, ResourceFit.TOO_SMALL)
            .mapToObj(reasons -> Verdict.of(reasons(reasons)))
            .toList();

    private final Set<String> ignored;
    private final Rules rules;

    /** Ignores {@link AlgorithmConfig#ignoredResources()}, which extenders check. */
    public PodFitsResources(AlgorithmConfig config) {
        this.rules = Rules.v117(
                config.gates().arithmetic() == Arithmetic.WRAPPING ? RequestRules.EXACTLY_V1_17 : RequestRules.V1_17);
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
        // The ignored set is part of the metadata; without it v1.17 compares everything.
        Set<String> left = context.metadataAvailable() ? ignored : Set.of();
        return new Filter(new ResourceFit(rules, request, index -> isCompared(request.scalarName(index), left), NONE));
    }

    private static boolean isCompared(String name, Set<String> ignored) {
        return !ignored.contains(name) || !ResourceNames.isExtended(name);
    }

    private static List<FailureReason> reasons(int flags) {
        List<FailureReason> reasons = new ArrayList<>();
        if ((flags & ResourceFit.PODS) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.PODS));
        }
        if ((flags & ResourceFit.CPU) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.CPU));
        }
        if ((flags & ResourceFit.MEMORY) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.MEMORY));
        }
        if ((flags & ResourceFit.EPHEMERAL_STORAGE) != 0) {
            reasons.add(FailureReasons.insufficient(ResourceNames.EPHEMERAL_STORAGE));
        }
        return reasons;
    }

    private static final class Filter implements PodFilter {
        private record Last(int flags, List<String> scalars, Verdict verdict) {}

        private final ResourceFit fit;
        /** Many nodes lack the same scalar resources. */
        private Last last = new Last(0, List.of(), Verdict.FITS);

        Filter(ResourceFit fit) {
            this.fit = fit;
        }

        /** The ignored resources are the same for all pods. */
        @Override
        public Object basis() {
            return fit.request();
        }

        @Override
        public Verdict check(NodeInfo node) {
            int flags = fit.check(node);
            if (flags == 0) {
                return Verdict.FITS;
            }
            return (flags & ResourceFit.SCALARS) == 0 ? VERDICTS.get(flags) : withScalars(node, flags);
        }

        private Verdict withScalars(NodeInfo node, int flags) {
            List<String> scalars = fit.insufficientScalars(node);
            Last known = last;
            if (known.flags() != flags || !known.scalars().equals(scalars)) {
                List<FailureReason> reasons = reasons(flags);
                scalars.forEach(name -> reasons.add(FailureReasons.insufficient(name)));
                known = new Last(flags, scalars, Verdict.of(reasons));
                last = known;
            }
            return known.verdict();
        }

        @Override
        public @Nullable SlotPredicate bySlot(ClusterIndex index) {
            return fit.bySlot(index);
        }
    }
}
