package io.policyscheduler.framework.profile;

import com.google.common.base.Ascii;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;

/** The words that a release puts around a plugin's message. Mirrors {@code framework.go} of 1.17 and of current releases. */
public final class FrameworkTexts {
    private final boolean current;

    /** The words of a release. */
    public FrameworkTexts(FrameworkVersion version) {
        current = version == FrameworkVersion.CURRENT;
    }

    private String running(String point, String plugin, String pod, Status status) {
        return current
                ? "running " + point + " plugin \"" + plugin + "\": " + status.message()
                : "error while running \"" + plugin + "\" " + Ascii.toLowerCase(point) + " plugin for pod \"" + pod
                        + "\": " + status.message();
    }

    /** A pre-filter step that failed, or that 1.17 does not let reject. */
    public String preFilter(String plugin, String pod, Status status) {
        return !current && status.isRejected()
                ? "rejected by \"" + plugin + "\" at prefilter: " + status.message()
                : running("PreFilter", plugin, pod, status);
    }

    /** A filter that failed. */
    public String filter(String plugin, String pod, Status status) {
        return current
                ? "running \"" + plugin + "\" filter plugin: " + status.message()
                : running("Filter", plugin, pod, status);
    }

    /** A step before scoring that failed. 1.17 knows it as PostFilter. */
    public String preScore(String plugin, String pod, Status status) {
        return running(current ? "PreScore" : "PostFilter", plugin, pod, status);
    }

    /** A score that failed. */
    public String score(String plugin, String pod, String message) {
        return current
                ? "running Score plugins: plugin \"" + plugin + "\" failed with: " + message
                : "error while running score plugin for pod \"" + pod + "\": " + message;
    }

    /** Normalising that failed. */
    public String normalize(String plugin, String pod, String message) {
        return current
                ? "running Normalize on Score plugins: plugin \"" + plugin + "\" failed with: " + message
                : "error while running normalize score plugin for pod \"" + pod + "\": normalize score plugin \""
                        + plugin + "\" failed with error " + message;
    }

    /** A score that is out of range. */
    public String range(String plugin, String pod, long score) {
        String what = " returns an invalid score " + score + ", it should in the range of [" + ScorePlugin.MIN_SCORE
                + ", " + ScorePlugin.MAX_SCORE + "] after normalizing";
        return current
                ? "applying score defaultWeights on Score plugins: plugin \"" + plugin + "\"" + what
                : "error while applying score defaultWeights for pod \"" + pod + "\": score plugin \"" + plugin + "\""
                        + what;
    }

    /** True where a rejection after the decision counts as unschedulable; in 1.17 it is an error, but for permit. */
    public boolean isRejection(Status status) {
        return current && status.isRejected();
    }

    /** A rejection after the decision as users see it. */
    public String lateRejection(String message) {
        return current ? "0/1 nodes are available: 1 " + message + "." : message;
    }

    /** A reserve that failed or rejected. */
    public String reserve(String plugin, String pod, Status status) {
        return isRejection(status) ? lateRejection(status.message()) : running("Reserve", plugin, pod, status);
    }

    /** A permit that failed or rejected. */
    public String permit(String plugin, String pod, Status status) {
        if (!status.isRejected()) {
            return running("Permit", plugin, pod, status);
        }
        return current
                ? lateRejection(status.message())
                : "rejected by \"" + plugin + "\" at permit: " + status.message();
    }

    /** A rejection while waiting at permit. */
    public String rejectedWaiting(String pod, String message) {
        return current ? lateRejection(message) : "pod \"" + pod + "\" rejected while waiting at permit: " + message;
    }

    /** A preparation of the binding that failed. */
    public String preBind(String plugin, String pod, Status status) {
        return isRejection(status) ? lateRejection(status.message()) : running("PreBind", plugin, pod, status);
    }

    /** A bind plugin that failed; {@code pod} is {@code namespace/name}. */
    public String bind(String plugin, String pod, Status status) {
        return current
                ? "running Bind plugin \"" + plugin + "\": " + status.message()
                : "Bind failure, code: 1: bind plugin \"" + plugin + "\" failed to bind pod \"" + pod + "\": "
                        + status.message();
    }

    /** A bind that failed, as the event says it. */
    public String bindEvent(String message) {
        return current ? message : "Binding rejected: " + message;
    }

    /** No bind plugin took the pod and the profile has no default binder. */
    public String nobodyBinds(String pod) {
        return "no bind plugin of the profile binds pod \"" + pod + "\": all of them skipped it";
    }
}
