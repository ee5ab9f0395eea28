package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.engine.preemption.PreemptionResult.PreemptionPlan;
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

/** The post-filter plugins of a profile, run for a pod that fits nowhere. Mirrors {@code RunPostFilterPlugins}. */
public final class PostFilters {
    private PostFilters() {}

    /** The message with what the post-filter plugins add to it. */
    public static String withText(String message, String more) {
        return more.isEmpty() ? message : message + " " + more;
    }

    /** What a post-filter plugin is told about preemption. */
    public static Status statusOf(PreemptionResult result) {
        return statusOf(PreemptionPlan.of(result));
    }

    /** The same of room that is made. */
    public static Status statusOf(PreemptionPlan room) {
        if (room.error() != null) {
            return Status.error(room.error());
        }
        return room.message().isEmpty() ? Status.SUCCESS : Status.unschedulable(room.message());
    }

    /**
     * Runs the plugins until one does not reject, or rejects for good.
     *
     * @param state of the attempt that failed
     * @param failures what each node was rejected for; asked for when a plugin first needs it, null when unknown
     * @return what that one has to say, which is nothing after a success; what all have to say when all reject. As users of the
     *     release see it
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
