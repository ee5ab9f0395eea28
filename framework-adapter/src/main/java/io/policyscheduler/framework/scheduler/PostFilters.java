package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.DefaultPreemption;
import io.policyscheduler.framework.profile.PluginFailures;
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

    /**
     * Runs the plugins until one does not reject, or rejects for good.
     *
     * @return what that one has to say, which is nothing after a success; what all have to say when all reject
     */
    String run(ProfileRuntime runtime, CycleState state, PodInfo pod) {
        @Nullable Map<String, NodeFailure> failures = null;
        List<String> messages = new ArrayList<>();
        for (PostFilterPlugin plugin : runtime.profile().postFilters()) {
            if (failures == null && !(plugin instanceof DefaultPreemption)) {
                failures = runtime.decider().failures(pod, nominated);
            }
            Map<String, NodeFailure> known = failures == null ? Map.of() : failures;
            Status status = PluginFailures.ask(
                    plugin,
                    () -> plugin.postFilter(state, pod, known, () -> runtime.preemptor().preempt(pod, nominated)));
            if (!status.isRejected() || status.code() == Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                return status.message();
            }
            messages.addAll(status.reasons());
        }
        return String.join(", ", messages);
    }
}
