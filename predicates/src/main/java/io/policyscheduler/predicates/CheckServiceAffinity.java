package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pods of a service on nodes with equal values of some labels: a value comes from the pod's nodeSelector or else from the
 * node of a running pod. Mirrors {@code ServiceAffinity} of {@code predicates.go}.
 */
public final class CheckServiceAffinity implements Predicate {
    private static final Verdict VIOLATED = Verdict.unfit(FailureReasons.SERVICE_AFFINITY);

    private final List<String> affinityLabels;

    /** Keeps pods together by {@link AlgorithmConfig#affinityLabels()}. */
    public CheckServiceAffinity(AlgorithmConfig config) {
        this.affinityLabels = config.affinityLabels();
    }

    @Override
    public String name() {
        return "CheckServiceAffinity";
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public boolean needsMetadata() {
        return true;
    }

    @Override
    public PodFilter start(PodContext context) {
        PodInfo pod = context.pod();
        Map<String, String> given = new LinkedHashMap<>();
        for (String label : affinityLabels) {
            String value = pod.spec().nodeSelector().get(label);
            if (value != null) {
                given.put(label, value);
            }
        }
        Labels pins = Labels.copyOf(given);
        // A label that is configured twice is pinned once, and then peers are evaluated without effect, as in v1.17.
        boolean complete = affinityLabels.size() <= pins.size();
        if (complete || PodOwners.services(context.cluster(), pod).isEmpty()) {
            return fixed(pins);
        }
        MemoizedSelector ownLabels = new MemoizedSelector(LabelSelector.ofValidatedMap(pod.labels()));
        return new PeerFilter(
                context.cluster(),
                pod.namespace(),
                ownLabels,
                affinityLabels,
                pins,
                peers(context.cluster(), pod.namespace(), ownLabels),
                context.metadataAvailable());
    }

    private static PodFilter fixed(Labels pins) {
        LabelSelector selector = LabelSelector.ofValidatedMap(pins);
        return selector.isEmpty()
                ? PodFilter.FITS_ALL
                : node -> selector.matches(node.node().labels()) ? Verdict.FITS : VIOLATED;
    }

    /** Pods of the namespace that have all labels of the incoming pod. */
    private static List<PodInfo> peers(ClusterView cluster, String namespace, MemoizedSelector ownLabels) {
        List<PodInfo> peers = new ArrayList<>();
        for (NodeInfo node : cluster.nodes()) {
            for (int i = 0; i < node.podCount(); i++) {
                PodInfo existing = node.pod(i);
                if (existing.namespace().equals(namespace) && ownLabels.matches(existing.labels())) {
                    peers.add(existing);
                }
            }
        }
        return peers;
    }

    /** Takes the missing values from the node of the first peer. */
    private static final class PeerFilter implements PodFilter {
        private final ClusterView cluster;
        private final String namespace;
        private final MemoizedSelector ownLabels;
        private final List<String> affinityLabels;
        private final Labels pins;
        private final List<PodInfo> peers;
        /** False without shared metadata: v1.17 then lists the peers for each node and ignores AddPod and RemovePod. */
        private final boolean followsChanges;
        /** The node that determined the last selector; nearly always the same for all nodes. */
        private @Nullable Source last;

        private record Source(NodeInfo node, LabelSelector selector) {}

        PeerFilter(
                ClusterView cluster,
                String namespace,
                MemoizedSelector ownLabels,
                List<String> affinityLabels,
                Labels pins,
                List<PodInfo> peers,
                boolean followsChanges) {
            this.cluster = cluster;
            this.namespace = namespace;
            this.ownLabels = ownLabels;
            this.affinityLabels = affinityLabels;
            this.pins = pins;
            this.peers = peers;
            this.followsChanges = followsChanges;
        }

        @Override
        public Verdict check(NodeInfo node) {
            PodInfo peer = firstCandidate(node);
            LabelSelector selector;
            if (peer == null) {
                selector = LabelSelector.ofValidatedMap(pins);
            } else {
                NodeInfo source = cluster.node(peer.nodeName());
                if (source == null) {
                    return Verdict.error("nodeinfo not found for node name \"" + peer.nodeName() + "\"");
                }
                selector = selectorFrom(source);
            }
            return selector.matches(node.node().labels()) ? Verdict.FITS : VIOLATED;
        }

        private @Nullable PodInfo firstCandidate(NodeInfo node) {
            for (int i = 0; i < peers.size(); i++) {
                PodInfo peer = peers.get(i);
                if (!peer.nodeName().equals(node.name()) || isOn(node, peer)) {
                    return peer;
                }
            }
            return null;
        }

        private static boolean isOn(NodeInfo node, PodInfo pod) {
            for (int i = 0; i < node.podCount(); i++) {
                if (node.pod(i).isSame(pod)) {
                    return true;
                }
            }
            return false;
        }

        private LabelSelector selectorFrom(NodeInfo source) {
            Source known = last;
            if (known == null || known.node() != source) {
                Map<String, String> all = pins.toMap();
                for (String label : affinityLabels) {
                    String value = source.node().labels().get(label);
                    if (value != null) {
                        all.putIfAbsent(label, value);
                    }
                }
                known = new Source(source, LabelSelector.ofValidatedMap(Labels.copyOf(all)));
                last = known;
            }
            return known.selector();
        }

        @Override
        public PodFilter copy() {
            return new PeerFilter(
                    cluster, namespace, ownLabels, affinityLabels, pins, new ArrayList<>(peers), followsChanges);
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            if (followsChanges && added.namespace().equals(namespace) && ownLabels.matches(added.labels())) {
                peers.add(added);
            }
            return null;
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            for (int i = 0; followsChanges && i < peers.size(); i++) {
                PodInfo peer = peers.get(i);
                if (peer.name().equals(removed.name()) && peer.namespace().equals(removed.namespace())) {
                    peers.remove(i);
                    break;
                }
            }
            return null;
        }
    }
}
