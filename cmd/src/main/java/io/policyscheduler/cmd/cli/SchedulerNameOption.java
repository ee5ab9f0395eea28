package io.policyscheduler.cmd.cli;

import io.policyscheduler.engine.cluster.PodInfo;
import picocli.CommandLine.Option;

/** Pods of which scheduler are looked at, as a mixin. */
final class SchedulerNameOption {
    private static final String ALL = "all";
    /** What the API server writes into pods that name none; a dump may lack it. */
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "Look only at pods of this scheduler (default: ${DEFAULT-VALUE}).")
    private String name = ALL;

    /** Whether the pod is looked at. */
    boolean wants(PodInfo pod) {
        String scheduler = pod.spec().schedulerName();
        return name.equals(ALL) || name.equals(scheduler.isEmpty() ? DEFAULT_SCHEDULER : scheduler);
    }
}
