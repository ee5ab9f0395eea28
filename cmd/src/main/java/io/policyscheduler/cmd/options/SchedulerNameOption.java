package io.policyscheduler.cmd.options;

import io.policyscheduler.engine.cluster.object.PodInfo;
import picocli.CommandLine.Option;

/** Pods of which scheduler are looked at, as a mixin. */
public final class SchedulerNameOption {
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
    public boolean wants(PodInfo pod) {
        String scheduler = pod.spec().schedulerName();
        return name.equals(ALL) || name.equals(scheduler.isEmpty() ? DEFAULT_SCHEDULER : scheduler);
    }
}
