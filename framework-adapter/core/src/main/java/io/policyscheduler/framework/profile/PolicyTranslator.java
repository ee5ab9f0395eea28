package io.policyscheduler.framework.profile;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityArgument.RatioArguments;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The translation of a policy into plugins, as kube-scheduler 1.18 to 1.22 ran policies. The result is a
 * KubeSchedulerConfiguration of the release that lists all plugins by extension point; nothing after it depends on the policy.
 * Mirrors {@code createFromConfig} of {@code pkg/scheduler/factory.go} and {@code
 * pkg/scheduler/framework/plugins/legacy_registry.go}.
 */
public final class PolicyTranslator {
    /** The first release that translates policies. */
    public static final Release FIRST = new Release(18);

    /** The last release that supports policies. */
    public static final Release LAST = new Release(22);

    /** The prefix of kube-scheduler before the reason why it rejects a policy. */
    public static final String PREFIX = "couldn't create scheduler from policy: ";

    /** The scheduler name of the profile unless another one is given. */
    public static final String DEFAULT_SCHEDULER_NAME = "default-scheduler";

    private static final Release DEDUPLICATES = new Release(19);
    private static final Release REJECTS_BY_ERROR = new Release(21);
    private static final int MAX_HARD_WEIGHT = 100;

    private static final String SELECTOR_SPREAD = "SelectorSpreadPriority";
    private static final String EVEN_PODS_SPREAD = KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY;
    private static final String INTER_POD_AFFINITY = "InterPodAffinityPriority";

    /** The providers of 1.18 to 1.22 include what 1.17 has behind the gate EvenPodsSpread. */
    private static final FeatureGates GATES = FeatureGates.defaults().with(FeatureGates.EVEN_PODS_SPREAD, true);

    private final Policy policy;
    private final Release release;
    private final String schedulerName;
    private final boolean spreadsByConstraints;

    private final Set<String> predicates = new TreeSet<>();
    private final SortedMap<String, Long> priorities = new TreeMap<>();
    private final List<String> presentLabels = new ArrayList<>();
    private final List<String> absentLabels = new ArrayList<>();
    private final List<String> preferredLabels = new ArrayList<>();
    private final List<String> avoidedLabels = new ArrayList<>();
    private final List<String> affinityLabels = new ArrayList<>();
    private final List<String> antiAffinityLabels = new ArrayList<>();
    private @Nullable RatioArguments ratio;

    private final Map<ExtensionPoint, Map<String, Integer>> points = new HashMap<>();
    private final Map<String, ObjectNode> arguments = new LinkedHashMap<>();

    private PolicyTranslator(Policy policy, Release release, String schedulerName) {
        this.policy = policy;
        this.release = release;
        this.schedulerName = schedulerName;
        this.spreadsByConstraints = SchedulerChange.SPREADING_BY_CONSTRAINTS.in(release);
    }

    /** Whether kube-scheduler of a release translates policies to plugins: 1.18 to 1.22. */
    public static boolean isTranslatedBy(Release release) {
        return release.compareTo(FIRST) >= 0 && release.compareTo(LAST) <= 0;
    }

    /**
     * Translates a policy. Extenders are not translated; only the resources that they declare as ignored become plugin arguments.
     *
     * @param policy as read in strict mode
     * @param release 1.18 to 1.22
     * @param schedulerName of the profile
     * @throws PolicyException if kube-scheduler of the release rejects the policy, with its message
     */
    public static SchedulerConfiguration translate(Policy policy, Release release, String schedulerName)
            throws PolicyException {
        if (!isTranslatedBy(release)) {
            throw new IllegalArgumentException("release " + release + " translates no policies");
        }
        PolicyResolver.validate(policy);
        PolicyTranslator translator = new PolicyTranslator(policy, release, schedulerName);
        translator.register();
        translator.addPredicates();
        translator.addPriorities();
        translator.addIgnoredResources();
        translator.validateArguments();
        try {
            return new ConfigurationReader(release).read(translator.document().toString(), policy.file());
        } catch (ConfigurationException e) {
            throw translator.rejected(
                    String.valueOf(e.getMessage()), PolicyProblemCode.INVALID, SourcePosition.UNKNOWN, "");
        }
    }

    /**
     * The configuration of the provider ClusterAutoscalerProvider: the default plugins, with NodeResourcesMostAllocated instead of
     * NodeResourcesLeastAllocated.
     *
     * @param release 1.18 to 1.22
     */
    public static SchedulerConfiguration clusterAutoscaler(Release release) throws ConfigurationException {
        String text = "apiVersion: " + version(release).apiVersion() + "\nkind: " + ConfigVersion.KIND
                + "\nprofiles: [{plugins: {score: {disabled: [{name: " + PluginNames.NODE_RESOURCES_LEAST
                + "}], enabled: [{name: " + PluginNames.NODE_RESOURCES_MOST + ", weight: 1}]}}}]\n";
        return new ConfigurationReader(release).read(text, "ClusterAutoscalerProvider");
    }

    private static ConfigVersion version(Release release) {
        return release.equals(FIRST) ? ConfigVersion.V1ALPHA2 : ConfigVersion.V1BETA1;
    }

    /**
     * The rejection of a policy that cannot be translated for the release.
     *
     * @param message the reason, without {@link #PREFIX}
     */
    public static PolicyException rejected(Policy policy, String message) {
        return new PolicyException(
                PREFIX + message,
                List.of(Problem.at(PolicyProblemCode.INVALID, message, policy.file(), SourcePosition.UNKNOWN)));
    }

    private PolicyException rejected(String message, String code, SourcePosition position, String value) {
        return new PolicyException(
                PREFIX + message, List.of(Problem.at(code, message, policy.file(), position, value)));
    }

    private void register() throws PolicyException {
        List<PredicatePolicy> givenPredicates = policy.predicates();
        if (givenPredicates == null) {
            predicates.addAll(provider().predicates());
        } else {
            for (PredicatePolicy predicate : givenPredicates) {
                predicates.add(key(predicate));
            }
        }
        List<PriorityPolicy> givenPriorities = policy.priorities();
        if (givenPriorities == null) {
            priorities.putAll(provider().priorities());
            priorities.put(EVEN_PODS_SPREAD, release.equals(FIRST) ? 1L : 2L);
            return;
        }
        for (PriorityPolicy priority : givenPriorities) {
            if (!priority.name().equals(KnownAlgorithms.EQUAL_PRIORITY)) {
                priorities.put(key(priority), priority.weight());
            }
        }
    }

    private static Providers.Provider provider() {
        return Providers.find(Providers.DEFAULT, GATES).orElseThrow();
    }

    /** Registers a predicate. Mirrors {@code ProcessPredicatePolicy}. */
    private String key(PredicatePolicy predicate) throws PolicyException {
        PredicateArgument argument = predicate.argument();
        int members = argument == null
                ? 1
                : (argument.serviceAffinity() == null ? 0 : 1) + (argument.labelsPresence() == null ? 0 : 1);
        if (members != 1) {
            throw argumentCount("predicate", members, predicate.name(), predicate.position());
        }
        String name = predicate.name().equals(KnownAlgorithms.POD_FITS_PORTS)
                ? KnownAlgorithms.POD_FITS_HOST_PORTS
                : predicate.name();
        if (!KnownAlgorithms.filterPlugins(name).isEmpty()) {
            return name;
        }
        if (argument == null) {
            throw unknown("predicate", name, predicate.position());
        }
        if (argument.serviceAffinity() != null) {
            affinityLabels.addAll(argument.serviceAffinity().labels());
            return KnownAlgorithms.CHECK_SERVICE_AFFINITY;
        }
        PredicateArgument.LabelsPresence presence = argument.labelsPresence();
        if (presence != null) {
            (presence.presence() ? presentLabels : absentLabels).addAll(presence.labels());
        }
        return KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE;
    }

    /** Registers a priority. Mirrors {@code ProcessPriorityPolicy}. */
    private String key(PriorityPolicy priority) throws PolicyException {
        PriorityArgument argument = priority.argument();
        int members = argument == null
                ? 1
                : (argument.serviceAntiAffinity() == null ? 0 : 1)
                        + (argument.labelPreference() == null ? 0 : 1)
                        + (argument.requestedToCapacityRatio() == null ? 0 : 1);
        if (members != 1) {
            throw argumentCount("priority", members, priority.name(), priority.position());
        }
        String name =
                priority.name().equals(KnownAlgorithms.SERVICE_SPREADING_PRIORITY) ? SELECTOR_SPREAD : priority.name();
        if (!KnownAlgorithms.scorePlugin(name).isEmpty()) {
            return name;
        }
        if (argument == null) {
            throw unknown("priority", name, priority.position());
        }
        if (argument.serviceAntiAffinity() != null) {
            antiAffinityLabels.add(argument.serviceAntiAffinity().label());
            return PluginNames.SERVICE_AFFINITY;
        }
        PriorityArgument.LabelPreference preference = argument.labelPreference();
        if (preference != null) {
            (preference.presence() ? preferredLabels : avoidedLabels).add(preference.label());
            return PluginNames.NODE_LABEL;
        }
        ratio = argument.requestedToCapacityRatio();
        return PluginNames.REQUESTED_TO_CAPACITY_RATIO;
    }

    /** Up to 1.20, kube-scheduler exits with this message instead of returning an error. */
    private PolicyException unknown(String kind, String name, SourcePosition position) {
        String capital = kind.equals("predicate") ? "Predicate" : "Priority";
        String code = PolicyProblemCode.UNKNOWN_ALGORITHM;
        if (release.compareTo(REJECTS_BY_ERROR) >= 0) {
            return rejected(kind + " type not found for " + GoText.quote(name), code, position, name);
        }
        String message = "Invalid configuration: " + capital + " type not found for " + GoText.quote(name);
        return new PolicyException(message, List.of(Problem.at(code, message, policy.file(), position, name)));
    }

    private PolicyException argumentCount(String kind, int members, String name, SourcePosition position) {
        return rejected(
                "exactly 1 " + kind + " argument is required, numArgs: " + members + ", " + kind + " " + name,
                PolicyProblemCode.ARGUMENT_COUNT,
                position,
                name);
    }

    private void addPredicates() throws PolicyException {
        predicates.addAll(Providers.mandatoryPredicates());
        for (KnownAlgorithm predicate : KnownAlgorithms.predicateRows()) {
            if (!predicates.contains(predicate.name())) {
                continue;
            }
            for (String plugin : KnownAlgorithms.filterPlugins(predicate.name())) {
                add(ExtensionPoint.FILTER, plugin, 0);
                if (PRE_FILTERS.contains(plugin)
                        && (!plugin.equals(PluginNames.NODE_AFFINITY) || release.compareTo(REJECTS_BY_ERROR) >= 0)) {
                    enabled(ExtensionPoint.PRE_FILTER).putIfAbsent(plugin, 0);
                }
                if (plugin.equals(PluginNames.VOLUME_BINDING) && !release.equals(FIRST)) {
                    enabled(ExtensionPoint.PRE_FILTER).putIfAbsent(plugin, 0);
                    enabled(ExtensionPoint.RESERVE).putIfAbsent(plugin, 0);
                    enabled(ExtensionPoint.PRE_BIND).putIfAbsent(plugin, 0);
                }
            }
        }
    }

    private static final ImmutableSet<String> PRE_FILTERS = ImmutableSet.of(
            PluginNames.NODE_RESOURCES_FIT,
            PluginNames.NODE_PORTS,
            PluginNames.NODE_AFFINITY,
            PluginNames.SERVICE_AFFINITY,
            PluginNames.POD_TOPOLOGY_SPREAD,
            PluginNames.INTER_POD_AFFINITY);

    private void addPriorities() throws PolicyException {
        for (Map.Entry<String, Long> priority : priorities.entrySet()) {
            // As in Go, the weight is truncated to 32 bits.
            int weight = (int) priority.getValue().longValue();
            String name = priority.getKey();
            String plugin = KnownAlgorithms.scorePlugin(name);
            switch (name) {
                case SELECTOR_SPREAD -> {
                    if (spreadsByConstraints) {
                        plugin = PluginNames.POD_TOPOLOGY_SPREAD;
                        arguments(plugin).put("defaultingType", "System");
                    } else if (!release.equals(FIRST)) {
                        plugin = PluginNames.SELECTOR_SPREAD;
                    }
                }
                case EVEN_PODS_SPREAD -> {
                    if (spreadsByConstraints) {
                        arguments(plugin).put("defaultingType", "List");
                    }
                }
                case INTER_POD_AFFINITY -> {
                    if (policy.hardPodAffinitySymmetricWeight() != 0) {
                        arguments(plugin).put("hardPodAffinityWeight", policy.hardPodAffinitySymmetricWeight());
                    }
                }
                case PluginNames.NODE_LABEL -> weight *= preferredLabels.size() + avoidedLabels.size();
                case PluginNames.SERVICE_AFFINITY -> weight *= antiAffinityLabels.size();
                case PluginNames.REQUESTED_TO_CAPACITY_RATIO -> addRatio();
                default -> {}
            }
            if (PRE_SCORES.contains(plugin)
                    && (!plugin.equals(PluginNames.NODE_AFFINITY) || release.compareTo(REJECTS_BY_ERROR) >= 0)) {
                enabled(ExtensionPoint.PRE_SCORE).putIfAbsent(plugin, 0);
            }
            add(ExtensionPoint.SCORE, plugin, weight);
        }
        addLabels(PluginNames.NODE_LABEL, "presentLabels", presentLabels);
        addLabels(PluginNames.NODE_LABEL, "absentLabels", absentLabels);
        addLabels(PluginNames.NODE_LABEL, "presentLabelsPreference", preferredLabels);
        addLabels(PluginNames.NODE_LABEL, "absentLabelsPreference", avoidedLabels);
        addLabels(PluginNames.SERVICE_AFFINITY, "affinityLabels", affinityLabels);
        addLabels(PluginNames.SERVICE_AFFINITY, "antiAffinityLabelsPreference", antiAffinityLabels);
    }

    private static final ImmutableSet<String> PRE_SCORES = ImmutableSet.of(
            PluginNames.TAINT_TOLERATION,
            PluginNames.NODE_AFFINITY,
            PluginNames.INTER_POD_AFFINITY,
            PluginNames.POD_TOPOLOGY_SPREAD,
            PluginNames.SELECTOR_SPREAD,
            PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD);

    private void addRatio() {
        ObjectNode args = arguments(PluginNames.REQUESTED_TO_CAPACITY_RATIO);
        RatioArguments given = ratio;
        if (given == null) {
            return;
        }
        ArrayNode shape = args.putArray("shape");
        given.shape()
                .forEach(point -> shape.addObject()
                        .put("utilization", point.utilization())
                        .put("score", point.score()));
        if (!given.resources().isEmpty()) {
            ArrayNode resources = args.putArray("resources");
            given.resources()
                    .forEach(resource ->
                            resources.addObject().put("name", resource.name()).put("weight", resource.weight()));
        }
    }

    private void addLabels(String plugin, String field, List<String> labels) {
        if (!labels.isEmpty()) {
            labels.forEach(arguments(plugin).putArray(field)::add);
        }
    }

    private void addIgnoredResources() {
        Set<String> ignored = ExtenderConfig.ignoredResources(policy.extenders());
        if (!ignored.isEmpty()) {
            ignored.stream()
                    .sorted()
                    .forEach(arguments(PluginNames.NODE_RESOURCES_FIT).putArray("ignoredResources")::add);
        }
    }

    /** Enables a plugin; an enabled plugin keeps its position and weight. */
    private void add(ExtensionPoint point, String plugin, int weight) throws PolicyException {
        if (enabled(point).putIfAbsent(plugin, weight) != null && release.compareTo(DEDUPLICATES) < 0) {
            throw rejected(
                    initializing() + "plugin " + GoText.quote(plugin) + " already registered as "
                            + GoText.quote(point.typeName()),
                    PolicyProblemCode.INVALID,
                    SourcePosition.UNKNOWN,
                    plugin);
        }
    }

    private Map<String, Integer> enabled(ExtensionPoint point) {
        return points.computeIfAbsent(point, missing -> new LinkedHashMap<>());
    }

    private ObjectNode arguments(String plugin) {
        return arguments.computeIfAbsent(plugin, missing -> JsonNodeFactory.instance.objectNode());
    }

    private String initializing() {
        return "initializing profiles: creating profile for scheduler name " + schedulerName + ": ";
    }

    private void validateArguments() throws PolicyException {
        validateLabels(presentLabels, absentLabels, "");
        validateLabels(preferredLabels, avoidedLabels, "Preference");
        int hardWeight = policy.hardPodAffinitySymmetricWeight();
        if (arguments.containsKey(PluginNames.INTER_POD_AFFINITY) && (hardWeight < 0 || hardWeight > MAX_HARD_WEIGHT)) {
            throw plugin(
                    PluginNames.INTER_POD_AFFINITY,
                    "hardPodAffinityWeight: Invalid value: " + hardWeight + ": not in valid range [0-100]",
                    policy.hardWeightPosition());
        }
    }

    /** Rejects a label that is both required to be present and required to be absent. Mirrors {@code validateNoConflict}. */
    private void validateLabels(List<String> present, List<String> absent, String suffix) throws PolicyException {
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < absent.size(); i++) {
            String label = absent.get(i);
            int other = present.lastIndexOf(label);
            if (other < 0) {
                continue;
            }
            if (!SchedulerChange.ARGUMENTS_HAVE_PATHS.in(release)) {
                throw plugin(
                        PluginNames.NODE_LABEL,
                        "detecting at least one label (e.g., " + GoText.quote(label)
                                + ") that exist in both the present([" + String.join(" ", present) + "]) and absent(["
                                + String.join(" ", absent) + "]) label list",
                        SourcePosition.UNKNOWN);
            }
            problems.add("presentLabels" + suffix + "[" + other + "]: Invalid value: " + GoText.quote(label)
                    + ": conflict with absentLabels" + suffix + "[" + i + "]");
        }
        if (!problems.isEmpty()) {
            Set<String> different = new LinkedHashSet<>(problems);
            String joined = String.join(", ", different);
            throw plugin(
                    PluginNames.NODE_LABEL,
                    different.size() == 1 ? joined : "[" + joined + "]",
                    SourcePosition.UNKNOWN);
        }
    }

    private PolicyException plugin(String name, String problem, SourcePosition position) {
        return rejected(
                initializing() + "initializing plugin " + GoText.quote(name) + ": " + problem,
                PolicyProblemCode.INVALID,
                position,
                name);
    }

    private ObjectNode document() {
        ObjectNode document = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", version(release).apiVersion())
                .put("kind", ConfigVersion.KIND);
        ObjectNode profile = document.putArray("profiles").addObject().put("schedulerName", schedulerName);
        ObjectNode plugins = profile.putObject("plugins");
        for (ExtensionPoint point : REPLACED) {
            ObjectNode set = plugins.putObject(point.key());
            set.putArray("disabled").addObject().put("name", "*");
            ArrayNode list = set.putArray("enabled");
            enabled(point).forEach((name, weight) -> {
                ObjectNode entry = list.addObject().put("name", name);
                if (point == ExtensionPoint.SCORE) {
                    entry.put("weight", weight);
                }
            });
        }
        if (!arguments.isEmpty()) {
            ArrayNode configs = profile.putArray("pluginConfig");
            arguments.forEach(
                    (name, args) -> configs.addObject().put("name", name).set("args", args));
        }
        return document;
    }

    /** The extension points of predicates and priorities; QueueSort, PostFilter, and Bind keep their defaults. */
    private static final ImmutableList<ExtensionPoint> REPLACED = ImmutableList.of(
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.RESERVE,
            ExtensionPoint.PRE_BIND);
}
