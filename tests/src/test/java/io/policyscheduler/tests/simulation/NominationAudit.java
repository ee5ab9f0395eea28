package io.policyscheduler.tests.simulation;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.util.function.Consumer;

/** Only waiting pods are nominated. */
final class NominationAudit {
    private static final int NODE_NAMES = 8;

    private NominationAudit() {}

    static void check(SchedulerProcess process, Consumer<String> violations) {
        Scheduler scheduler = process.scheduler();
        for (int i = 0; i < NODE_NAMES; i++) {
            for (PodInfo pod : scheduler.queue().nominated().on("n" + i)) {
                PodInfo current = scheduler.pod(pod.namespace(), pod.name());
                if (current == null || !current.isSame(pod)) {
                    violations.accept("pod " + pod.name() + " is gone, but nominated to n" + i);
                } else if (!current.nodeName().isEmpty()) {
                    violations.accept(
                            "pod " + pod.name() + " is on " + current.nodeName() + ", but nominated to n" + i);
                } else if (scheduler.cache().isAssumed(pod.uid())) {
                    violations.accept("pod " + pod.name() + " is assumed, but nominated to n" + i);
                }
            }
        }
    }
}
