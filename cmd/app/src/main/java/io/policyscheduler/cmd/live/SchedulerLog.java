package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.snapshot.KindReaders.UnknownFields;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Logs what the scheduler does, one line each. */
public final class SchedulerLog implements SchedulerListener {
    private static final Logger LOG = LoggerFactory.getLogger("scheduler");
    private static final int MAX_LOGGED = 1000;

    private final Set<String> loggedOutOfRange = new HashSet<>();
    private final boolean hasLease;
    private long boundByOthers;
    private long nextLogged = 1;

    /** For a process without leader election, which reports if another process binds its pods. */
    public SchedulerLog() {
        this(false);
    }

    /** @param hasLease whether leader election ensures that only one process binds pods */
    public SchedulerLog(boolean hasLease) {
        this.hasLease = hasLease;
    }

    @Override
    public void onBoundByAnother(PodInfo pod) {
        boundByOthers++;
        // Logs the first, the tenth, the hundredth, and so on, which bounds the number of lines.
        if (!hasLease && boundByOthers == nextLogged) {
            nextLogged *= 10;
            about(LOG.atWarn(), pod)
                    .addKeyValue("node", pod.nodeName())
                    .log(
                            "W119 another process binds pods of scheduler name {}, {} so far, and both can use the same"
                                    + " resources; run one process, or run all with --leader-elect=true",
                            pod.spec().schedulerName(),
                            boundByOthers);
        }
    }

    @Override
    public void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {
        // One line for each algorithm and node; the number of nodes bounds the size.
        if (loggedOutOfRange.size() < MAX_LOGGED && loggedOutOfRange.add(algorithm + " " + node)) {
            about(LOG.atWarn(), pod)
                    .addKeyValue("node", node)
                    .log(
                            "W113 {} returned the score {}, which is out of range and is clamped; check the node for extreme"
                                    + " quantities; reported once",
                            algorithm,
                            score);
        }
    }

    @Override
    public void onSynced() {
        LOG.info("caches are synced");
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        about(LOG.atInfo(), entry)
                .addKeyValue("node", node)
                .addKeyValue("ms", TimeUnit.NANOSECONDS.toMillis(nanos))
                .log("bound");
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        about(LOG.atWarn(), entry)
                .addKeyValue("node", node)
                .addKeyValue("message", message)
                .log("W106 not bound");
    }

    @Override
    public void onFailure(QueuedPod entry, String reason, String message) {
        about(LOG.atInfo(), entry)
                .addKeyValue("reason", reason)
                .addKeyValue("message", message)
                .log("not scheduled");
    }

    @Override
    public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
        about(LOG.atInfo(), preemptor)
                .addKeyValue("node", node)
                .addKeyValue("victims", victims.stream().map(PodInfo::key).collect(Collectors.joining(",")))
                .log("preempting");
    }

    @Override
    public void onUnknownPodField(String path) {
        LOG.warn("{}", UnknownFields.warning(path));
    }

    @Override
    public void onExpired(PodInfo pod) {
        about(LOG.atWarn(), pod)
                .addKeyValue("node", pod.nodeName())
                .log("W107 bound, but the watch did not deliver the bind; reading the pod");
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, QueuedPod entry) {
        return about(line, entry.pod()).addKeyValue("attempt", entry.attempts());
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, PodInfo pod) {
        return line.addKeyValue("pod", pod.key());
    }
}
