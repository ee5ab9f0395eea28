package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Strings;
import io.policyscheduler.cmd.page.Frames.NodeChanges.NodeRow;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.List;
import java.util.Optional;

/** The details of one node or pod on the page. */
final class Details {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Details() {}

    /** A copy of a node, made on the owning thread. */
    record SeenNode(NodeRow row, List<PodInfo> pods) {
        SeenNode {
            pods = List.copyOf(pods);
        }

        static Optional<SeenNode> of(PageSource.SchedulerState inside, String name) {
            NodeInfo info = inside.cluster().node(name);
            return info == null || !info.hasNode()
                    ? Optional.empty()
                    : Optional.of(new SeenNode(NodeRow.of(info), info.pods()));
        }
    }

    /** A node with the pods that count on it. */
    static ObjectNode node(SeenNode seen) {
        Node node = seen.row().node();
        ObjectNode json = JSON.objectNode()
                .put("name", node.name())
                .put("trouble", seen.row().trouble());
        json.put("kubelet", node.kubeletVersion());
        ObjectNode labels = json.putObject("labels");
        node.labels().forEach(labels::put);
        ArrayNode taints = json.putArray("taints");
        for (Taint taint : node.taints()) {
            taints.add(taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect());
        }
        ArrayNode resources = json.putArray("resources");
        resource(resources, "cpu", seen.row().milliCpu(), node.allocatable().milliCpu());
        resource(resources, "memory", seen.row().memory(), node.allocatable().memory());
        resource(resources, "pods", seen.row().pods(), node.allocatable().pods());
        for (int i = 0; i < node.allocatable().scalarCount(); i++) {
            resource(
                    resources,
                    node.allocatable().scalarName(i),
                    seen.row().scalars().get(i),
                    node.allocatable().scalarAmount(i));
        }
        ArrayNode pods = json.putArray("pods");
        for (PodInfo pod : seen.pods()) {
            pods.addObject()
                    .put("pod", pod.key())
                    .put("milliCpu", pod.resources().request().milliCpu())
                    .put("memory", pod.resources().request().memory())
                    .put("priority", pod.priority())
                    .put("phase", pod.phase())
                    .put("scheduler", pod.spec().schedulerName());
        }
        return json;
    }

    private static void resource(ArrayNode all, String name, long requested, long offered) {
        all.addObject().put("name", name).put("requested", requested).put("allocatable", offered);
    }

    /**
     * A copy of a pod, made on the owning thread.
     *
     * @param part of the queue; empty for none
     */
    record SeenPod(PodInfo pod, Optional<Part> part) {
        static Optional<SeenPod> of(PageSource.SchedulerState inside, String namespace, String name) {
            PodInfo pod = inside.pod(namespace, name);
            return pod == null
                    ? Optional.empty()
                    : Optional.of(new SeenPod(pod, Optional.ofNullable(inside.partOf(pod.key()))));
        }
    }

    /** A pod and where it is. */
    static ObjectNode pod(SeenPod seen) {
        PodInfo pod = seen.pod();
        ObjectNode json = JSON.objectNode().put("pod", pod.key()).put("uid", pod.uid());
        json.put("node", Strings.emptyToNull(pod.nodeName())).put("phase", pod.phase());
        json.put("nominatedNode", Strings.emptyToNull(pod.nominatedNodeName()));
        json.put("priority", pod.priority()).put("scheduler", pod.spec().schedulerName());
        json.put("milliCpu", pod.resources().request().milliCpu());
        json.put("memory", pod.resources().request().memory());
        ObjectNode labels = json.putObject("labels");
        pod.labels().forEach(labels::put);
        PodInfo.ScheduledCondition condition = pod.scheduled();
        json.put("message", condition == null ? null : Strings.emptyToNull(condition.message()));
        json.put("queue", seen.part().map(Part::label).orElse(null));
        return json;
    }
}
