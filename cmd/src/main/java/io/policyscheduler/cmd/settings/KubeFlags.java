package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.FlagGroup;
import io.policyscheduler.framework.config.setting.Setting;

/** Other flags of kube-scheduler, 1.17 to 1.34, that no KubeSchedulerConfiguration has. */
public final class KubeFlags {
    private static final String METRICS =
            "the metrics of 1.17 and of today are all served, with all labels; choose in the scrape configuration";
    private static final String VERSIONS =
            "this program is of no Kubernetes release; --release says by whose rules pods are read";

    public static final Setting WRITE_CONFIG_TO = Setting.ofFlag("--write-config-to", Shape.STRING)
            .withoutVariable()
            .label("FILE")
            .text("Write the KubeSchedulerConfiguration that holds, policy flags and all, and exit.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting VERSION = Setting.ofFlag("--version", Shape.BOOL)
            .withoutVariable()
            .choices("raw")
            .text("Show the version and exit.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting UNSCHEDULABLE_DURATION = Setting.ofFlag(
                    "--pod-max-in-unschedulable-pods-duration", Shape.DURATION)
            .standard("1m0s")
            .text(
                    "When an unschedulable pod is tried again although nothing has changed; pods of profiles after 5m0s if not set.")
            .in(FlagGroup.SCHEDULING)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            WRITE_CONFIG_TO,
            VERSION,
            UNSCHEDULABLE_DURATION,
            ignored(
                    "--show-hidden-metrics-for-version",
                    "1.N",
                    "Serve metrics that a release has hidden.",
                    "W144",
                    METRICS),
            list("--allow-metric-labels", "METRIC,LABEL=VALUES", "Values that a label may have.", "W144", METRICS),
            ignored("--allow-metric-labels-manifest", "FILE", "The same from a file.", "W144", METRICS),
            list("--disabled-metrics", "METRIC,...", "Metrics that are not served.", "W144", METRICS),
            list("--emulated-version", "[COMPONENT=]1.N", "Behave as another release.", "W145", VERSIONS),
            list("--min-compatibility-version", "[COMPONENT=]1.N", "Oldest release to work with.", "W145", VERSIONS),
            Setting.ofFlag("--emulation-forward-compatible", Shape.BOOL)
                    .text("Allow newer things in an older release.")
                    .noEffect("W145", VERSIONS)
                    .harmless("false")
                    .in(FlagGroup.IGNORED)
                    .row(),
            list(
                    "--failure-domains",
                    "LABEL,...",
                    "Topology of the affinity of releases before 1.8.",
                    "W147",
                    "the topology keys of pods count, as they did from 1.8 on"));

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
