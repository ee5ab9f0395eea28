package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.DefaultPreemption;
import io.policyscheduler.framework.scheduler.cycle.PluginFailures;
import io.policyscheduler.framework.scheduler.queue.NominatedPodMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The post-filter plugins of a profile, run for a pod that fits nowhere. */
final class PostFilters {
    private final NominatedPodMap nominated;

    PostFilters(NominatedPodMap nominated) {
        this.nominated = nominated;
    }

    /** Runs the plugins until one does not reject; what they have to say, or an empty string. */
    String run(ProfileRuntime runtime, CycleState state, PodInfo pod) {
        @Nullable Map<String, NodeFailure> failures = null;
        List<String> messages = new ArrayList<>();
        for (PostFilterPlugin plugin : runtime.profile().postFilters()) {
            if (failures == null && !(plugin instanceof DefaultPreemption)) {
                failures = runtime.decider().failures(pod, nominated);
            }
            Status status;
            try {
                status = plugin.postFilter(
                        state,
                        pod,
                        failures == null ? Map.of() : failures,
                        () -> runtime.preemptor().preempt(pod, nominated));
            } catch (RuntimeException e) {
                status = PluginFailures.status(plugin, e);
            }
            if (!status.message().isEmpty()) {
                messages.add(status.message());
            }
            if (status.code() != Status.Code.UNSCHEDULABLE) {
                return status.isSuccess() ? "" : String.join(", ", messages);
            }
        }
        return String.join(", ", messages);
    }
}
