package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.threads.DelayedExecutor;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When calls without an answer are repeated, until it is known whether room was made. */
final class Repetition {
    private static final Logger LOG = LoggerFactory.getLogger(Repetition.class);
    /** A server that is away for longer than some minutes is not asked to delete what was chosen before. */
    private static final int MAX_FAILED = 20;

    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

    private final Executor writes;
    private final DelayedExecutor timer;

    Repetition(Executor writes, DelayedExecutor timer) {
        this.writes = writes;
        this.timer = timer;
    }

    /**
     * Calls once more, later.
     *
     * @param failed how often in a row there was no answer before
     * @return false when it is no use
     */
    boolean again(PodInfo pod, String node, ApiIoException why, int failed, Runnable call) {
        boolean again = why.isSent() && failed < MAX_FAILED;
        LOG.atWarn()
                .addKeyValue("pod", pod.key())
                .addKeyValue("node", node)
                .log("W104 preemption {}: {}", again ? "failed, retrying" : "failed", why.getMessage());
        if (again) {
            timer.execute(() -> writes.execute(call), delay(failed));
        }
        return again;
    }

    private static Duration delay(int failed) {
        Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(failed, MAX_FAILED));
        return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
    }
}
