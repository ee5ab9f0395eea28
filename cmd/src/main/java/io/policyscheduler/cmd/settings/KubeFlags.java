package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.FlagGroup;

/** Other flags of kube-scheduler 1.17 to 1.34 that KubeSchedulerConfiguration does not have. */
public final class KubeFlags {
    private static final String METRICS =
            "the scheduler serves all metrics of 1.17 and 1.34, with all labels; filter them in the scrape configuration";
    private static final String VERSIONS =
            "policy-scheduler is not part of a Kubernetes release; --release sets the release of the cluster";

    public static final Setting WRITE_CONFIG_TO = Setting.ofFlag("--write-config-to", Shape.STRING)
            .withoutVariable()
            .label("FILE")
            .text("Write the effective KubeSchedulerConfiguration, including the policy flags, to FILE and" + " exit.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting VERSION = Setting.ofFlag("--version", Shape.BOOL)
            .withoutVariable()
            .choices("raw")
            .text("Print the version and exit.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting UNSCHEDULABLE_DURATION = Setting.ofFlag(
                    "--pod-max-in-unschedulable-pods-duration", Shape.DURATION)
            .standard("1m0s")
            .text("Maximum time until an unschedulable pod is retried without an event. For profiles, the"
                    + " default is 5m0s.")
            .in(FlagGroup.SCHEDULING)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            WRITE_CONFIG_TO,
            VERSION,
            UNSCHEDULABLE_DURATION,
            ignored(
                    "--show-hidden-metrics-for-version",
                    "1.N",
                    "Serve the hidden metrics of a release.",
                    "W144",
                    METRICS),
            list("--allow-metric-labels", "METRIC,LABEL=VALUES", "Allowed values of metric labels.", "W144", METRICS),
            ignored(
                    "--allow-metric-labels-manifest",
                    "FILE",
                    "File with allowed values of metric labels.",
                    "W144",
                    METRICS),
            list("--disabled-metrics", "METRIC,...", "Metrics to disable.", "W144", METRICS),
            list("--emulated-version", "[COMPONENT=]1.N", "Emulate another release.", "W145", VERSIONS),
            list(
                    "--min-compatibility-version",
                    "[COMPONENT=]1.N",
                    "Minimum release to be compatible with.",
                    "W145",
                    VERSIONS),
            Setting.ofFlag("--emulation-forward-compatible", Shape.BOOL)
                    .text("Allow newer features in an emulated release.")
                    .noEffect("W145", VERSIONS)
                    .harmless("false")
                    .in(FlagGroup.IGNORED)
                    .row(),
            list(
                    "--failure-domains",
                    "LABEL,...",
                    "Topology keys of pod affinity in releases before 1.8.",
                    "W147",
                    "pods name their topology keys, as in 1.8 and later"));

    private KubeFlags() {}

    private static Setting ignored(String flag, String label, String text, String code, String why) {
        return Setting.ofFlag(flag, Shape.STRING)
                .label(label)
                .text(text)
                .noEffect(code, why)
                .in(FlagGroup.IGNORED)
                .row();
    }

    private static Setting list(String flag, String label, String text, String code, String why) {
        return Setting.ofFlag(flag, Shape.STRING)
                .repeatable()
                .label(label)
                .text(text)
                .noEffect(code, why)
                .in(FlagGroup.IGNORED)
                .row();
    }
}
