package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins.PolicyHandle;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The predicates and priorities of 1.17 that run as plugins of later releases under their old names: release-specific variants of
 * algorithms that changed after 1.17, and predicates that were added later. With them, a policy applies all fields of a pod that
 * the cluster honors.
 */
public final class PluginAlgorithms {
    /** The first release with topology spreading, pod overhead, and CSI volume limits. */
    private static final Release FIRST = new Release(18);
    /** From this release on, in-tree volumes of cloud providers count as volumes of their CSI drivers. */
    private static final Release CSI_ONLY = new Release(25);

    private static final Map<String, PluginFactory> PLUGINS = ModernPlugins.factories();

    private PluginAlgorithms() {}

    /** Adds them to a registry that has the algorithms of 1.17. */
    public static void register(AlgorithmRegistry.Builder registry) {
        registry.predicateVariant(
                "PodFitsResources",
                FIRST,
                (first, config) -> new FilterPredicate(
                        "PodFitsResources",
                        Scope.NODE,
                        new PluginSource(plugin("NodeResourcesFit"), ignoredResources(config), ofResources(config))));
        variant(registry, KnownAlgorithms.POD_FITS_HOST_PORTS, Scope.NODE, noArguments());
        variant(registry, KnownAlgorithms.POD_FITS_PORTS, Scope.NODE, noArguments());
        variant(registry, KnownAlgorithms.MATCH_NODE_SELECTOR, Scope.NODE, noArguments());
        variant(registry, "NoDiskConflict", Scope.CLUSTER, noArguments());
        variant(registry, "CheckVolumeBinding", Scope.CLUSTER, noArguments());
        variant(registry, "NoVolumeZoneConflict", Scope.CLUSTER, noArguments());
        variant(registry, KnownAlgorithms.EVEN_PODS_SPREAD, Scope.CLUSTER, ownConstraints());
        limits(registry, "MaxCSIVolumeCountPred", ModernPlugins.volumeLimits());
        limits(registry, "MaxEBSVolumeCount", ModernPlugins.volumeLimits("ebs.csi.aws.com"));
        limits(registry, "MaxGCEPDVolumeCount", ModernPlugins.volumeLimits("pd.csi.storage.gke.io"));
        limits(registry, "MaxAzureDiskVolumeCount", ModernPlugins.volumeLimits("disk.csi.azure.com"));
        limits(registry, "MaxCinderVolumeCount", ModernPlugins.volumeLimits("cinder.csi.openstack.org"));
        added(registry, KnownAlgorithms.DYNAMIC_RESOURCES, Scope.CLUSTER);
        added(registry, KnownAlgorithms.NODE_DECLARED_FEATURES, Scope.NODE);
        registry.predicate(KnownAlgorithms.NO_RESOURCE_CLAIMS, config -> new NoResourceClaims());
        registry.priorityVariant(
                        KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, FIRST, (first, config) -> spread(first.name()))
                .priorityVariant("SelectorSpreadPriority", FIRST, PluginAlgorithms::alsoByConstraints)
                .priorityVariant(
                        KnownAlgorithms.SERVICE_SPREADING_PRIORITY, FIRST, PluginAlgorithms::alsoByConstraints);
    }

    /**
     * The release whose NodeResourcesFit runs. The one of 1.36 leaves extended resources of device classes to DynamicResources, so
     * a policy without this predicate uses an earlier one.
     */
    private static Release ofResources(AlgorithmConfig config) {
        Release release = config.gates().release();
        return SchedulerChange.DEVICE_FEATURES.in(release)
                        && config.companions().contains(KnownAlgorithms.DYNAMIC_RESOURCES)
                ? release
                : Release.V1_34;
    }

    /** Registers the plugin with the purpose of a predicate of 1.17 for later releases. */
    private static void variant(AlgorithmRegistry.Builder registry, String name, Scope scope, JsonNode args) {
        KnownAlgorithm row = Objects.requireNonNull(KnownAlgorithms.predicateRow(name), name);
        PluginSource source = new PluginSource(plugin(row.concept()), args);
        registry.predicateVariant(name, FIRST, (first, config) -> new FilterPredicate(name, scope, source));
    }

    /** Registers a plugin that 1.17 does not have under its own name. */
    private static void added(AlgorithmRegistry.Builder registry, String name, Scope scope) {
        registry.predicate(name, config -> {
            Release release = config.gates().release();
            return new FilterPredicate(name, scope, new PluginSource(plugin(name), noArguments(), release));
        });
    }

    private static void limits(AlgorithmRegistry.Builder registry, String name, PluginFactory factory) {
        registry.predicateVariant(
                name,
                CSI_ONLY,
                (first, config) -> new FilterPredicate(name, Scope.CLUSTER, new PluginSource(factory, noArguments())));
    }

    private static PluginFactory plugin(String name) {
        PluginFactory factory = PLUGINS.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no plugin named " + name);
        }
        return factory;
    }

    /** Spreads by constraints first, unless the policy has a priority for them. */
    private static Priority alsoByConstraints(Priority first, AlgorithmConfig config) {
        return config.companions().contains(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY)
                ? first
                : new ConstraintsFirst(first, spread(first.name()));
    }

    private static Priority spread(String name) {
        return new ScorePriority(name, new PluginSource(plugin("PodTopologySpread"), ownConstraints()));
    }

    private static JsonNode noArguments() {
        return JsonNodeFactory.instance.missingNode();
    }

    /** The plugin arguments without system default constraints, which belong to another priority. */
    private static JsonNode ownConstraints() {
        ObjectNode args = JsonNodeFactory.instance.objectNode();
        args.put("defaultingType", "List");
        return args;
    }

    private static JsonNode ignoredResources(AlgorithmConfig config) {
        ObjectNode args = JsonNodeFactory.instance.objectNode();
        config.ignoredResources().stream().sorted().forEach(args.putArray("ignoredResources")::add);
        return args;
    }

    /**
     * A filter plugin of current releases under the name of the predicate that it replaces. Includes the rejections of the plugin's
     * PreFilter. Reasons that v1.17 has are reported with its texts.
     */
    static final class FilterPredicate implements Predicate {
        private final String name;
        private final Scope scope;
        private final PluginSource plugin;

        /** @param scope the inputs that results of the plugin depend on */
        FilterPredicate(String name, Scope scope, PluginSource plugin) {
            this.name = name;
            this.scope = scope;
            this.plugin = plugin;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Scope scope() {
            return scope;
        }

        @Override
        public PodFilter start(PodContext context) {
            StateKeys keys = new StateKeys();
            Plugin made = plugin.make(context.cluster(), keys);
            if (!(made instanceof FilterPlugin filter) || !(made instanceof PreFilterPlugin preFilter)) {
                throw new IllegalStateException(made.name() + " filters nothing");
            }
            CycleState state = keys.newState();
            PreFilterResult prepared = preFilter.preFilter(state, context);
            Status status = prepared.status();
            if (status.code() == Status.Code.SKIP) {
                return PodFilter.FITS_ALL;
            }
            if (!status.isSuccess()) {
                Verdict everywhere = V117Reasons.verdict(status);
                return node -> everywhere;
            }
            Filter whole = new Filter(context.pod(), filter, preFilter, state);
            Set<String> nodes = prepared.nodes();
            return nodes == null ? whole : new NamedNodes(nodes, whole);
        }

        private record Filter(PodInfo pod, FilterPlugin filter, PreFilterPlugin preFilter, CycleState state)
                implements PodFilter {
            @Override
            public Verdict check(NodeInfo node) {
                Status status;
                try {
                    status = filter.filter(state, pod, node);
                } catch (PluginException e) {
                    // Callers of predicates expect a verdict, not an exception.
                    return Verdict.error(String.valueOf(e.getMessage()));
                }
                return status.isSuccess() ? Verdict.FITS : V117Reasons.verdict(status);
            }

            @Override
            public boolean fitsUntilChanged() {
                return FilterReads.of(filter, state, pod).passesAll();
            }

            @Override
            public @Nullable Object basis() {
                return FilterReads.of(filter, state, pod).key();
            }

            @Override
            public @Nullable SlotPredicate bySlot(ClusterIndex index) {
                return FilterReads.of(filter, state, pod).bySlot().apply(index);
            }

            @Override
            public PodFilter copy() {
                return new Filter(pod, filter, preFilter, state.copy());
            }

            @Override
            public @Nullable String addPod(PodInfo added, NodeInfo node) {
                return preFilter.addPod(state, pod, added, node);
            }

            @Override
            public @Nullable String removePod(PodInfo removed, NodeInfo node) {
                return preFilter.removePod(state, pod, removed, node);
            }
        }

        /** Node affinity with {@code metadata.name} terms: all other nodes are excluded. */
        private record NamedNodes(Set<String> names, PodFilter filter) implements PodFilter {
            @Override
            public Verdict check(NodeInfo node) {
                return names.contains(node.name()) ? filter.check(node) : V117Reasons.NODE_SELECTOR;
            }

            @Override
            public PodFilter copy() {
                return new NamedNodes(names, filter.copy());
            }

            @Override
            public @Nullable String addPod(PodInfo added, NodeInfo node) {
                return filter.addPod(added, node);
            }

            @Override
            public @Nullable String removePod(PodInfo removed, NodeInfo node) {
                return filter.removePod(removed, node);
            }
        }
    }

    /** A score plugin of current releases under the name of the priority that it replaces. */
    static final class ScorePriority implements Priority {
        private static final PodScorer ZERO = node -> 0;

        private final String name;
        private final PluginSource plugin;

        ScorePriority(String name, PluginSource plugin) {
            this.name = name;
            this.plugin = plugin;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Scope scope() {
            return Scope.CLUSTER;
        }

        @Override
        public PodScorer start(PodContext context, List<NodeInfo> feasible) {
            StateKeys keys = new StateKeys();
            Plugin made = plugin.make(context.cluster(), keys);
            if (!(made instanceof ScorePlugin score) || !(made instanceof PreScorePlugin preScore)) {
                throw new IllegalStateException(made.name() + " scores nothing");
            }
            CycleState state = keys.newState();
            Status status = preScore.preScore(state, context, feasible);
            if (status.code() == Status.Code.SKIP) {
                return ZERO;
            }
            return new Scorer(context.pod(), score, state, status.isSuccess() ? null : status.message());
        }

        private record Scorer(
                PodInfo pod,
                ScorePlugin plugin,
                CycleState state,
                @Nullable String error) implements PodScorer {
            @Override
            public long score(NodeInfo node) {
                return plugin.score(state, pod, node);
            }

            @Override
            public boolean normalizes() {
                return true;
            }

            @Override
            public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
                return error == null && ScoreReads.of(plugin, state, pod).score(index, slots, count, scores);
            }

            @Override
            public void normalize(List<NodeInfo> nodes, long[] scores) {
                plugin.normalizeScores(state, pod, nodes, scores);
            }
        }
    }

    /**
     * A spreading priority that gives precedence to the constraints of pods: a pod with {@code ScheduleAnyway} constraints is
     * spread by these and not by its services and controllers. Mirrors SelectorSpread since 1.19, which leaves such pods to
     * PodTopologySpread.
     */
    static final class ConstraintsFirst implements Priority {
        private final Priority bySelectors;
        private final Priority byConstraints;

        ConstraintsFirst(Priority bySelectors, Priority byConstraints) {
            this.bySelectors = bySelectors;
            this.byConstraints = byConstraints;
        }

        @Override
        public String name() {
            return bySelectors.name();
        }

        @Override
        public Scope scope() {
            return Scope.CLUSTER;
        }

        @Override
        public PodScorer start(PodContext context, List<NodeInfo> feasible) {
            boolean own = context.pod().spec().spreadConstraints().stream().anyMatch(TopologySpreadConstraint::isSoft);
            return (own ? byConstraints : bySelectors).start(context, feasible);
        }
    }

    /**
     * A plugin outside of a profile, created for each attempt with the cluster of that attempt.
     *
     * @param release whose behavior it has
     */
    record PluginSource(PluginFactory factory, JsonNode args, Release release) {
        /** // A clock is required, but none of these plugins reads it. */
        private static final Clock CLOCK = Clock.systemUTC();

        PluginSource(PluginFactory factory, JsonNode args) {
            this(factory, args, Release.NEWEST);
        }

        Plugin make(ClusterView cluster, StateKeys keys) {
            return factory.create(new PolicyHandle(
                    args, keys, cluster, CLOCK, () -> ClaimWriter.inMemory(cluster.assumedClaims()), release));
        }
    }

    /**
     * Rejects pods with resource claims if the policy does not list the predicate that allocates them: they would start without
     * devices.
     */
    private static final class NoResourceClaims implements Predicate {
        private static final Verdict REJECTED = Verdict.unfit(FailureReason.unresolvable(
                "pod has resource claims (spec.resourceClaims), which this policy does not allocate"));

        @Override
        public String name() {
            return KnownAlgorithms.DYNAMIC_RESOURCES;
        }

        @Override
        public Scope scope() {
            return Scope.CLUSTER;
        }

        @Override
        public PodFilter start(PodContext context) {
            return context.pod().spec().resourceClaims().isEmpty() ? PodFilter.FITS_ALL : node -> REJECTED;
        }
    }

    /** Maps reasons of current releases to the texts of v1.17, if it has them. */
    static final class V117Reasons {
        /** The reason for unmatched node selectors and node affinity. */
        static final Verdict NODE_SELECTOR = Verdict.unfit(FailureReasons.NODE_SELECTOR);

        private static final Map<String, List<FailureReason>> OLDER =
                ImmutableMap.<String, List<FailureReason>>builder()
                        .put("Too many pods", List.of(FailureReasons.insufficient(ResourceNames.PODS)))
                        .put("node(s) didn't match Pod's node affinity/selector", List.of(FailureReasons.NODE_SELECTOR))
                        .put("pod affinity terms conflict", List.of(FailureReasons.NODE_SELECTOR))
                        .put(
                                "node(s) didn't match PersistentVolume's node affinity",
                                List.of(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT))
                        .put(
                                FailureReasons.POD_AFFINITY_RULES.text(),
                                List.of(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES))
                        .put(
                                FailureReasons.POD_ANTI_AFFINITY_RULES.text(),
                                List.of(FailureReasons.POD_AFFINITY, FailureReasons.POD_ANTI_AFFINITY_RULES))
                        .put(
                                FailureReasons.EXISTING_ANTI_AFFINITY_RULES.text(),
                                List.of(FailureReasons.POD_AFFINITY, FailureReasons.EXISTING_ANTI_AFFINITY_RULES))
                        .buildOrThrow();

        private V117Reasons() {}

        /** The verdict for a rejection or error of a plugin. */
        static Verdict verdict(Status status) {
            if (!status.isRejected()) {
                return Verdict.error(status.message());
            }
            boolean resolvable = status.code() != Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE;
            List<FailureReason> reasons = new ArrayList<>(status.reasons().size());
            for (String text : status.reasons()) {
                List<FailureReason> older = OLDER.get(text);
                if (older == null) {
                    reasons.add(new FailureReason(text, resolvable));
                } else if (older.size() > 1) {
                    reasons.addAll(older);
                } else {
                    reasons.add(new FailureReason(older.get(0).text(), resolvable));
                }
            }
            return Verdict.of(reasons);
        }
    }
}
