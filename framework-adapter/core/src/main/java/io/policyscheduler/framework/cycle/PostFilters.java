package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the post-filter plugins of a profile for an unschedulable pod. Mirrors {@code RunPostFilterPlugins}. */
public final class PostFilters {
    private PostFilters() {}

    /** Appends the text of post-filter plugins to a message. */
    public static String withText(String message, String more) {
        return more.isEmpty() ? message : message + " " + more;
    }

    /** The status of a preemption result. */
    public static Status statusOf(PreemptionResult result) {
        return statusOf(PreemptionPlan.of(result));
    }

    /** The status of a preemption plan. */
    public static Status statusOf(PreemptionPlan room) {
        if (room.error() != null) {
            return Status.error(room.error());
        }
        return room.message().isEmpty() ? Status.SUCCESS : Status.unschedulable(room.message());
    }

    /**
     * Runs the plugins until one returns success, an error, or UnschedulableAndUnresolvable.
     *
     * @param state of the failed attempt
     * @param failures the rejection of each node, computed when a plugin first reads it; null if unknown
     * @return the text of that plugin, empty after a success; the texts of all plugins if all reject. In the format of the release
     */
    public static String run(
            Profile profile,
            CycleState state,
            PodInfo pod,
            Supplier<@Nullable Map<String, NodeFailure>> failures,
            PostFilterPlugin.Services services) {
        @Nullable Map<String, NodeFailure> known = null;
        List<String> messages = new ArrayList<>();
        for (PostFilterPlugin plugin : profile.postFilters()) {
            if (known == null && plugin.wantsFailures()) {
                known = failures.get();
            }
            Map<String, NodeFailure> given = known == null ? Map.of() : known;
            Status status = PluginFailures.ask(plugin, () -> plugin.postFilter(state, pod, given, services));
            if (!status.isRejected() || status.code() == Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                return profile.rules().afterwards(status.message());
            }
            messages.addAll(status.reasons());
        }
        return profile.rules().afterwards(String.join(", ", messages));
    }
}
