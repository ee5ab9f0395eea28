package io.policyscheduler.cmd.embedded.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kubelet's last look before it runs a pod (pkg/kubelet/lifecycle). */
@FunctionalInterface
public interface NodeAdmission {
    /**
     * Decides whether a node takes a pod.
     *
     * @param pod the bound pod
     * @param node its node
     * @param podsOnNode the pods that the node has taken and that still run, in the order of their arrival
     * @return null to run the pod; otherwise {@code REASON: message}, for example {@code OutOfcpu: Node didn't have
     *     enough resource: cpu, ...}
     */
    @Nullable
    String reject(ObjectNode pod, ObjectNode node, List<ObjectNode> podsOnNode);
}
