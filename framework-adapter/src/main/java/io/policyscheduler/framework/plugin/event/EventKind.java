package io.policyscheduler.framework.plugin.event;

/** What happened to what. Mirrors {@code ClusterEvent} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
public record EventKind(EventResource resource, EventAction action) {
    /** The name in metrics, such as {@code NodeUpdateNodeTaint}. */
    public String label() {
        return resource.label() + action.label();
    }
}
