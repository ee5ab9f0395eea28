package io.policyscheduler.predicates;

import static io.policyscheduler.engine.placement.PodAffinityTerms.required;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodAffinityTerms;
import io.policyscheduler.engine.placement.PodAffinityTerms.Reading;
import io.policyscheduler.engine.placement.RequiredPodAffinity;
import io.policyscheduler.engine.placement.RequiredPodAffinity.Rules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Required inter-pod affinity and anti-affinity of the pod, and required anti-affinity of running pods. Mirrors
 * {@code PodAffinityChecker} of {@code predicates.go} and {@code podAffinityMetadata} of {@code metadata.go}; from 1.18, the plugin
 * InterPodAffinity, with the reasons of 1.17.
 */
public final class MatchInterPodAffinity implements Predicate {
    static final Verdict AFFINITY_FAILS = Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES);
    static final Verdict ANTI_AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_ANTI_AFFINITY_RULES);
    static final Verdict EXISTING_ANTI_AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.EXISTING_ANTI_AFFINITY_RULES);

    private final boolean asV1_17;

    /** The variant of a release. */
    public MatchInterPodAffinity(Release release) {
        this.asV1_17 = release.compareTo(Release.V1_17) <= 0;
    }

    @Override
    public String name() {
        return "MatchInterPodAffinity";
    }

    /** The whole cluster: the first pod of a group passes only while no pod anywhere matches its terms. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public boolean needsMetadata() {
        return asV1_17;
    }

    @Override
    public PodFilter start(PodContext context) {
        if (asV1_17) {
            return context.metadataAvailable()
                    ? filter(context, Reading.NAMES, Rules.V1_17)
                    : new SlowPath(context.pod(), context.cluster());
        }
        boolean byNames = context.metadataAvailable() && !context.selectsNamespaces();
        String error =
                byNames ? null : PodAffinityTerms.selectorError(context.pod().affinity());
        if (error != null) {
            Verdict everywhere = Verdict.of(List.of(FailureReason.unresolvable("parsing pod: " + error)));
            return node -> everywhere;
        }
        // 1.18 and 1.19 evaluate the terms of other pods first; later releases, which have namespace selectors, last.
        Filter filter = filter(context, Reading.SELECTORS, byNames ? Rules.EXISTING_FIRST : Rules.V1_19);
        return filter.required().passesAll() ? PodFilter.FITS_ALL : filter;
    }

    private Filter filter(PodContext context, Reading reading, Rules rules) {
        PodAffinityTerms terms = new PodAffinityTerms(context.pod(), context.cluster(), reading);
        return new Filter(asV1_17, new RequiredPodAffinity(terms, context.cluster(), rules));
    }

    private record Filter(boolean asV1_17, RequiredPodAffinity required) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return switch (required.check(node)) {
                case PASSES -> Verdict.FITS;
                case AFFINITY -> AFFINITY_FAILS;
                case ANTI_AFFINITY -> ANTI_AFFINITY_FAILS;
                case EXISTING_ANTI_AFFINITY -> EXISTING_ANTI_AFFINITY_FAILS;
            };
        }

        @Override
        public boolean fitsUntilChanged() {
            return required.passesAll();
        }

        /** A trial neither removes counted pods nor adds other pods than the removed ones. */
        @Override
        public boolean fitsTrials() {
            return required.passesAll();
        }

        @Override
        public @Nullable SlotPredicate bySlot(ClusterIndex index) {
            return required.bySlot(index);
        }

        @Override
        public PodFilter copy() {
            return new Filter(asV1_17, required.copy());
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            Affinity.PodTerms anti = added.affinity().podAntiAffinity();
            String error = anti == null || !asV1_17 ? null : anti.requiredError();
            if (error == null) {
                required.add(added, node);
            }
            return error;
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            required.remove(removed, node);
            return null;
        }
    }

    /**
     * Inter-pod affinity of v1.17 without its shared metadata: every pod of the cluster is compared for every node. The rules
     * differ from those of {@link RequiredPodAffinity}: one pod has to match (or violate) all terms together, and a violated own
     * anti-affinity is reported before a missing affinity. The metadata is only missing if some selector is invalid, so most
     * results are errors. AddPod and RemovePod are visible only through the given node.
     */
    private static final class SlowPath implements PodFilter {
        private static final String EMPTY_KEY =
                "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";

        /** The result of matching a pod with a list of terms. */
        private enum Match {
            NONE,
            SELECTORS_ONLY,
            SELECTORS_AND_TOPOLOGY,
            EMPTY_TOPOLOGY_KEY
        }

        private final PodInfo pod;
        private final ClusterView cluster;
        private final List<PodAffinityTerm> affinity;
        private final List<PodAffinityTerm> antiAffinity;
        private final @Nullable String affinityError;
        private final @Nullable String antiAffinityError;

        SlowPath(PodInfo pod, ClusterView cluster) {
            this.pod = pod;
            this.cluster = cluster;
            this.affinity = required(pod.affinity().podAffinity());
            this.antiAffinity = required(pod.affinity().podAntiAffinity());
            this.affinityError = error(pod.affinity().podAffinity());
            this.antiAffinityError = error(pod.affinity().podAntiAffinity());
        }

        @Override
        public Verdict check(NodeInfo node) {
            Verdict existing = checkExistingAntiAffinity(node);
            if (existing != null) {
                return existing;
            }
            return affinity.isEmpty() && antiAffinity.isEmpty() ? Verdict.FITS : checkOwnTerms(node);
        }

        private @Nullable Verdict checkExistingAntiAffinity(NodeInfo node) {
            Labels labels = node.node().labels();
            boolean violated = false;
            for (NodeInfo other : cluster.nodesWithAffinity()) {
                for (PodInfo existing : other.podsWithAffinity()) {
                    if (isDeletedFrom(node, existing)) {
                        continue;
                    }
                    for (PodAffinityTerm term : required(existing.affinity().podAntiAffinity())) {
                        if (term.selector() != null && term.selector().error() != null) {
                            return Verdict.error("Failed to get all terms that match pod " + podId() + ": "
                                    + term.selector().error());
                        }
                        String value = other.node().labels().get(term.topologyKey());
                        violated |=
                                value != null && labels.has(term.topologyKey(), value) && term.matches(existing, pod);
                    }
                }
            }
            return violated ? EXISTING_ANTI_AFFINITY_FAILS : null;
        }

        private Verdict checkOwnTerms(NodeInfo node) {
            boolean found = false;
            boolean selectorsMatched = false;
            for (NodeInfo other : cluster.nodes()) {
                for (PodInfo existing : other.pods()) {
                    if (isDeletedFrom(node, existing)) {
                        continue;
                    }
                    if (!found && !affinity.isEmpty()) {
                        if (affinityError != null) {
                            return affinityFailure(node, affinityError);
                        }
                        Match match = compare(existing, other, node, affinity);
                        if (match == Match.EMPTY_TOPOLOGY_KEY) {
                            return affinityFailure(node, EMPTY_KEY);
                        }
                        selectorsMatched |= match != Match.NONE;
                        found = match == Match.SELECTORS_AND_TOPOLOGY;
                    }
                    if (!antiAffinity.isEmpty() && antiAffinityBlocks(existing, other, node)) {
                        return ANTI_AFFINITY_FAILS;
                    }
                }
            }
            boolean affinityHolds = found || affinity.isEmpty() || (!selectorsMatched && matchesItself());
            return affinityHolds ? Verdict.FITS : AFFINITY_FAILS;
        }

        /** Terms that cannot be evaluated reject as well. */
        private boolean antiAffinityBlocks(PodInfo existing, NodeInfo other, NodeInfo node) {
            if (antiAffinityError != null) {
                return true;
            }
            Match match = compare(existing, other, node, antiAffinity);
            return match == Match.SELECTORS_AND_TOPOLOGY || match == Match.EMPTY_TOPOLOGY_KEY;
        }

        private Match compare(PodInfo existing, NodeInfo other, NodeInfo node, List<PodAffinityTerm> terms) {
            for (PodAffinityTerm term : terms) {
                if (!term.matches(pod, existing)) {
                    return Match.NONE;
                }
            }
            for (PodAffinityTerm term : terms) {
                String key = term.topologyKey();
                if (key.isEmpty()) {
                    return Match.EMPTY_TOPOLOGY_KEY;
                }
                String value = other.node().labels().get(key);
                if (value == null || !node.node().labels().has(key, value)) {
                    return Match.SELECTORS_ONLY;
                }
            }
            return Match.SELECTORS_AND_TOPOLOGY;
        }

        private boolean matchesItself() {
            for (PodAffinityTerm term : affinity) {
                if (!term.matches(pod, pod)) {
                    return false;
                }
            }
            return affinityError == null;
        }

        private Verdict affinityFailure(NodeInfo node, String why) {
            return Verdict.error("Cannot schedule pod " + podId() + " onto node " + node.name()
                    + ", because of PodAffinity: " + why);
        }

        /** True if a trial has removed the pod from this node. */
        private static boolean isDeletedFrom(NodeInfo node, PodInfo existing) {
            if (!existing.nodeName().equals(node.name())) {
                return false;
            }
            for (int i = 0; i < node.podCount(); i++) {
                PodInfo present = node.pod(i);
                if (present.name().equals(existing.name())
                        && present.namespace().equals(existing.namespace())) {
                    return false;
                }
            }
            return true;
        }

        private String podId() {
            return pod.namespace() + "/" + pod.name();
        }

        private static @Nullable String error(Affinity.@Nullable PodTerms terms) {
            return terms == null ? null : terms.requiredError();
        }
    }
}
