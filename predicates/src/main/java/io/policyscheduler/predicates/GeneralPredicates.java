package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checks that a kubelet repeats: resources, host name, host ports, node selector. All four always run and their reasons are
 * concatenated. Mirrors {@code GeneralPredicates} of {@code predicates.go}.
 */
public final class GeneralPredicates implements Predicate {
    private final List<Predicate> parts;

    /** Runs these parts in this order. */
    public GeneralPredicates(List<Predicate> parts) {
        this.parts = List.copyOf(parts);
    }

    /** The parts of the registry, in the variants of the release. */
    public static GeneralPredicates of(AlgorithmRegistry registry, AlgorithmConfig config) {
        return new GeneralPredicates(KnownAlgorithms.parts(KnownAlgorithms.GENERAL_PREDICATES).stream()
                .map(part -> registry.predicate(part, config))
                .toList());
    }

    @Override
    public String name() {
        return "GeneralPredicates";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public boolean needsMetadata() {
        return true;
    }

    /** The parts in evaluation order; v1.17 runs them as separate plugins. */
    public List<Predicate> parts() {
        return parts;
    }

    @Override
    public PodFilter start(PodContext context) {
        List<PodFilter> filters = new ArrayList<>(parts.size());
        for (Predicate part : parts) {
            PodFilter filter = part.start(context);
            if (filter != PodFilter.FITS_ALL) {
                filters.add(filter);
            }
        }
        return new Filter(filters.toArray(PodFilter[]::new));
    }

    private static final class Filter implements PodFilter {
        private final PodFilter[] parts;

        Filter(PodFilter[] parts) {
            this.parts = parts;
        }

        @Override
        public Verdict check(NodeInfo node) {
            return GeneralPredicates.check(parts, node);
        }

        /** The types of the bases distinguish the parts. */
        @Override
        public @Nullable Object basis() {
            List<Object> bases = new ArrayList<>(parts.length);
            for (PodFilter part : parts) {
                Object basis = part.basis();
                if (basis == null) {
                    return null;
                }
                bases.add(basis);
            }
            return bases;
        }

        @Override
        public @Nullable SlotPredicate bySlot(ClusterIndex index) {
            List<SlotPredicate> tests = new ArrayList<>(parts.length);
            for (PodFilter part : parts) {
                SlotPredicate test = part.bySlot(index);
                if (test == null) {
                    return null;
                }
                tests.add(test);
            }
            return SlotPredicate.all(tests);
        }
    }

    private static Verdict check(PodFilter[] filters, NodeInfo node) {
        Verdict result = Verdict.FITS;
        for (PodFilter filter : filters) {
            Verdict verdict = filter.check(node);
            if (verdict.error() != null) {
                return verdict;
            }
            if (!verdict.fits()) {
                result = result.fits() ? verdict : concat(result, verdict);
            }
        }
        return result;
    }

    private static Verdict concat(Verdict first, Verdict second) {
        List<FailureReason> reasons = new ArrayList<>(first.reasons());
        reasons.addAll(second.reasons());
        return Verdict.of(reasons);
    }
}
