package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PreferredSpread;
import io.policyscheduler.engine.placement.RequiredSpread;
import io.policyscheduler.engine.placement.SpreadConstraints;
import io.policyscheduler.engine.placement.SpreadConstraints.Counting;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Spreads pods over the domains of the cluster. Mirrors {@code pkg/scheduler/framework/plugins/podtopologyspread}. */
final class PodTopologySpread
        implements PreFilterPlugin,
                FilterPlugin,
                PreScorePlugin,
                InTreeScore,
                CacheableScore,
                EnqueueExtensions,
                SignPlugin {
    static final String NAME = "PodTopologySpread";

    private static final Status NO_LABEL =
            Status.unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
    private static final Status SKEWED = Status.unschedulable("node(s) didn't match pod topology spread constraints");

    private final Status noLabel;
    private final boolean updatesHelp;
    private final ConstraintFinder constraints;
    private final ClusterView cluster;
    private final StateKey<RequiredSpread> filterKey;
    private final StateKey<PreferredSpread> scoreKey;

    PodTopologySpread(PluginHandle handle) {
        this.noLabel = SchedulerChange.MISSING_KEY_TEXT.in(handle.release()) ? NO_LABEL : SKEWED;
        this.updatesHelp = !SchedulerChange.LABEL_UPDATES_REQUEUE.in(handle.release());
        this.constraints = new ConstraintFinder(handle.args(), handle.release());
        this.cluster = handle.cluster();
        this.filterKey = handle.stateKeys().create("PreFilter" + NAME, RequiredSpread::copy);
        this.scoreKey = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        List<EventHint> hints = new Hints(pod -> constraints.hard(pod, cluster)).all();
        return updatesHelp ? InterPodAffinity.Hints.withUpdates(hints) : hints;
    }

    @Override
    public boolean signsPods() {
        return constraints.defaults.isEmpty();
    }

    @Override
    public @Nullable Map<String, Object> sign(PodInfo pod) {
        return pod.spec().spreadConstraints().isEmpty() ? Map.of() : null;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        SpreadConstraints hard = constraints.hard(context.pod(), context.cluster());
        if (hard.size() == 0) {
            return PreFilterResult.SKIP;
        }
        state.write(filterKey, new RequiredSpread(hard, context.cluster()));
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        state.read(filterKey).add(added, node);
        return null;
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        state.read(filterKey).remove(removed, node);
        return null;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return switch (state.read(filterKey).check(node)) {
            case PASSES -> Status.SUCCESS;
            case NO_LABEL -> noLabel;
            case SKEWED -> SKEWED;
        };
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        PodInfo pod = context.pod();
        SpreadConstraints soft = constraints.soft(pod, context.cluster());
        if (soft.size() == 0) {
            return Status.SKIP;
        }
        state.write(scoreKey, new PreferredSpread(soft, constraints.requireAllKeys(pod), feasible, context.cluster()));
        return Status.SUCCESS;
    }

    private PreferredSpread spread(CycleState state) {
        PreferredSpread known = state.find(scoreKey);
        if (known == null) {
            throw new PluginException("error reading \"" + scoreKey + "\" from cycleState: not found");
        }
        return known;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return spread(state).score(node);
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(
                null,
                Reduction.OTHER,
                (index, slots, count, scores) -> spread(state).scoreSlots(slots, count, scores));
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        spread(state).normalize(nodes, scores);
        return Status.SUCCESS;
    }

    /** The changes that may help pods that PodTopologySpread has rejected. Mirrors its {@code EventsToRegister}. */
    static final class Hints {
        private final Function<PodInfo, SpreadConstraints> hard;

        /** @param hard returns the {@code DoNotSchedule} constraints of a pod; throws if they are invalid */
        Hints(Function<PodInfo, SpreadConstraints> hard) {
            this.hard = hard;
        }

        List<EventHint> all() {
            return List.of(
                    EventHint.of(this::ofPod, POD, ADD, UPDATE_POD_LABEL, UPDATE_POD_TOLERATION, DELETE),
                    EventHint.of(this::ofNode, NODE, ADD, DELETE, UPDATE_NODE_LABEL, UPDATE_NODE_TAINT));
        }

        private boolean ofPod(PodInfo pod, ObjectEvent event) {
            PodInfo old = event.old() instanceof PodInfo before ? before : null;
            PodInfo now = event.now() instanceof PodInfo after ? after : null;
            if ((old != null && !isInvolved(pod, old)) || (now != null && !isInvolved(pod, now))) {
                return false;
            }
            SpreadConstraints constraints = hard.apply(pod);
            if (old == null || now == null) {
                PodInfo only = event.pod();
                return constraints.selectsAny(only.labels());
            }
            boolean toleratesOthers =
                    pod.uid().equals(now.uid()) && !old.tolerations().equals(now.tolerations());
            if (toleratesOthers && constraints.honorsTaints()) {
                return true;
            }
            return !old.labels().equals(now.labels()) && constraints.distinguishesAny(old.labels(), now.labels());
        }

        private static boolean isInvolved(PodInfo pod, PodInfo other) {
            return other.uid().equals(pod.uid())
                    || ((!other.nodeName().isEmpty()
                                    || !other.nominatedNodeName().isEmpty())
                            && other.namespace().equals(pod.namespace()));
        }

        private boolean ofNode(PodInfo pod, ObjectEvent event) {
            SpreadConstraints constraints = hard.apply(pod);
            boolean hasKeys = constraints.allKeysOn(event.node());
            if (event.old() == null || event.now() == null) {
                return hasKeys;
            }
            Node old = event.nodeBefore();
            Node now = event.node();
            if (constraints.allKeysOn(old) != hasKeys) {
                return true;
            }
            // Node selectors that select the counted nodes can refer to any label.
            return hasKeys
                    && (!old.taints().equals(now.taints()) || !old.labels().equals(now.labels()));
        }
    }

    /** Finds the topology spread constraints of a pod: its own, or the defaults of the profile. */
    private static final class ConstraintFinder {
        private static final String SOFT = "ScheduleAnyway";
        private static final List<TopologySpreadConstraint> SYSTEM_DEFAULTS = List.of(
                new TopologySpreadConstraint(3, "kubernetes.io/hostname", SOFT, null),
                new TopologySpreadConstraint(5, Node.ZONE, SOFT, null));

        private final boolean systemDefaults;
        private final Counting counting;
        private final boolean byOwner;
        private final List<TopologySpreadConstraint> defaults;

        /** Reads validated PodTopologySpreadArgs. */
        ConstraintFinder(JsonNode args, Release release) {
            this.byOwner = SchedulerChange.SPREADING_BY_OWNER.in(release);
            this.counting = Counting.of(release);
            this.systemDefaults = args.path("defaultingType").asText("System").equals("System");
            this.defaults = systemDefaults ? SYSTEM_DEFAULTS : read(args.path("defaultConstraints"));
        }

        private static List<TopologySpreadConstraint> read(JsonNode list) {
            List<TopologySpreadConstraint> constraints = new ArrayList<>();
            for (JsonNode item : list) {
                constraints.add(new TopologySpreadConstraint(
                        item.path("maxSkew").asInt(),
                        item.path("topologyKey").asText(),
                        item.path("whenUnsatisfiable").asText(),
                        null,
                        item.path("minDomains").isInt()
                                ? item.path("minDomains").asInt()
                                : null,
                        item.path("nodeAffinityPolicy").asText(""),
                        item.path("nodeTaintsPolicy").asText(""),
                        List.of()));
            }
            return List.copyOf(constraints);
        }

        /** Returns whether nodes that lack a key are ignored: true except for the system defaults. */
        boolean requireAllKeys(PodInfo pod) {
            return !pod.spec().spreadConstraints().isEmpty() || !systemDefaults;
        }

        /** Returns the {@code DoNotSchedule} constraints. */
        SpreadConstraints hard(PodInfo pod, ClusterView cluster) {
            return find(pod, cluster, true);
        }

        /** Returns the {@code ScheduleAnyway} constraints. */
        SpreadConstraints soft(PodInfo pod, ClusterView cluster) {
            return find(pod, cluster, false);
        }

        private SpreadConstraints find(PodInfo pod, ClusterView cluster, boolean hard) {
            boolean own = !pod.spec().spreadConstraints().isEmpty();
            List<TopologySpreadConstraint> candidates = own ? pod.spec().spreadConstraints() : defaults;
            List<TopologySpreadConstraint> found = new ArrayList<>();
            @Nullable LabelSelector ofOwners = null;
            for (TopologySpreadConstraint constraint : candidates) {
                if (hard ? !constraint.isHard() : !constraint.isSoft()) {
                    continue;
                }
                if (own) {
                    found.add(constraint.withSelector(selector(constraint, pod, hard)));
                    continue;
                }
                if (ofOwners == null) {
                    ofOwners = byOwner ? ownersSelector(pod, cluster) : PodOwners.spreadSelector(cluster, pod, false);
                }
                if (ofOwners.isEmpty()) {
                    return new SpreadConstraints(pod, List.of(), counting);
                }
                found.add(constraint.withSelector(ofOwners));
            }
            return new SpreadConstraints(pod, found, counting);
        }

        private static @Nullable LabelSelector selector(
                TopologySpreadConstraint constraint, PodInfo pod, boolean hard) {
            LabelSelector selector = constraint.selector();
            if (selector == null) {
                return null;
            }
            if (selector.error() != null) {
                throw new PluginException("obtaining pod's " + (hard ? "hard" : "soft")
                        + " topology spread constraints: " + selector.error());
            }
            List<LabelRequirement> requirements = new ArrayList<>();
            for (String key : constraint.matchLabelKeys()) {
                String value = pod.labels().get(key);
                if (value != null) {
                    requirements.add(exactly(key, value));
                }
            }
            if (requirements.isEmpty()) {
                return selector;
            }
            requirements.addAll(selector.requirements());
            return new LabelSelector(requirements);
        }

        private static LabelRequirement exactly(String key, String value) {
            return new LabelRequirement(key, "In", List.of(value), null);
        }

        /**
         * Returns the selector of the services and of the owner of {@code pod}; empty if there are none. Mirrors
         * {@code DefaultSelector} of {@code plugins/helper/spread.go}.
         */
        private static LabelSelector ownersSelector(PodInfo pod, ClusterView cluster) {
            Map<String, String> merged = new TreeMap<>();
            PodOwners.services(cluster, pod).forEach(service -> putAll(merged, service.selector()));
            OwnerReference owner = pod.controller();
            WorkloadInfo.Kind kind = owner == null ? null : kind(owner);
            WorkloadInfo workload =
                    owner == null || kind == null ? null : cluster.workload(kind, pod.namespace(), owner.name());
            if (workload != null) {
                putAll(merged, workload.mapSelector());
            }
            List<LabelRequirement> requirements = new ArrayList<>();
            merged.forEach((key, value) -> requirements.add(exactly(key, value)));
            LabelSelector more = workload == null ? null : workload.selector();
            if (more != null && more.error() == null) {
                requirements.addAll(more.requirements());
            }
            return new LabelSelector(requirements);
        }

        private static void putAll(Map<String, String> merged, @Nullable Labels labels) {
            if (labels != null) {
                labels.forEach(merged::put);
            }
        }

        /** Returns null for other kinds, groups, and versions. */
        private static WorkloadInfo.@Nullable Kind kind(OwnerReference owner) {
            return switch (owner.apiVersion() + " " + owner.kind()) {
                case "v1 ReplicationController" -> WorkloadInfo.Kind.REPLICATION_CONTROLLER;
                case "apps/v1 ReplicaSet" -> WorkloadInfo.Kind.REPLICA_SET;
                case "apps/v1 StatefulSet" -> WorkloadInfo.Kind.STATEFUL_SET;
                default -> null;
            };
        }
    }
}
