package io.policyscheduler.engine.cluster.release;

import java.util.Locale;

/**
 * The changes of kube-scheduler after 1.17 that affect decisions: default plugins, weights, filters, scores, and texts of each
 * release. {@link NewerField} has the new fields of pods and volumes. Mirrors {@code default_plugins.go} and the in-tree plugins of each release, at its default feature gates.
 */
public enum SchedulerChange {
    CURRENT_ZONE_LABELS(
            19,
            "VolumeZone",
            "compares the current labels for zones and regions, too; earlier releases compare only the beta labels",
            Part.PLUGIN),
    FIRST_PODS_NEED_KEYS(
            19,
            "InterPodAffinity",
            "rejects a node without the topology key for the first pod of a group, too, and evaluates the terms of the "
                    + "pod before those of other pods; earlier releases do neither",
            Part.PLUGIN),
    MISSING_KEY_TEXT(
            19,
            "PodTopologySpread",
            "rejects a node without a topology key with a separate reason, and preemption does not help there; earlier "
                    + "releases reject it as a node that violates the constraint",
            Part.PLUGIN),
    WEIGHTED_SPREADING(
            19,
            "PodTopologySpread",
            "scores with weights by the number of domains, and with maxSkew; earlier releases score by the number of "
                    + "pods alone",
            Part.PLUGIN),
    WHOLE_DOMAINS(
            19,
            "PodTopologySpread",
            "counts pods on all nodes of a domain that has an eligible node for hard constraints; earlier releases "
                    + "count only those on eligible nodes",
            Part.PLUGIN),
    CLAIMS_BEFORE_NODES(
            19,
            "VolumeBinding",
            "rejects a pod with unbound immediate claims in PreFilter; earlier releases fail the attempt with an error",
            Part.PLUGIN),
    EMPTY_NODES_ARE_SKIPPED(
            19,
            "DefaultPreemption",
            "skips nodes without pods of lower priority; earlier releases nominate such a node if the pod fits there",
            Part.FRAMEWORK),
    UNRESOLVABLE_NOMINATED_NODE(
            19,
            "DefaultPreemption",
            "lets a pod preempt again if its nominated node rejects it in a way that preemption cannot resolve; in "
                    + "earlier releases, the pod waits for the terminating pods there",
            Part.FRAMEWORK),
    DISRUPTED_PODS_ARE_ALLOWED(
            19,
            "DefaultPreemption",
            "a victim in status.disruptedPods of its budget does not violate the budget; in earlier releases, it does "
                    + "if disruptionsAllowed is 0",
            Part.FRAMEWORK),
    SPREADING_BY_CONSTRAINTS(
            20,
            "PodTopologySpread",
            "spreads the pods of services and controllers with default constraints and weight 2; earlier releases use "
                    + "SelectorSpread with weight 1",
            Part.DEFAULTS),
    ORDER_OF_FILTERS(
            20,
            "",
            "evaluates taints and node affinity before resources; earlier releases evaluate resources first, and "
                    + "taints after volumes",
            Part.DEFAULTS),
    ERROR_TEXTS(
            20,
            "",
            "reports a failed plugin as \"running PreFilter plugin\"; earlier releases have another text with the name "
                    + "of the pod",
            Part.FRAMEWORK),
    CLAIM_ERRORS_REJECT(
            20,
            "VolumeBinding",
            "rejects a pod with a missing claim, or with one that is being deleted, without an error; earlier releases "
                    + "fail the attempt with an error",
            Part.FRAMEWORK),
    MISSING_VOLUMES_REJECT(
            20,
            "VolumeBinding",
            "rejects nodes if the volume of a claim is missing; earlier releases fail the attempt with an error",
            Part.PLUGIN),
    ZONE_ERRORS_REJECT(
            20,
            "VolumeZone",
            "rejects nodes if a claim, a volume, or a storage class is missing; earlier releases fail the attempt with "
                    + "an error",
            Part.PLUGIN),
    PREFERRED_MATCH_FIELDS(
            20, "NodeAffinity", "evaluates matchFields of preferred terms; earlier releases ignore them", Part.PLUGIN),
    MISSING_DOMAINS_REJECT(
            20,
            "PodTopologySpread",
            "rejects nodes without the topology keys also if no eligible node has them; in earlier releases, all nodes "
                    + "are feasible for such a pod",
            Part.PLUGIN),
    NODE_AFFINITY_TEXT(
            20,
            "NodeAffinity",
            "has the reason \"node(s) didn't match Pod's node affinity\"; earlier releases have \"node(s) didn't match "
                    + "node selector\"",
            Part.PLUGIN),
    UNRESOLVABLE_NODES_OF_EXTENDERS(
            20,
            "",
            "an extender can name nodes that preemption does not help (FailedAndUnresolvableNodes); earlier releases "
                    + "ignore this field",
            Part.FRAMEWORK),
    OVERCOMMITTED_SCORES_FULL(
            20,
            "NodeResourcesMostAllocated",
            "scores a resource with requests above the allocatable amount as full; earlier releases score it 0",
            Part.PLUGIN),
    STORAGE_CAPACITIES(
            21,
            "VolumeBinding",
            "rejects nodes without enough free storage for a new volume, if the driver publishes its capacity",
            Part.PLUGIN),
    AFFINITY_AND_SELECTOR_TEXT(
            21,
            "NodeAffinity",
            "has the reason \"node(s) didn't match Pod's node affinity/selector\"; earlier releases omit \"/selector\"",
            Part.PLUGIN),
    FILTER_ERROR_TEXT(
            21, "", "reports a failed filter without the name of the pod; earlier releases include it", Part.FRAMEWORK),
    NODE_NAME_TEXT(
            21,
            "NodeName, InterPodAffinity",
            "report \"node(s) didn't match the requested node name\" and \"pod affinity/anti-affinity rules\"; earlier "
                    + "releases have \"hostname\" and without \"rules\"",
            Part.PLUGIN),
    AFFINITY_SCORE_RANGE(
            21,
            "InterPodAffinity",
            "scales scores between the lowest and the highest sum; earlier releases include 0 in this range",
            Part.PLUGIN),
    ARGUMENTS_HAVE_PATHS(
            21,
            "",
            "reports all invalid arguments of a plugin by path, and accepts bindTimeoutSeconds: 0 of VolumeBinding; earlier "
                    + "releases report the first argument in other words, and reject 0",
            Part.CONFIGURATION),
    ARGUMENTS_BEFORE_PLUGINS(
            22,
            "",
            "validates the arguments of plugins with the rest of the configuration; earlier releases validate those of "
                    + "enabled plugins, without the path of the arguments",
            Part.CONFIGURATION),
    BALANCED_FORMULA(
            22,
            "NodeResourcesBalancedAllocation",
            "uses actual requests, and subtracts half of the difference between the shares; earlier releases use "
                    + "default requests and the whole difference",
            Part.PLUGIN),
    SCORING_STRATEGY(
            22,
            "NodeResourcesFit",
            "scores instead of NodeResourcesLeastAllocated; NodePreferAvoidPods is removed",
            Part.DEFAULTS),
    SPREADING_BY_OWNER(
            22,
            "PodTopologySpread",
            "spreads the pods of the services and of the owner of a pod; earlier releases use all controllers that "
                    + "select the pod",
            Part.PLUGIN),
    ONLY_REQUESTED_RESOURCES(
            22,
            "NodeResourcesLeastAllocated, NodeResourcesMostAllocated, RequestedToCapacityRatio",
            "ignore resources that the node does not have or that the pod does not request, and"
                    + " RequestedToCapacityRatio rounds the utilization down; earlier releases score all resources, and"
                    + " round it up",
            Part.PLUGIN),
    ONE_AFFINITY_REASON(
            22, "InterPodAffinity", "reports one reason for a node; earlier releases report two", Part.PLUGIN),
    PREEMPTION_NEEDS_VICTIMS(
            22,
            "DefaultPreemption",
            "rejects a node on which the pod fits without victims; earlier releases nominate it",
            Part.FRAMEWORK),
    WAITING_VICTIMS_ARE_REJECTED(
            22,
            "DefaultPreemption",
            "a victim that waits on Permit is rejected; earlier releases reject and delete it",
            Part.FRAMEWORK),
    REGISTERED_EVENTS(
            22,
            "",
            "an unschedulable pod is requeued for the events that the plugins that rejected it register; earlier "
                    + "releases requeue it for any event",
            Part.FRAMEWORK),
    VOLUMES_ARE_MIGRATED(
            23,
            "NodeVolumeLimits, VolumeBinding",
            "treat in-tree volumes of AWS, GCE, and Azure (Cinder since 1.21) as CSI volumes, on nodes whose CSINode"
                    + " names the plugin as migrated (for limits on all nodes with a CSINode: Cinder since 1.24, AWS and"
                    + " Azure since 1.27, GCE since 1.28)",
            Part.PLUGIN),
    LOST_CLAIMS(
            23,
            "VolumeBinding",
            "rejects a pod with a lost claim in PreFilter, and reports the missing claim of an ephemeral volume with "
                    + "another text; earlier releases do not",
            Part.PLUGIN),
    LIMITS_NEED_CLAIMS(
            23,
            "NodeVolumeLimits, EBSLimits, GCEPDLimits, AzureDiskLimits",
            "end the attempt with an error if a claim of the pod is missing; earlier releases do not count such a "
                    + "claim",
            Part.PLUGIN),
    MISSING_VOLUME_TEXT(
            23,
            "VolumeBinding",
            "has the reason \"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)\"; earlier "
                    + "releases have only \"pvc(s) bound to non-existent pv(s)\"",
            Part.PLUGIN),
    PREEMPTION_ERRORS(
            23,
            "DefaultPreemption",
            "ends with an error if a filter fails on a node and no node has victims; in earlier releases, the failure "
                    + "is a reason of the node",
            Part.FRAMEWORK),
    DEFAULT_WEIGHTS(
            23,
            "TaintToleration, NodeAffinity, InterPodAffinity",
            "have the weights 3, 2, and 2; earlier releases have 1 each",
            Part.DEFAULTS),
    REMOVED_PLUGINS_ARE_UNKNOWN(
            23,
            "NodeLabel, ServiceAffinity, NodePreferAvoidPods, NodeResourcesLeastAllocated, NodeResourcesMostAllocated, "
                    + "RequestedToCapacityRatio",
            "do not exist; 1.22 has them in v1beta1, and rejects them in v1beta2 as removed",
            Part.CONFIGURATION),
    MULTI_POINT(
            23, "", "plugins has multiPoint, also in v1beta2; earlier releases reject the field", Part.CONFIGURATION),
    ELIGIBLE_NODES_ONLY(
            24,
            "PodTopologySpread",
            "counts only pods on eligible nodes for hard constraints; earlier releases count the pods on all nodes of "
                    + "a domain that has an eligible node",
            Part.PLUGIN),
    UNTOLERATED_TAINT(
            24,
            "TaintToleration",
            "has the reason \"untolerated taint {KEY: VALUE}\"; earlier releases have \"taint {KEY: VALUE}, that the "
                    + "pod didn't tolerate\"",
            Part.PLUGIN),
    OVERHEAD_IS_SCORED(24, "NodeResourcesFit", "scores the overhead of the pod; earlier releases do not", Part.PLUGIN),
    NAMED_NODES_ONLY(
            24,
            "NodeAffinity",
            "evaluates only the nodes that the required node affinity of a pod names; earlier releases evaluate all "
                    + "nodes",
            Part.PLUGIN),
    ROUNDED_SPREADING(
            24,
            "PodTopologySpread",
            "rounds scores to the nearest integer; earlier releases round them down",
            Part.PLUGIN),
    PREEMPTION_IN_MESSAGES(
            24,
            "",
            "messages contain the result of preemption (\"preemption: ...\"); messages of earlier releases do not",
            Part.FRAMEWORK),
    INLINE_VOLUMES_COUNT(
            25,
            "NodeVolumeLimits",
            "counts volumes of migrated in-tree plugins that pods mount without claims; earlier releases count only "
                    + "those of claims",
            Part.PLUGIN),
    SCORING_STRATEGY_PATHS(
            25,
            "NodeResourcesFit",
            "names scoringStrategy in the errors about its fields; earlier releases name only the field",
            Part.CONFIGURATION),
    ZERO_EXTENDED_RESOURCES(
            26,
            "NodeResourcesFit",
            "does not check an extended resource that the pod requests with 0; earlier releases reject an "
                    + "overcommitted node",
            Part.PLUGIN),
    PRE_FILTER_SENTENCE(
            26,
            "",
            "a rejection in PreFilter is a separate sentence of the message; earlier releases count it as a reason of "
                    + "each node",
            Part.FRAMEWORK),
    VICTIMS_HAVE_CONDITIONS(
            26,
            "DefaultPreemption",
            "sets the condition DisruptionTarget before it deletes a victim; earlier releases only delete it",
            Part.FRAMEWORK),
    EVENT_WITHOUT_PREEMPTOR(
            26,
            "DefaultPreemption",
            "the event Preempted does not name the preemptor; in earlier releases, it has NAMESPACE/NAME",
            Part.FRAMEWORK),
    PERCENTAGE_OF_PROFILES(
            26, "", "profiles have percentageOfNodesToScore; earlier releases reject the field", Part.CONFIGURATION),
    PRE_ENQUEUE_POINT(26, "", "plugins has preEnqueue; earlier releases reject the field", Part.CONFIGURATION),
    EMPTY_SELECTORS_COUNT_NOTHING(
            27,
            "PodTopologySpread",
            "counts no pods for a constraint with an empty labelSelector; earlier releases count all pods of the "
                    + "namespace",
            Part.PLUGIN),
    CONFLICTS_OF_ALL_TERMS(
            27,
            "NodeAffinity",
            "rejects a pod in PreFilter if no required term can name a node; earlier releases do so if one of the "
                    + "terms cannot",
            Part.PLUGIN),
    MISSING_NAMED_NODES(
            27,
            "",
            "ignores names of missing nodes in node affinity; earlier releases fail the attempt with an error",
            Part.FRAMEWORK),
    LOCAL_VOLUMES_SELECT_NODES(
            27,
            "VolumeBinding",
            "evaluates only the nodes that bound local volumes name, up to 1.31; earlier releases evaluate all nodes",
            Part.PLUGIN),
    SCHEDULING_GATES(27, "SchedulingGates", "is a default plugin", Part.DEFAULTS),
    TERMINATING_VICTIMS(
            27,
            "DefaultPreemption",
            "waits only for victims that a scheduler evicted; earlier releases wait for every terminating pod of lower "
                    + "priority on the node",
            Part.FRAMEWORK),
    REASON_OF_VICTIMS(
            27,
            "DefaultPreemption",
            "the condition DisruptionTarget has the reason PreemptionByScheduler; in 1.26, PreemptionByKubeScheduler",
            Part.FRAMEWORK),
    AFFINITY_OF_NOMINATED_PODS(
            27,
            "InterPodAffinity",
            "ignores the terms of nominated pods if no term of another pod matches the pod; earlier releases count "
                    + "them",
            Part.PLUGIN),
    READ_WRITE_ONCE_POD(
            27,
            "VolumeRestrictions",
            "rejects a pod without its claims in PreFilter, and honors ReadWriteOncePod; earlier releases do not",
            Part.PLUGIN),
    EXACT_REQUEST_SUMS(
            27,
            "",
            "requests are summed exactly, and the sum is rounded; earlier releases round the request of each container "
                    + "up, and score the CPU overhead of a pod in whole cores as if they were milli-CPU",
            Part.PLUGIN),
    ZONES_BEFORE_NODES(
            27,
            "VolumeZone",
            "rejects a pod with missing volumes in PreFilter; earlier releases reject it on each node that has labels",
            Part.PLUGIN),
    LEASES_ONLY(
            27,
            "",
            "rejects a leaderElection.resourceLock other than leases; earlier releases accept all locks",
            Part.CONFIGURATION),
    UNREQUESTED_RESOURCES(
            28,
            "NodeResourcesFit",
            "does not check CPU, memory, or storage that the pod does not request; earlier releases reject a node that "
                    + "is overcommitted in it",
            Part.PLUGIN),
    TRANSLATED_ZONE_LABELS(
            29,
            "VolumeZone",
            "accepts the current zone and region labels of a node for the beta labels of a volume; earlier releases "
                    + "require equal labels",
            Part.PLUGIN),
    ONE_PERIOD(
            29,
            "",
            "the result of preemption in a message ends with one period; from 1.26 to 1.28, it ends with two",
            Part.FRAMEWORK),
    EVENT_WITH_PREEMPTOR_UID(
            29,
            "DefaultPreemption",
            "the event Preempted has the UID of the preemptor; from 1.26 to 1.28, it has neither name nor UID",
            Part.FRAMEWORK),
    EXCLUDED_NODES_ARE_NOT_TRIED(
            30,
            "DefaultPreemption",
            "skips nodes that plugins exclude before the filters; earlier releases try them, and report the result",
            Part.FRAMEWORK),
    NO_SELECTOR_SPREAD(
            29,
            "SelectorSpread",
            "does not exist; from 1.25 to 1.28, v1 rejects it as invalid in this version",
            Part.CONFIGURATION),
    IGNORABLE_BINDERS(
            30,
            "",
            "the default binder binds a pod if the bind request to an extender with ignorable: true fails; in earlier "
                    + "releases, the bind fails",
            Part.FRAMEWORK),
    LIMITS_REJECT_WITHOUT_CLAIMS(
            30,
            "NodeVolumeLimits, EBSLimits, GCEPDLimits, AzureDiskLimits",
            "reject a pod whose claim is missing; earlier releases fail the attempt with an error",
            Part.PLUGIN),
    IMAGES_OF_INIT_CONTAINERS(30, "ImageLocality", "counts the images of init containers", Part.PLUGIN),
    ONE_QUEUE_SORT(
            30,
            "",
            "rejects profiles with different queueSort plugins with \"queueSort must be the same for all profiles\"; "
                    + "earlier releases have \"has to match for all profiles\"",
            Part.CONFIGURATION),
    LABEL_UPDATES_REQUEUE(
            31,
            "InterPodAffinity, PodTopologySpread",
            "are helped by changed labels of an assigned pod; in earlier releases, by any change of an assigned pod that a "
                    + "required affinity term of the waiting pod matches",
            Part.PLUGIN),
    ATTRIBUTES_CLASSES_ARE_REJECTED(
            31,
            "VolumeBinding",
            "fails the attempt for an unbound claim with volumeAttributesClassName, and skips volumes with it; earlier "
                    + "releases ignore the field",
            Part.PLUGIN),
    LIMITS_OF_CSI_ONLY(
            31,
            "EBSLimits, GCEPDLimits, AzureDiskLimits",
            "are no longer default plugins; NodeVolumeLimits counts these volumes by their CSI drivers",
            Part.DEFAULTS),
    ATTACHED_VOLUMES_COUNT(
            32,
            "NodeVolumeLimits",
            "counts volumes that are attached to a node, and reads limits in CSINodes only; earlier releases also read "
                    + "attachable-volumes-csi- of nodes, and count only volumes of pods",
            Part.PLUGIN),
    EXCLUDED_NODES_ARE_COUNTED(
            32,
            "",
            "counts nodes that plugins exclude before filters in the message (\"didn't satisfy plugin(s)\"); earlier "
                    + "releases do not count them, except 1.30 (\"filtered out by the prefilter result\")",
            Part.FRAMEWORK),
    LOCAL_VOLUMES_DO_NOT_SELECT_NODES(
            32, "VolumeBinding", "evaluates all nodes again for bound local volumes", Part.PLUGIN),
    QUEUEING_HINTS(
            32,
            "",
            "plugins decide for each event whether it can help an unschedulable pod (queueing hints); in earlier "
                    + "releases, each registered event requeues it",
            Part.FRAMEWORK),
    VICTIMS_ARE_SORTED(
            32,
            "DefaultPreemption",
            "sorts the victims of a node by priority; in earlier releases, those that violate a budget are first, and "
                    + "the first victim counts as the most important one",
            Part.FRAMEWORK),
    SCORES_AFTER_EXTENDERS(
            33,
            "",
            "after an extender with nodeCacheCapable: false, scores are computed for nodes without pods and images",
            Part.FRAMEWORK),
    BEST_EFFORT_IS_NOT_BALANCED(
            33, "NodeResourcesBalancedAllocation", "does not score pods without requests", Part.PLUGIN),
    SEPARATE_CONSTRAINTS(
            33,
            "PodTopologySpread",
            "counts pods for each constraint; in earlier releases, constraints with the same topologyKey share one "
                    + "count",
            Part.PLUGIN),
    VOLUME_AFFINITY_TEXT(
            33,
            "VolumeBinding",
            "has the reason \"node(s) didn't match PersistentVolume's node affinity\"; earlier releases have \"node(s) "
                    + "had volume node affinity conflict\"",
            Part.PLUGIN),
    STORAGE_CAPACITY_SCORING(
            33,
            "VolumeBinding",
            "names the feature gate StorageCapacityScoring in the error about shape; earlier releases name "
                    + "VolumeCapacityPriority",
            Part.CONFIGURATION),
    SELECTORS_WITHOUT_LABELS(
            34,
            "InterPodAffinity",
            "also evaluates the namespaceSelector of the pod's own terms against an empty label set, so that NotIn and "
                    + "DoesNotExist select all namespaces; earlier releases use only the labels of namespaces",
            Part.PLUGIN),
    READ_WRITE_ONCE_POD_TEXT(
            34,
            "VolumeRestrictions",
            "reports \"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already"
                    + " in-use by another pod\"; earlier releases have \"node has pod using PersistentVolumeClaim with the"
                    + " same name and ReadWriteOncePod access mode\"",
            Part.PLUGIN),
    TOO_SMALL_IS_UNRESOLVABLE(
            34,
            "NodeResourcesFit",
            "preemption skips a node that is too small even when it is empty; earlier releases try it",
            Part.PLUGIN),
    ATTRIBUTES_CLASSES(
            34, "VolumeBinding", "binds a claim only to a volume with the same volumeAttributesClassName", Part.PLUGIN),
    DEVICE_ARGUMENTS(
            34,
            "DynamicResources",
            "has the argument filterTimeout; earlier releases ignore all arguments of the plugin",
            Part.CONFIGURATION),
    VALUES_AS_JSON(
            34,
            "",
            "prints lists in errors about configurations as JSON; earlier releases print them in Go syntax",
            Part.CONFIGURATION),
    CLAIMS_BY_DEFAULT(34, "DynamicResources", "is a default plugin", Part.DEFAULTS),
    ONE_QUEUE_SORT_TEXT(
            34,
            "",
            "rejects profiles with different queueSort plugins with \"must be the same for all profiles\"; earlier "
                    + "releases have \"queueSort must be\"",
            Part.CONFIGURATION),
    TAINT_TEXT_WITHOUT_KEY(
            35,
            "TaintToleration",
            "has the reason \"node(s) had untolerated taint(s)\"; earlier releases name the taint",
            Part.PLUGIN),
    DEVICES_ARE_SCORED(
            35,
            "DynamicResources",
            "prefers nodes with a better alternative of a prioritized list, with weight 2; earlier releases do not "
                    + "score",
            Part.DEFAULTS),
    COMPLETE_POOLS(
            35,
            "DynamicResources",
            "allocates only from complete and valid pools, and class configuration names its requests; in earlier "
                    + "releases, an invalid pool fails the attempt with an error",
            Part.PLUGIN),
    NOMINATED_WHILE_BINDING(
            35,
            "",
            "writes status.nominatedNodeName of a pod that waits on Permit or for PreBind plugins; earlier releases do"
                    + " not",
            Part.FRAMEWORK),
    DELETED_WHILE_BINDING(
            35,
            "",
            "releases the node of a pod that is deleted while it is being bound, and rejects such a pod that waits on "
                    + "Permit; in earlier releases, the pod keeps the node until its binding fails",
            Part.FRAMEWORK),
    OPPORTUNISTIC_BATCHING(
            35,
            "",
            "tries the next best node of a pod first if the next pod is equal, follows within 500 ms, and is rejected "
                    + "by the node of that pod; only without extenders, and with the PodTopologySpreadArgs defaultingType: "
                    + "List; earlier releases score all nodes",
            Part.FRAMEWORK),
    BINDING_TIMEOUT(
            35,
            "DynamicResources",
            "has the argument bindingTimeout, which 1.35 rejects with its default gates, and 1.36 accepts if it is at "
                    + "least 1 s",
            Part.CONFIGURATION),
    EVICTED_IN_MEMORY(
            36,
            "DefaultPreemption",
            "the event Preempted of a victim that is not deleted ends with \"(in kube-scheduler memory).\"; in earlier "
                    + "releases, it is the same for all victims",
            Part.FRAMEWORK),
    BINDING_VICTIMS_ARE_CANCELLED(
            36,
            "DefaultPreemption",
            "retries a victim that waits on Permit after its backoff, and cancels the binding of a victim in PreBind;"
                    + " in earlier releases, the first waits for events that help it, and the second is deleted",
            Part.FRAMEWORK),
    PRE_BIND_IN_PARALLEL(
            36,
            "VolumeBinding, DynamicResources",
            "run PreBind at the same time; in earlier releases, one runs after the other",
            Part.FRAMEWORK),
    BALANCE_IS_IMPROVED(
            36,
            "NodeResourcesBalancedAllocation",
            "scores how much the pod improves the balance; earlier releases score the balance with the pod",
            Part.PLUGIN),
    IMAGE_VOLUMES(36, "ImageLocality", "counts image volumes", Part.PLUGIN),
    NODE_DECLARED_FEATURES(36, "NodeDeclaredFeatures", "is a default plugin", Part.DEFAULTS),
    PORTWORX_IS_MIGRATED(
            36,
            "NodeVolumeLimits",
            "counts in-tree Portworx volumes as CSI volumes on each node; earlier releases do so only on nodes whose "
                    + "CSINode names Portworx as migrated",
            Part.PLUGIN),
    DEVICE_FEATURES(
            36,
            "DynamicResources",
            "honors device taints, shared counters, shared devices, and binding conditions, and allocates devices for "
                    + "extended resources; earlier releases do not",
            Part.PLUGIN),
    PLACEMENT_POINTS(
            36,
            "TopologyPlacementGenerator, PodGroupPodsCount",
            "exist, with the extension points placementGenerate and placementScore; both do nothing without their "
                    + "feature gates",
            Part.CONFIGURATION),
    STRICT_SCORING_STRATEGY(
            36,
            "NodeResourcesFit",
            "rejects scoringStrategy.requestedToCapacityRatio with another type; earlier releases ignore it",
            Part.CONFIGURATION);

    /** The part of the scheduler that a change affects. */
    public enum Part {
        /** In the default plugins and their weights. */
        DEFAULTS("default plugins"),
        /** In a plugin. */
        PLUGIN("plugin"),
        /** In the validation of configurations. */
        CONFIGURATION("configuration"),
        /** In the framework: messages, preemption, extenders, the queue. */
        FRAMEWORK("framework");

        private final String text;

        Part(String text) {
            this.text = text;
        }

        /** Returns the name of the part, for reports. */
        public String text() {
            return text;
        }
    }

    private final int since;
    private final String plugins;
    private final String text;
    private final Part part;

    SchedulerChange(int since, String plugins, String text, Part part) {
        this.since = since;
        this.plugins = plugins;
        this.text = text;
        this.part = part;
    }

    /** Returns whether the schedulers of a release have the change. */
    public boolean in(Release release) {
        return release.atLeast(since);
    }

    /** Returns the first release that has the change. */
    public Release since() {
        return new Release(since);
    }

    /** Returns the plugins that change, separated by commas; empty for the framework. */
    public String plugins() {
        return plugins;
    }

    /** Returns a description of the change, and of the behavior before it. */
    public String text() {
        return text;
    }

    /** Returns the part of the scheduler that changes. */
    public Part part() {
        return part;
    }

    /** Returns the name of the change for users: lower case, with hyphens. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
