package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;

/** The steps of plugins that may block; run on a binding thread. */
final class PluginBinding {
    private PluginBinding() {}

    /**
     * What came of it.
     *
     * @param kind how far it went
     * @param message the error; empty when there is none
     */
    public record Result(Kind kind, String message) {
        enum Kind {
            /** All is prepared; the default binder is to bind. */
            PREPARED,
            /** A bind plugin has bound the pod. */
            BOUND,
            /** A pre-bind plugin failed. */
            NOT_PREPARED,
            /** A pre-bind or bind plugin says that the pod cannot run there. */
            REJECTED,
            /** A bind plugin failed, or nobody binds. */
            NOT_BOUND
        }
    }

    static boolean isNeeded(Profile profile) {
        return !profile.preBinds().isEmpty() || !profile.binds().isEmpty() || !profile.bindsByDefault();
    }

    static Result run(Profile profile, CycleState state, PodInfo pod, String node) {
        ReleaseRules rules = profile.rules();
        for (PreBindPlugin plugin : profile.preBinds()) {
            Status status = PluginFailures.ask(plugin, () -> plugin.preBind(state, pod, node));
            if (!status.isSuccess() && status.code() != Status.Code.SKIP) {
                return new Result(
                        rules.isRejection(status) ? Result.Kind.REJECTED : Result.Kind.NOT_PREPARED,
                        rules.preBind(plugin.name(), pod.name(), status));
            }
        }
        for (BindPlugin plugin : profile.binds()) {
            Status status = PluginFailures.ask(plugin, () -> plugin.bind(state, pod, node));
            if (status.isSuccess()) {
                return new Result(Result.Kind.BOUND, "");
            }
            if (rules.isRejection(status)) {
                return new Result(Result.Kind.REJECTED, status.message());
            }
            if (status.code() != Status.Code.SKIP) {
                return new Result(Result.Kind.NOT_BOUND, rules.bind(plugin.name(), pod.key(), status));
            }
        }
        return profile.bindsByDefault()
                ? new Result(Result.Kind.PREPARED, "")
                : new Result(Result.Kind.NOT_BOUND, rules.nobodyBinds(pod.key()));
    }

    static void runPostBind(Profile profile, CycleState state, PodInfo pod, String node) {
        for (PostBindPlugin plugin : profile.postBinds()) {
            try {
                plugin.postBind(state, pod, node);
            } catch (RuntimeException | LinkageError e) {
                PluginFailures.status(plugin, e);
            }
        }
    }
}
