package io.policyscheduler.framework.modern;

import com.google.common.collect.ImmutableMultiset;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.SignPlugin;
import java.util.List;
import java.util.Map;

/** The parts of a pod that several plugins sign. Mirrors {@code k8s.io/kube-scheduler/framework/signers.go}. */
final class Signers {
    private Signers() {}

    /** Signs the tolerations, in any order. */
    interface OfTolerations extends SignPlugin {
        @Override
        default Map<String, Object> sign(PodInfo pod) {
            return Map.of("tolerations", ImmutableMultiset.copyOf(pod.tolerations()));
        }
    }

    /** Signs the volumes that affect scheduling, in any order. Claims of several namespaces are equal if their names are. */
    interface OfVolumes extends SignPlugin {
        @Override
        default Map<String, Object> sign(PodInfo pod) {
            return Map.of(
                    "volumes",
                    List.of(
                            ImmutableMultiset.copyOf(pod.volumes()),
                            ImmutableMultiset.copyOf(pod.spec().imageVolumes())));
        }
    }
}
