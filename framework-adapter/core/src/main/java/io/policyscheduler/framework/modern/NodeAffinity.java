package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeConstraints.NodeTermSet;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Node selectors and node affinity of pods. Mirrors {@code pkg/scheduler/framework/plugins/nodeaffinity}. */
final class NodeAffinity
        implements PreFilterPlugin,
                CacheableFilter,
                PreScorePlugin,
                InTreeScore,
                CacheableScore,
                EnqueueExtensions,
                SignPlugin {
    static final String NAME = "NodeAffinity";

    private static final String NAME_FIELD = "metadata.name";
    private static final Status ENFORCED = Status.unresolvable("node(s) didn't match scheduler-enforced node affinity");
    private static final Status SELECTOR = Status.unresolvable("node(s) didn't match node selector");
    private static final Status AFFINITY = Status.unresolvable("node(s) didn't match Pod's node affinity");
    private static final Status BOTH = Status.unresolvable("node(s) didn't match Pod's node affinity/selector");
    private static final Status CONFLICT = Status.unresolvable("pod affinity terms conflict");

    private record Demands(Labels selector, @Nullable List<NodeSelectorTerm> required) {}

    private final Status mismatch;
    private final boolean onlyNamed;
    private final boolean rejectsAnyConflict;
    private final boolean prefersByFields;
    private final AddedAffinity added;
    private final NodeTermSet addedPreferred;
    private final StateKey<NodeConstraints> filterKey;
    private final StateKey<NodeTermSet> scoreKey;

    NodeAffinity(PluginHandle handle) {
        this.mismatch = SchedulerChange.AFFINITY_AND_SELECTOR_TEXT.in(handle.release())
                ? BOTH
                : SchedulerChange.NODE_AFFINITY_TEXT.in(handle.release()) ? AFFINITY : SELECTOR;
        this.onlyNamed = SchedulerChange.NAMED_NODES_ONLY.in(handle.release());
        this.rejectsAnyConflict = !SchedulerChange.CONFLICTS_OF_ALL_TERMS.in(handle.release());
        this.prefersByFields = SchedulerChange.PREFERRED_MATCH_FIELDS.in(handle.release());
        this.added = AddedAffinity.of(handle.args());
        this.addedPreferred = NodeTermSet.ofPreferred(effective(added.preferred()), true);
        this.filterKey = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
        this.scoreKey = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(EventHint.of(this::mayHelp, NODE, ADD, UPDATE_NODE_LABEL));
    }

    private boolean mayHelp(PodInfo pod, ObjectEvent event) {
        Node node = event.node();
        List<NodeSelectorTerm> required = added.required();
        if (required != null && !NodeSelectorTerm.anyMatches(required, node.labels(), node.name())) {
            return false;
        }
        NodeConstraints own = NodeConstraints.ofCurrent(pod);
        if (!own.accept(node)) {
            return hasError(pod);
        }
        return event.old() == null || !own.accept(event.nodeBefore());
    }

    private static boolean hasError(PodInfo pod) {
        List<NodeSelectorTerm> terms = pod.affinity().requiredNode();
        return terms != null && terms.stream().anyMatch(term -> term.expressionError() != null);
    }

    @Override
    public Map<String, Object> sign(PodInfo pod) {
        return Map.of(
                "node selector",
                pod.spec().nodeSelector(),
                "required node affinity",
                Optional.ofNullable(pod.affinity().requiredNode()),
                "preferred node affinity",
                pod.affinity().preferredNode());
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        PodInfo pod = context.pod();
        List<NodeSelectorTerm> required = pod.affinity().requiredNode();
        if (required == null
                && added.required() == null
                && pod.spec().nodeSelector().isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(filterKey, NodeConstraints.ofCurrent(pod));
        Set<String> names = required == null || !onlyNamed ? null : namedNodes(required);
        if (names == null) {
            return PreFilterResult.ALL_NODES;
        }
        return names.isEmpty() ? PreFilterResult.of(CONFLICT) : PreFilterResult.only(names);
    }

    /** The only nodes that terms with a {@code metadata.name} field can match; null if a term has none. */
    private @Nullable Set<String> namedNodes(List<NodeSelectorTerm> terms) {
        if (terms.isEmpty()) {
            return null;
        }
        Set<String> all = new LinkedHashSet<>();
        for (NodeSelectorTerm term : terms) {
            @Nullable Set<String> ofTerm = null;
            for (LabelRequirement field : term.fields()) {
                if (field.key().equals(NAME_FIELD) && field.operator().equals("In")) {
                    if (ofTerm == null) {
                        ofTerm = new LinkedHashSet<>(field.values());
                    } else {
                        ofTerm.retainAll(field.values());
                    }
                }
            }
            if (ofTerm == null) {
                return null;
            }
            if (ofTerm.isEmpty() && rejectsAnyConflict) {
                return ofTerm;
            }
            all.addAll(ofTerm);
        }
        return all;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(
                new Demands(pod.spec().nodeSelector(), pod.affinity().requiredNode()));
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo info) {
        Node node = info.node();
        List<NodeSelectorTerm> enforced = added.required();
        if (enforced != null && !NodeSelectorTerm.anyMatches(enforced, node.labels(), node.name())) {
            return ENFORCED;
        }
        NodeConstraints constraints = state.find(filterKey);
        if (constraints == null) {
            constraints = NodeConstraints.ofCurrent(pod);
        }
        return constraints.accept(node) ? Status.SUCCESS : mismatch;
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        List<Affinity.PreferredNodeTerm> own = context.pod().affinity().preferredNode();
        if (own.isEmpty() && added.preferred().isEmpty()) {
            return Status.SKIP;
        }
        List<Affinity.PreferredNodeTerm> terms = effective(own);
        for (Affinity.PreferredNodeTerm term : terms) {
            String error = term.term().expressionError();
            if (error != null) {
                return Status.error(error);
            }
        }
        state.write(scoreKey, NodeTermSet.ofPreferred(terms, true));
        return Status.SUCCESS;
    }

    /** The terms with an effect. */
    private List<Affinity.PreferredNodeTerm> effective(List<Affinity.PreferredNodeTerm> terms) {
        return terms.stream()
                .map(term -> prefersByFields
                        ? term
                        : new Affinity.PreferredNodeTerm(
                                term.weight(), new NodeSelectorTerm(term.term().expressions(), List.of())))
                .filter(term -> term.weight() != 0
                        && !(term.term().expressions().isEmpty()
                                && term.term().fields().isEmpty()))
                .toList();
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(pod.affinity().preferredNode(), Reduction.BY_HIGHEST, null);
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo info) {
        NodeTermSet own = state.find(scoreKey);
        if (own == null) {
            own = NodeTermSet.ofPreferred(effective(pod.affinity().preferredNode()), true);
        }
        Node node = info.node();
        return addedPreferred.weight(node.labels(), node.name()) + own.weight(node.labels(), node.name());
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        Reduction.BY_HIGHEST.apply(scores);
        return Status.SUCCESS;
    }

    /**
     * Node affinity that a profile adds to every pod's own: {@code addedAffinity} of NodeAffinityArgs.
     *
     * @param required null for no constraint
     * @param preferred empty for none
     */
    record AddedAffinity(@Nullable List<NodeSelectorTerm> required, List<Affinity.PreferredNodeTerm> preferred) {
        private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
        private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

        AddedAffinity {
            required = required == null ? null : List.copyOf(required);
            preferred = List.copyOf(preferred);
        }

        /** Reads validated arguments of a profile. */
        static AddedAffinity of(JsonNode args) {
            JsonNode added = args.path("addedAffinity");
            @Nullable List<NodeSelectorTerm> required = null;
            if (added.path(REQUIRED).isObject()) {
                required = new ArrayList<>();
                for (JsonNode term : added.path(REQUIRED).path("nodeSelectorTerms")) {
                    required.add(term(term));
                }
            }
            List<Affinity.PreferredNodeTerm> preferred = new ArrayList<>();
            for (JsonNode term : added.path(PREFERRED)) {
                preferred.add(
                        new Affinity.PreferredNodeTerm(term.path("weight").asInt(), term(term.path("preference"))));
            }
            return new AddedAffinity(required, preferred);
        }

        private static NodeSelectorTerm term(JsonNode term) {
            return new NodeSelectorTerm(
                    requirements(term.path("matchExpressions")), requirements(term.path("matchFields")));
        }

        private static List<LabelRequirement> requirements(JsonNode list) {
            List<LabelRequirement> requirements = new ArrayList<>();
            for (JsonNode item : list) {
                List<String> values = new ArrayList<>();
                item.path("values").forEach(value -> values.add(value.asText()));
                requirements.add(LabelRequirement.ofNodeSelector(
                        item.path("key").asText(), item.path("operator").asText(), values));
            }
            return requirements;
        }
    }
}
