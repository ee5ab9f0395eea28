package io.policyscheduler.engine.cluster.release;

import java.util.Locale;

/**
 * The changes of kube-scheduler after 1.17 that affect decisions: one row for each change, of
 * which default plugins, weights, filters, scores and texts of a release are made. What came with a field of pods or volumes is
 * {@link NewerField}. Mirrors {@code default_plugins.go} and the in-tree plugins of each release, at its default feature gates.
 */
public enum SchedulerChange {
    CLAIMS_BEFORE_NODES(
            19,
            "VolumeBinding",
            "rejects a pod with unbound immediate claims before nodes are looked at; before, its attempt ended with an error",
            Carried.PLUGIN),
    SPREADING_BY_CONSTRAINTS(
            20,
            "PodTopologySpread",
            "spreads pods of services and controllers by itself, with weight 2; before, SelectorSpread did, with weight 1",
            Carried.DEFAULTS),
    NODE_AFFINITY_TEXT(
            20,
            "NodeAffinity",
            "says \"node(s) didn't match Pod's node affinity\"; before, \"node(s) didn't match node selector\"",
            Carried.PLUGIN),
    EXTENDERS_RULE_OUT(
            20,
            "",
            "an extender can say where preemption would not help (FailedAndUnresolvableNodes); before, it was not heard",
            Carried.FRAMEWORK),
    OVERCOMMITTED_IS_FULL(
            20,
            "NodeResourcesMostAllocated",
            "scores a resource that is requested beyond what is allocatable as full; before, with 0",
            Carried.PLUGIN),
    AFFINITY_AND_SELECTOR_TEXT(
            21,
            "NodeAffinity",
            "says \"node(s) didn't match Pod's node affinity/selector\"; before, without \"/selector\"",
            Carried.PLUGIN),
    TRUE_RANGE_OF_AFFINITY(
            21,
            "InterPodAffinity",
            "scores from the least to the greatest sum; before, 0 was always part of the range",
            Carried.PLUGIN),
    BALANCED_FORMULA(
            22,
            "NodeResourcesBalancedAllocation",
            "uses what pods ask for, and half the difference of the shares; before, defaults for what is not asked for, and the"
                    + " whole difference",
            Carried.PLUGIN),
    SCORING_STRATEGY(
            22,
            "NodeResourcesFit",
            "scores, in place of NodeResourcesLeastAllocated; NodePreferAvoidPods is gone",
            Carried.DEFAULTS),
    SPREADING_BY_OWNER(
            22,
            "PodTopologySpread",
            "spreads the pods of the services and of the owner of a pod; before, of all controllers that select it",
            Carried.PLUGIN),
    ONLY_REQUESTED_RESOURCES(
            22,
            "NodeResourcesLeastAllocated, NodeResourcesMostAllocated, RequestedToCapacityRatio",
            "ignore resources that the node does not have or that the pod does not request, and RequestedToCapacityRatio rounds"
                    + " the utilization down; before, all counted, and it rounded up",
            Carried.PLUGIN),
    REASONS_OF_TODAY(
            22,
            "NodeName, InterPodAffinity",
            "report their reasons in the current words; before, in other words, and InterPodAffinity gave two for a node",
            Carried.PLUGIN),
    EVENTS_OF_PLUGINS(
            22,
            "",
            "a waiting pod is requeued for events that a plugin which rejected it asks for; before, for any",
            Carried.FRAMEWORK),
    VOLUMES_ARE_MIGRATED(
            23,
            "NodeVolumeLimits, VolumeBinding",
            "treat in-tree volumes of AWS, GCE, and Azure as CSI volumes (Cinder since 1.21), on nodes whose CSINode names the plugin"
                    + " as migrated (NodeVolumeLimits since 1.27 on all nodes with a CSINode); before, they did not",
            Carried.PLUGIN),
    MISSING_VOLUME_TEXT(
            23,
            "VolumeBinding",
            "says \"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)\"; before, only \"pvc(s) bound to"
                    + " non-existent pv(s)\"",
            Carried.PLUGIN),
    ELIGIBLE_NODES_ONLY(
            23,
            "PodTopologySpread",
            "counts pods on eligible nodes only for hard constraints; before, on all nodes of a domain that has an eligible node",
            Carried.PLUGIN),
    WEIGHTS(
            23,
            "TaintToleration, NodeAffinity, InterPodAffinity",
            "weights 3, 2 and 2; before, 1 each",
            Carried.DEFAULTS),
    UNTOLERATED_TAINT(
            24,
            "TaintToleration",
            "says \"untolerated taint {KEY: VALUE}\"; before, \"taint {KEY: VALUE}, that the pod didn't tolerate\"",
            Carried.PLUGIN),
    OVERHEAD_IS_SCORED(24, "NodeResourcesFit", "scores the overhead of the pod; before, it did not", Carried.PLUGIN),
    NAMED_NODES_ONLY(
            24,
            "NodeAffinity",
            "evaluates only the nodes that a pod names in its required node affinity; before, all nodes",
            Carried.PLUGIN),
    ROUNDED_SPREADING(24, "PodTopologySpread", "rounds scores; before, they were cut off", Carried.PLUGIN),
    ROOM_IS_TOLD(
            24,
            "",
            "messages contain the result of preemption (\"preemption: ...\"); before, they did not",
            Carried.FRAMEWORK),
    EMPTY_SELECTORS_COUNT_NOTHING(
            25,
            "PodTopologySpread",
            "counts no pods for a constraint with an empty labelSelector; before, all pods of the namespace",
            Carried.PLUGIN),
    MORE_SENTENCES(
            26,
            "",
            "what a PreFilter plugin has against a pod is a sentence of its own; before, it was counted by nodes",
            Carried.FRAMEWORK),
    GATES_HOLD_BACK(27, "SchedulingGates", "is a default plugin", Carried.DEFAULTS),
    VICTIMS_ON_THEIR_WAY(
            27,
            "DefaultPreemption",
            "waits only for victims that a scheduler evicts; before, for every pod of lower priority that ends on the node",
            Carried.FRAMEWORK),
    SKIPPED_AFFINITY(
            27,
            "InterPodAffinity",
            "ignores the terms of nominated pods for a pod that no term of other pods concerns; before, they counted",
            Carried.PLUGIN),
    CLAIMS_OF_ONE_POD(
            27,
            "VolumeRestrictions",
            "rejects a pod without its claims before nodes are looked at, and honors ReadWriteOncePod; before, it did not",
            Carried.PLUGIN),
    EXACT_SUMS(
            27,
            "",
            "adds up exact requests and rounds the sum; before, it rounded the request of each container up, and counted the CPU"
                    + " overhead of a pod that it scored in whole cores, as if they were milli-CPU",
            Carried.PLUGIN),
    ZONES_BEFORE_NODES(
            27,
            "VolumeZone",
            "rejects a pod whose volumes it cannot find before nodes are looked at, and accepts the current zone and region labels of"
                    + " a node for the beta labels of a volume; before, on each node with labels, and only equal labels",
            Carried.PLUGIN),
    ZERO_IS_NOT_CHECKED(
            28,
            "NodeResourcesFit",
            "does not check a resource of which the pod asks nothing; before, an overcommitted node was refused",
            Carried.PLUGIN),
    ONE_FULL_STOP(
            29,
            "",
            "what came of preemption ends with one full stop; from 1.26 to 1.28 it ended with two",
            Carried.FRAMEWORK),
    IGNORABLE_BINDERS(
            30,
            "",
            "the default binder binds a pod if the bind request to an extender with ignorable: true fails; before, the bind failed",
            Carried.FRAMEWORK),
    IMAGES_OF_INIT_CONTAINERS(30, "ImageLocality", "counts the images of init containers", Carried.PLUGIN),
    LIMITS_OF_CSI_ONLY(
            31,
            "EBSLimits, GCEPDLimits, AzureDiskLimits",
            "are no longer default plugins; NodeVolumeLimits counts these volumes by their CSI drivers",
            Carried.DEFAULTS),
    HINTS(
            32,
            "",
            "plugins say which changes of the cluster can help a waiting pod; before, every change of a kind that they ask for did",
            Carried.FRAMEWORK),
    EXTENDERS_SEE_IDLE_NODES(
            33,
            "",
            "after an extender with nodeCacheCapable: false, scores see nodes without pods and images",
            Carried.FRAMEWORK),
    BEST_EFFORT_IS_NOT_BALANCED(
            33, "NodeResourcesBalancedAllocation", "does not score pods that ask for nothing", Carried.PLUGIN),
    CONSTRAINTS_APART(
            33,
            "PodTopologySpread",
            "counts pods for each constraint; before, constraints with the same topologyKey shared one count",
            Carried.PLUGIN),
    VOLUME_AFFINITY_TEXT(
            33,
            "VolumeBinding",
            "says \"node(s) didn't match PersistentVolume's node affinity\"; before, \"node(s) had volume node affinity"
                    + " conflict\"",
            Carried.PLUGIN),
    SELECTORS_WITHOUT_LABELS(
            34,
            "InterPodAffinity",
            "also matches the namespaceSelector of the pod's own terms with no labels, so that NotIn and DoesNotExist select all"
                    + " namespaces; before, only with the labels of namespaces",
            Carried.PLUGIN),
    TOO_SMALL_IS_FINAL(
            34,
            "NodeResourcesFit",
            "a node that is too small even when empty is not helped by preemption; before, it was tried",
            Carried.PLUGIN),
    CLAIMS_BY_DEFAULT(34, "DynamicResources", "is a default plugin", Carried.DEFAULTS),
    TAINTS_ARE_NOT_NAMED(
            35,
            "TaintToleration",
            "says \"node(s) had untolerated taint(s)\"; before, the message named the taint",
            Carried.PLUGIN),
    DEVICES_ARE_SCORED(
            35,
            "DynamicResources",
            "prefers nodes with a better alternative of a prioritized list, with weight 2; before, it did not score",
            Carried.DEFAULTS),
    WHOLE_POOLS(
            35,
            "DynamicResources",
            "allocates only from complete and valid pools, and class configuration names its requests; before, an invalid pool"
                    + " ended the attempt with an error",
            Carried.PLUGIN),
    BINDING_TIMEOUT(
            35,
            "DynamicResources",
            "has the argument bindingTimeout, which 1.35 rejects with its default gates and 1.36 accepts from 1 s on",
            Carried.CONFIGURATION),
    BALANCE_IS_IMPROVED(
            36,
            "NodeResourcesBalancedAllocation",
            "scores how much the pod improves the balance; before, the balance with the pod",
            Carried.PLUGIN),
    IMAGE_VOLUMES(36, "ImageLocality", "counts image volumes", Carried.PLUGIN),
    FEATURES_OF_NODES(36, "NodeDeclaredFeatures", "is a default plugin", Carried.DEFAULTS),
    PORTWORX_IS_MIGRATED(
            36,
            "NodeVolumeLimits",
            "counts in-tree Portworx volumes as CSI volumes on each node; before, only on nodes whose CSINode names Portworx as"
                    + " migrated",
            Carried.PLUGIN),
    DEVICES_OF_TODAY(
            36,
            "DynamicResources",
            "honors device taints, shared counters, shared devices, and binding conditions, and allocates devices for extended"
                    + " resources; before, it did not",
            Carried.PLUGIN),
    PLACEMENT_POINTS(
            36,
            "TopologyPlacementGenerator, PodGroupPodsCount",
            "exist, with the points placementGenerate and placementScore; both do nothing without their feature gates",
            Carried.CONFIGURATION),
    STRICT_SCORING_STRATEGY(
            36,
            "NodeResourcesFit",
            "rejects scoringStrategy.requestedToCapacityRatio with another type; before, it ignored the object",
            Carried.CONFIGURATION);

    /** Where a change is carried out. */
    public enum Carried {
        /** In the default plugins and their weights. */
        DEFAULTS("default plugins"),
        /** In what a plugin does. */
        PLUGIN("plugin"),
        /** In the validation of configurations. */
        CONFIGURATION("configuration"),
        /** In what is around the plugins: messages, preemption, extenders, the queue. */
        FRAMEWORK("framework");

        private final String words;

        Carried(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }
    }

    private final int since;
    private final String plugins;
    private final String text;
    private final Carried carried;

    SchedulerChange(int since, String plugins, String text, Carried carried) {
        this.since = since;
        this.plugins = plugins;
        this.text = text;
        this.carried = carried;
    }

    /** Whether schedulers of a release do as is told here. */
    public boolean in(Release release) {
        return release.atLeast(since);
    }

    /** The first release that does. */
    public Release since() {
        return new Release(since);
    }

    /** The plugins that it is about; empty for all. */
    public String plugins() {
        return plugins;
    }

    /** What is so since then, and before, for people. */
    public String text() {
        return text;
    }

    /** Where it is carried out. */
    public Carried carried() {
        return carried;
    }

    /** What users call it: lower case, with hyphens. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
