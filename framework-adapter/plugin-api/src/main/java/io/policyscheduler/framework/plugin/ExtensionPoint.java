package io.policyscheduler.framework.plugin;

/**
 * The extension points, in the order in which kube-scheduler validates them at start. Mirrors
 * {@code pkg/scheduler/framework/interface.go} of current releases.
 */
public enum ExtensionPoint {
    PRE_ENQUEUE("preEnqueue", "PreEnqueue"),
    PRE_FILTER("preFilter", "PreFilter"),
    FILTER("filter", "Filter"),
    RESERVE("reserve", "Reserve"),
    POST_FILTER("postFilter", "PostFilter"),
    PRE_SCORE("preScore", "PreScore"),
    SCORE("score", "Score"),
    PRE_BIND("preBind", "PreBind"),
    BIND("bind", "Bind"),
    POST_BIND("postBind", "PostBind"),
    PERMIT("permit", "Permit"),
    QUEUE_SORT("queueSort", "QueueSort"),
    /** Since 1.36, for groups of pods. */
    PLACEMENT_GENERATE("placementGenerate", "PlacementGenerate"),
    /** Since 1.36, for groups of pods. */
    PLACEMENT_SCORE("placementScore", "PlacementScore");

    private final String key;
    private final String label;

    ExtensionPoint(String key, String label) {
        this.key = key;
        this.label = label;
    }

    /** The key in {@code plugins} of a KubeSchedulerConfiguration. */
    public String key() {
        return key;
    }

    /** The name in metrics and messages. */
    public String label() {
        return label;
    }

    /** The name of the interface in Kubernetes, as in its messages, e.g. {@code FilterPlugin}. */
    public String typeName() {
        return label + "Plugin";
    }
}
