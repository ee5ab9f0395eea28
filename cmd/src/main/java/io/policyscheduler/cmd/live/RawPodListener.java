package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.extender.client.KubeRawObjects;
import io.policyscheduler.cmd.kube.watch.ReflectorListener;
import io.policyscheduler.cmd.kube.watch.UnreadableObject;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Tells the keeper of raw pods which are gone, and another listener everything. */
final class RawPodListener implements ReflectorListener<ClusterObject> {
    private final KubeRawObjects rawObjects;
    private final ReflectorListener<ClusterObject> next;

    RawPodListener(KubeRawObjects rawObjects, ReflectorListener<ClusterObject> next) {
        this.rawObjects = rawObjects;
        this.next = next;
    }

    @Override
    public void onReplaced(List<ClusterObject> items, String resourceVersion) {
        onReplaced(items, List.of(), resourceVersion);
    }

    @Override
    public void onReplaced(List<ClusterObject> items, List<UnreadableObject> unreadable, String resourceVersion) {
        Set<String> present = items.stream()
                .filter(PodInfo.class::isInstance)
                .map(item -> ((PodInfo) item).uid())
                .collect(Collectors.toSet());
        rawObjects.retainPods(present);
        next.onReplaced(items, unreadable, resourceVersion);
    }

    @Override
    public void onAdded(ClusterObject object) {
        next.onAdded(object);
    }

    @Override
    public void onModified(ClusterObject object) {
        next.onModified(object);
    }

    @Override
    public void onDeleted(ClusterObject object) {
        if (object instanceof PodInfo pod) {
            rawObjects.forgetPod(pod.uid());
        }
        next.onDeleted(object);
    }

    @Override
    public void onUnreadable(UnreadableObject object) {
        rawObjects.forgetPod(object.uid());
        next.onUnreadable(object);
    }

    @Override
    public void onUnreadableDeleted(UnreadableObject object) {
        rawObjects.forgetPod(object.uid());
        next.onUnreadableDeleted(object);
    }

    @Override
    public void onConnected() {
        next.onConnected();
    }

    @Override
    public void onDisconnected(String why) {
        next.onDisconnected(why);
    }
}
