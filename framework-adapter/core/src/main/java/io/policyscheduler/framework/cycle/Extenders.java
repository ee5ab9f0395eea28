package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption.CandidateReview;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extender.FilterResponse;
import io.policyscheduler.framework.cycle.Extender.HostScore;
import io.policyscheduler.framework.cycle.Extender.MetaVictims;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All extenders in call order. Mirrors the extender parts of {@code pkg/scheduler/core/generic_scheduler.go}. Nodes and pods in a
 * response must exist: v1.17 binds a pod to an unknown node and panics over one in a preempt response; here both are errors of the
 * call.
 */
public final class Extenders {
    /** No extenders. */
    public static final Extenders NONE = new Extenders(List.of(), Runnable::run);

    /** The plugin name under which rejections by extenders are recorded. */
    public static final String REJECTOR = "Extender";

    private static final Logger log = LoggerFactory.getLogger(Extenders.class);
    /** Factor from the range of extenders, 0 to 10, to the range of plugins, 0 to 100. */
    private static final long SCALE = 10;
    /** The maximum number of logged failure causes, because causes may contain varying numbers. */
    private static final int MAX_WARNED = 100;

    private final List<Extender> extenders;
    private final Executor executor;
    private final Consumer<String> notScored;
    private final Set<String> warned = new HashSet<>();

    /**
     * Extenders in this order.
     *
     * @param executor runs prioritize calls of several extenders in parallel
     */
    public Extenders(List<Extender> extenders, Executor executor) {
        this(extenders, executor, extender -> {});
    }

    /**
     * The same with a callback for failed prioritize calls.
     *
     * @param notScored receives the extender's name on the scheduling thread
     */
    public Extenders(List<Extender> extenders, Executor executor, Consumer<String> notScored) {
        this.extenders = List.copyOf(extenders);
        this.executor = executor;
        this.notScored = notScored;
    }

    /** True when there is none. */
    public boolean isEmpty() {
        return extenders.isEmpty();
    }

    /**
     * Calls one extender after the other, each with the remaining nodes.
     *
     * @param rules of the release
     */
    public FilterOutcome filter(PodInfo pod, List<NodeInfo> nodes, ClusterView cluster, FilterRules rules) {
        Set<String> unresolvable = new TreeSet<>();
        List<NodeInfo> feasible = nodes;
        SortedMap<String, List<String>> reasons = new TreeMap<>();
        for (Extender extender : extenders) {
            if (!extender.supportsFilter() || !extender.isInterested(pod)) {
                continue;
            }
            try {
                List<String> sent = names(feasible);
                FilterResponse response = extender.filter(pod, sent);
                feasible = resolve(
                        extender,
                        response.nodes(),
                        cluster,
                        feasible,
                        rules.emptiesNodes() && extender.sendsWholeNodes());
                Map<String, String> ruledOut = rules.ruleOut() ? response.unresolvable() : Map.of();
                ruledOut.forEach((node, reason) -> note(reasons, node, reason));
                unresolvable.addAll(ruledOut.keySet());
                if (rules.ruleOut()) {
                    unresolvable.addAll(leftOut(sent, response));
                }
                response.failed().forEach((node, reason) -> {
                    if (!ruledOut.containsKey(node)) {
                        note(reasons, node, reason);
                    }
                });
            } catch (ExtenderException e) {
                if (!extender.isIgnorable()) {
                    return new FilterOutcome(List.of(), new TreeMap<>(), Set.of(), e.text());
                }
                skipped(extender, e);
            }
            if (feasible.isEmpty()) {
                break;
            }
        }
        return new FilterOutcome(feasible, reasons, unresolvable, null);
    }

    /** Nodes that the response omits. */
    private static Set<String> leftOut(List<String> sent, FilterResponse response) {
        Set<String> nodes = new TreeSet<>(sent);
        response.nodes().forEach(nodes::remove);
        nodes.removeAll(response.failed().keySet());
        return nodes;
    }

    private static void note(Map<String, List<String>> reasons, String node, String reason) {
        reasons.computeIfAbsent(node, key -> new ArrayList<>()).add(reason);
    }

    /**
     * The nodes of these names.
     *
     * @param sent the nodes of the request; may be idle after the call of another extender
     * @param idle whether the nodes lose their pods
     */
    private static List<NodeInfo> resolve(
            Extender extender, List<String> names, ClusterView cluster, List<NodeInfo> sent, boolean idle)
            throws ExtenderException {
        Map<String, NodeInfo> known = new HashMap<>();
        sent.forEach(node -> known.put(node.name(), node));
        List<NodeInfo> nodes = new ArrayList<>(names.size());
        for (String name : names) {
            NodeInfo node = known.getOrDefault(name, cluster.node(name));
            if (node == null) {
                throw ExtenderException.broken("extender \"" + extender.name() + "\" claims a filtered node \"" + name
                        + "\" which is not found in nodeNameToInfo map");
            }
            nodes.add(idle ? node.idle() : node);
        }
        return nodes;
    }

    private static void skipped(Extender extender, ExtenderException e) {
        log.warn("Skipping extender {} as it returned error {} and has ignorable flag set", extender.name(), e.text());
    }

    /** Calls all extenders in parallel. A failed one returns no scores; each distinct cause is logged once per extender. */
    public List<ExtenderScores> prioritize(PodInfo pod, List<NodeInfo> nodes) {
        List<Extender> interested = extenders.stream()
                .filter(extender -> extender.supportsPrioritize() && extender.isInterested(pod))
                .toList();
        if (interested.isEmpty()) {
            return List.of();
        }
        List<String> names = names(nodes);
        List<CompletableFuture<Scored>> responses = new ArrayList<>();
        for (Extender extender : interested) {
            Executor runner = interested.size() == 1 ? Runnable::run : executor;
            responses.add(CompletableFuture.supplyAsync(() -> scores(extender, pod, names), runner));
        }
        List<ExtenderScores> all = new ArrayList<>();
        for (int i = 0; i < interested.size(); i++) {
            Extender extender = interested.get(i);
            Scored scored = prioritize(responses.get(i));
            if (!scored.error().isEmpty()) {
                missed(extender, pod, scored.error());
            }
            all.add(new ExtenderScores(extender.name(), extender.weight() * SCALE, scored.scores()));
        }
        return all;
    }

    private static Scored prioritize(CompletableFuture<Scored> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            // An Error is a bug or resource problem of this process, not a failure of the extender or the pod.
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private record Scored(List<HostScore> scores, String error) {}

    private static Scored scores(Extender extender, PodInfo pod, List<String> nodes) {
        try {
            return new Scored(extender.prioritize(pod, nodes), "");
        } catch (ExtenderException e) {
            return new Scored(List.of(), e.text());
        }
    }

    private void missed(Extender extender, PodInfo pod, String cause) {
        notScored.accept(extender.name());
        boolean isNew;
        synchronized (warned) {
            isNew = warned.size() < MAX_WARNED && warned.add(extender.name() + " " + cause);
        }
        if (isNew) {
            log.atWarn()
                    .addKeyValue("extender", extender.name())
                    .addKeyValue("pod", pod.key())
                    .log("W111 the scores of the extender do not count: {} (first for this pod)", cause);
        } else {
            log.debug("extender {} does not score {}: {}", extender.name(), pod.key(), cause);
        }
    }

    /**
     * Calls the extenders one after the other to narrow the preemption candidates. In 1.17, violations of disruption budgets are
     * lost for a candidate that an extender has confirmed, and a failed call ends preemption without a message.
     *
     * @param rules of 1.17 or of current releases
     */
    public CandidateReview.Reviewed preempt(
            PodInfo pod, SortedMap<String, Victims> candidates, ClusterView cluster, PreemptRules rules) {
        SortedMap<String, Victims> current = candidates;
        for (Extender extender : inOrder(rules)) {
            if (!extender.supportsPreemption() || !extender.isInterested(pod)) {
                continue;
            }
            try {
                SortedMap<String, Victims> left =
                        rules.victims(extender, extender.preempt(pod, current, rules), cluster);
                String freed = rules.isCurrent() ? nodeWithoutVictims(left) : null;
                if (freed != null && !extender.isIgnorable()) {
                    return CandidateReview.Reviewed.failed(
                            "expected at least one victim pod on node \"" + freed + "\"");
                }
                if (freed != null) {
                    left.values().removeIf(victims -> victims.pods().isEmpty());
                }
                current = left;
            } catch (ExtenderException e) {
                if (!extender.isIgnorable()) {
                    log.atWarn()
                            .addKeyValue("pod", pod.key())
                            .log("the extender does not say which victims would do: {}", e.text());
                    return rules.isCurrent()
                            ? CandidateReview.Reviewed.failed(e.text())
                            : CandidateReview.Reviewed.NOTHING;
                }
                skipped(extender, e);
            }
            if (current.isEmpty()) {
                break;
            }
        }
        return new CandidateReview.Reviewed(current, null);
    }

    /** The call order. Current releases call first those whose failure ends preemption. */
    private List<Extender> inOrder(PreemptRules rules) {
        if (!rules.isCurrent()) {
            return extenders;
        }
        List<Extender> ordered = new ArrayList<>(extenders);
        ordered.sort(Comparator.comparing(Extender::isIgnorable));
        return ordered;
    }

    private static @Nullable String nodeWithoutVictims(SortedMap<String, Victims> candidates) {
        for (Map.Entry<String, Victims> entry : candidates.entrySet()) {
            if (entry.getValue().pods().isEmpty()) {
                return entry.getKey();
            }
        }
        return null;
    }

    /** The extenders that bind this pod, in order; empty if the API server binds it. */
    public List<Extender> binders(PodInfo pod) {
        List<Extender> binders = new ArrayList<>();
        for (Extender extender : extenders) {
            if (extender.isBinder() && extender.isInterested(pod)) {
                binders.add(extender);
            }
        }
        return binders;
    }

    private static List<String> names(List<NodeInfo> nodes) {
        return nodes.stream().map(NodeInfo::name).toList();
    }

    /**
     * The result of one prioritize call.
     *
     * @param extender its name
     * @param weight factor to the scale of the in-process scores: ten times the extender's own
     * @param scores as in the response
     */
    public record ExtenderScores(String extender, long weight, List<HostScore> scores) {
        public ExtenderScores {
            scores = List.copyOf(scores);
        }
    }

    /**
     * The result of all filter calls.
     *
     * @param feasible the remaining nodes
     * @param reasons reasons by rejected node; may contain unknown nodes
     * @param unresolvable those of them where preemption would not help
     * @param error the text that ends the attempt, or null
     */
    public record FilterOutcome(
            List<NodeInfo> feasible,
            SortedMap<String, List<String>> reasons,
            Set<String> unresolvable,
            @Nullable String error) {}

    /**
     * Differences between releases in filter calls.
     *
     * @param ruleOut whether an extender can report nodes where preemption would not help
     * @param emptiesNodes whether a node that was sent as a whole object loses its pods and images for scoring. Mirrors
     *     {@code Filter} of {@code pkg/scheduler/extender.go} since 1.33
     */
    public record FilterRules(boolean ruleOut, boolean emptiesNodes) {}

    /** Differences between releases in preempt calls. */
    public enum PreemptRules {
        /** 1.17. */
        V1_17,
        /** Current releases. */
        CURRENT;

        boolean isCurrent() {
            return this == CURRENT;
        }

        /** False if a request with UIDs only omits the number of violated disruption budgets. */
        public boolean countsInShortForm() {
            return isCurrent();
        }

        /** The pods of a response; unknown nodes and pods are an error of the call. */
        SortedMap<String, Victims> victims(Extender extender, Map<String, MetaVictims> response, ClusterView cluster)
                throws ExtenderException {
            SortedMap<String, Victims> victims = new TreeMap<>();
            for (Map.Entry<String, MetaVictims> entry : response.entrySet()) {
                NodeInfo node = cluster.node(entry.getKey());
                if (node == null) {
                    throw ExtenderException.broken(
                            isCurrent()
                                    ? "nodeinfo not found for node name \"" + entry.getKey() + "\""
                                    : "extender: " + extender.name() + " claims to preempt on node: " + entry.getKey()
                                            + ", but the node is not found");
                }
                List<PodInfo> pods = new ArrayList<>();
                for (String uid : entry.getValue().uids()) {
                    pods.add(podOn(node, uid, extender));
                }
                victims.put(
                        node.name(),
                        new Victims(pods, isCurrent() ? entry.getValue().budgetViolations() : 0));
            }
            return victims;
        }

        private static PodInfo podOn(NodeInfo node, String uid, Extender extender) throws ExtenderException {
            for (PodInfo pod : node.pods()) {
                if (pod.uid().equals(uid)) {
                    return pod;
                }
            }
            throw ExtenderException.broken("extender: " + extender.name() + " claims to preempt pod (UID: &{" + uid
                    + "}) on node: " + node.name() + ", but the pod is not found on that node");
        }
    }
}
