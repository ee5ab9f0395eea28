package io.policyscheduler.framework.scheduler.binding;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the Reserve and Permit plugins of a profile for one pod on the scheduling thread. */
final class ReserveAndPermit {
    private final Profile profile;
    private final CycleState state;
    private final PodInfo pod;
    private final String node;
    private final ReleaseRules rules;

    ReserveAndPermit(Profile profile, CycleState state, PodInfo pod, String node) {
        this.profile = profile;
        this.state = state;
        this.pod = pod;
        this.node = node;
        this.rules = profile.rules();
    }

    /**
     * The failure of a plugin.
     *
     * @param reason of the condition
     * @param message for users
     * @param plugin that rejects the pod; empty if it failed with an error
     * @param pending whether it returned the code {@code PENDING}
     */
    record Objection(String reason, String message, String plugin, boolean pending) {
        static Objection of(boolean rejects, String message, String plugin, Status status) {
            return rejects
                    ? new Objection(
                            FailureRecorder.UNSCHEDULABLE, message, plugin, status.code() == Status.Code.PENDING)
                    : new Objection(FailureRecorder.SCHEDULER_ERROR, message, "", false);
        }

        Set<String> rejectedBy() {
            return plugin.isEmpty() ? Set.of() : Set.of(plugin);
        }

        Set<String> pendingOn() {
            return pending ? Set.of(plugin) : Set.of();
        }
    }

    /**
     * The result of Permit plugins.
     *
     * @param objection null if none rejects
     * @param waits timeouts of the pod by plugin; empty to continue immediately
     */
    record Permission(@Nullable Objection objection, Map<String, WaitingPodsMap.Wait> waits) {
        Permission {
            waits = ImmutableMap.copyOf(waits);
        }
    }

    /** Null, or the failure of the first plugin that rejects or fails. */
    @Nullable
    Objection reserve() {
        for (ReservePlugin plugin : profile.reserves()) {
            Status status = PluginFailures.call(plugin, () -> plugin.reserve(state, pod, node));
            if (!status.isSuccess()) {
                return Objection.of(
                        rules.isRejection(status),
                        rules.reserve(plugin.name(), pod.name(), status),
                        plugin.name(),
                        status);
            }
        }
        return null;
    }

    void unreserve() {
        for (ReservePlugin plugin : Lists.reverse(profile.reserves())) {
            try {
                plugin.unreserve(state, pod, node);
            } catch (RuntimeException | LinkageError e) {
                PluginFailures.status(plugin, e);
            }
        }
    }

    Permission permit(Instant now) {
        Map<String, WaitingPodsMap.Wait> waits = new LinkedHashMap<>();
        for (PermitPlugin plugin : profile.permits()) {
            PermitPlugin.Answer result;
            try {
                result = Objects.requireNonNull(plugin.permit(state, pod, node), "no answer");
            } catch (RuntimeException | LinkageError e) {
                result = PermitPlugin.Answer.of(PluginFailures.status(plugin, e));
            }
            Status status = result.status();
            if (status.code() == Status.Code.WAIT) {
                Duration timeout = result.timeout().compareTo(PermitPlugin.MAX_WAIT) > 0
                        ? PermitPlugin.MAX_WAIT
                        : result.timeout();
                waits.put(plugin.name(), new WaitingPodsMap.Wait(timeout, now.plus(timeout)));
            } else if (!status.isSuccess()) {
                String message = rules.permit(plugin.name(), pod.name(), status);
                return new Permission(Objection.of(status.isRejected(), message, plugin.name(), status), Map.of());
            }
        }
        return new Permission(null, waits);
    }
}
