package io.policyscheduler.engine.cluster.release;

import java.util.Locale;

/**
 * The changes of kube-scheduler after 1.17 that affect decisions: one row for each change, of
 * which default plugins, weights, filters, scores and texts of a release are made. What came with a field of pods or volumes is
 * {@link NewerField}. Mirrors {@code default_plugins.go} and the in-tree plugins of each release, at its default feature gates.
 */
public enum SchedulerChange {
    CURRENT_ZONE_LABELS(
            19,
            "VolumeZone",
            "compares the current labels for zones and regions, too; before, only the beta labels",
            Carried.PLUGIN),
    FIRST_PODS_NEED_KEYS(
            19,
            "InterPodAffinity",
            "rejects a node without the topology key for the first pod of a group, too, and evaluates the terms of the"
                    + " pod before those of other pods; before, neither",
            Carried.PLUGIN),
    MISSING_KEY_TEXT(
            19,
            "PodTopologySpread",
            "rejects a node without a topology key with a reason of its own, and preemption does not help there; "
                    + "before, as if the pods were not spread",
            Carried.PLUGIN),
    WEIGHTED_SPREADING(
            19,
            "PodTopologySpread",
            "scores with weights by the number of domains, and with maxSkew; before, by the number of pods alone",
            Carried.PLUGIN),
    WHOLE_DOMAINS(
            19,
            "PodTopologySpread",
            "counts pods on all nodes of a domain that has an eligible node for hard constraints; before, on eligible "
                    + "nodes only",
            Carried.PLUGIN),
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
    ORDER_OF_FILTERS(
            20,
            "",
            "evaluates taints and node affinity before resources; before, resources first, and taints after volumes",
            Carried.DEFAULTS),
    ERROR_TEXTS(
            20,
            "",
            "reports a failed plugin as \"running PreFilter plugin\"; before, in other words, with the name of the pod",
            Carried.FRAMEWORK),
    CLAIM_ERRORS_REJECT(
            20,
            "VolumeBinding",
            "rejects a pod with a missing claim, or with one that is being deleted, without an error; before, the "
                    + "attempt ended with an error",
            Carried.FRAMEWORK),
    MISSING_VOLUMES_REJECT(
            20,
            "VolumeBinding",
            "rejects nodes if the volume of a claim is missing; before, the attempt ended with an error",
            Carried.PLUGIN),
    ZONE_ERRORS_REJECT(
            20,
            "VolumeZone",
            "rejects nodes if a claim, a volume, or a storage class is missing; before, the attempt ended with an "
                    + "error",
            Carried.PLUGIN),
    FIELDS_OF_PREFERENCES(
            20, "NodeAffinity", "evaluates matchFields of preferred terms; before, it ignored them", Carried.PLUGIN),
    NO_DOMAIN_REJECTS(
            20,
            "PodTopologySpread",
            "rejects nodes without the topology keys also if no eligible node has them; before, such a pod passed all "
                    + "nodes",
            Carried.PLUGIN),
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
    FILTER_ERROR_TEXT(
            21, "", "reports a failed filter without the name of the pod; before, with it", Carried.FRAMEWORK),
    NODE_NAME_TEXT(
            21,
            "NodeName, InterPodAffinity",
            "report \"node(s) didn't match the requested node name\" and \"pod affinity/anti-affinity rules\"; before, "
                    + "\"hostname\" and without \"rules\"",
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
    REASONS_OF_TODAY(22, "InterPodAffinity", "reports one reason for a node; before, two", Carried.PLUGIN),
    EVENTS_OF_PLUGINS(
            22,
            "",
            "a waiting pod is requeued for events that a plugin which rejected it asks for; before, for any",
            Carried.FRAMEWORK),
    VOLUMES_ARE_MIGRATED(
            23,
            "NodeVolumeLimits, VolumeBinding",
            "treat in-tree volumes of AWS, GCE, and Azure as CSI volumes (Cinder since 1.21), on nodes whose CSINode names the plugin"
                    + " as migrated (for limits on all nodes with a CSINode: Cinder since 1.24, AWS and Azure since 1.27, GCE since"
                    + " 1.28); before, they did not",
            Carried.PLUGIN),
    LOST_CLAIMS(
            23,
            "VolumeBinding",
            "rejects a pod with a lost claim before nodes are evaluated, and reports the missing claim of an ephemeral"
                    + " volume in other words; before, it did not",
            Carried.PLUGIN),
    LIMITS_NEED_CLAIMS(
            23,
            "NodeVolumeLimits, EBSLimits, GCEPDLimits, AzureDiskLimits",
            "end the attempt with an error if a claim of the pod is missing; before, they did not count such a claim",
            Carried.PLUGIN),
    MISSING_VOLUME_TEXT(
            23,
            "VolumeBinding",
            "says \"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)\"; before, only \"pvc(s) bound to"
                    + " non-existent pv(s)\"",
            Carried.PLUGIN),
    WEIGHTS(
            23,
            "TaintToleration, NodeAffinity, InterPodAffinity",
            "weights 3, 2 and 2; before, 1 each",
            Carried.DEFAULTS),
    ELIGIBLE_NODES_ONLY(
            24,
            "PodTopologySpread",
            "counts pods on eligible nodes only for hard constraints; before, on all nodes of a domain that has an eligible node, and"
                    + " constraints with the same topologyKey were added up",
            Carried.PLUGIN),
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
    INLINE_VOLUMES_COUNT(
            25,
            "NodeVolumeLimits",
            "counts volumes of migrated in-tree plugins that pods mount without claims; before, only those of claims",
            Carried.PLUGIN),
    ZERO_SCALARS(
            26,
            "NodeResourcesFit",
            "does not check an extended resource that the pod requests with 0; before, an overcommitted node was "
                    + "rejected",
            Carried.PLUGIN),
    MORE_SENTENCES(
            26,
            "",
            "what a PreFilter plugin has against a pod is a sentence of its own; before, it was counted by nodes",
            Carried.FRAMEWORK),
    EMPTY_SELECTORS_COUNT_NOTHING(
            27,
            "PodTopologySpread",
            "counts no pods for a constraint with an empty labelSelector; before, all pods of the namespace",
            Carried.PLUGIN),
    CONFLICTS_OF_ALL_TERMS(
            27,
            "NodeAffinity",
            "rejects a pod before nodes are evaluated if no required term can name a node; before, if one of the terms"
                    + " could not",
            Carried.PLUGIN),
    NAMED_NODES_MAY_BE_MISSING(
            27,
            "",
            "ignores names of missing nodes in node affinity; before, the attempt ended with an error",
            Carried.FRAMEWORK),
    LOCAL_VOLUMES_NAME_NODES(
            27,
            "VolumeBinding",
            "evaluates only the nodes that bound local volumes name, up to 1.31; before, all nodes",
            Carried.PLUGIN),
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
            "rejects a pod whose volumes it cannot find before nodes are looked at; before, on each node with labels",
            Carried.PLUGIN),
    ZERO_IS_NOT_CHECKED(
            28,
            "NodeResourcesFit",
            "does not check CPU, memory, or storage of which the pod asks nothing; before, an overcommitted node was refused",
            Carried.PLUGIN),
    TRANSLATED_ZONE_LABELS(
            29,
            "VolumeZone",
            "accepts the current zone and region labels of a node for the beta labels of a volume; before, only equal "
                    + "labels",
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
    LIMITS_REJECT_WITHOUT_CLAIMS(
            30,
            "NodeVolumeLimits, EBSLimits, GCEPDLimits, AzureDiskLimits",
            "reject a pod whose claim is missing; before, the attempt ended with an error",
            Carried.PLUGIN),
    IMAGES_OF_INIT_CONTAINERS(30, "ImageLocality", "counts the images of init containers", Carried.PLUGIN),
    LIMITS_OF_CSI_ONLY(
            31,
            "EBSLimits, GCEPDLimits, AzureDiskLimits",
            "are no longer default plugins; NodeVolumeLimits counts these volumes by their CSI drivers",
            Carried.DEFAULTS),
    ATTACHED_VOLUMES_COUNT(
            32,
            "NodeVolumeLimits",
            "counts volumes that are attached to a node, and reads limits in CSINodes only; before, it also read "
                    + "attachable-volumes-csi- of nodes, and counted only volumes of pods",
            Carried.PLUGIN),
    EXCLUDED_NODES_ARE_COUNTED(
            32,
            "",
            "counts nodes that plugins exclude before filters in the message (\"didn't satisfy plugin(s)\"); before, "
                    + "they were not counted, except in 1.30 (\"filtered out by the prefilter result\")",
            Carried.FRAMEWORK),
    LOCAL_VOLUMES_NAME_NO_NODES(
            32, "VolumeBinding", "evaluates all nodes again for bound local volumes", Carried.PLUGIN),
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
    CLAIM_OF_ONE_POD_TEXT(
            34,
            "VolumeRestrictions",
            "reports \"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-"
                    + "use by another pod\"; before, \"node has pod using PersistentVolumeClaim with the same name and "
                    + "ReadWriteOncePod access mode\"",
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
