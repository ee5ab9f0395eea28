package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The decisions about the pods of the demo. Thread-safe. */
final class DemoResult implements SchedulerListener {
    private static final long QUIET_NANOS = Duration.ofMillis(700).toNanos();
    private static final long POLL_MILLIS = 50;

    /** The last result for one pod; {@code node} is null for an unschedulable pod. */
    private record Fate(@Nullable String node, long score, int feasible, String message) {}

    private final String schedulerName;
    private final SortedMap<String, Decision> decisions = new TreeMap<>();
    private final SortedMap<String, Fate> fates = new TreeMap<>();
    private long started;
    private long lastChange;

    DemoResult(String schedulerName) {
        this.schedulerName = schedulerName;
    }

    synchronized void start() {
        started = System.nanoTime();
        lastChange = started;
    }

    @Override
    public synchronized void onDecision(PodInfo pod, Decision decision, long nanos) {
        decisions.put(pod.key(), decision);
        lastChange = System.nanoTime();
    }

    @Override
    public synchronized void onBound(QueuedPod entry, String node, long nanos) {
        Decision decision = decisions.get(entry.pod().key());
        fates.put(
                entry.pod().key(),
                new Fate(
                        node,
                        decision == null ? 0 : decision.score(),
                        decision == null ? 0 : decision.feasibleNodes(),
                        ""));
        lastChange = System.nanoTime();
        notifyAll();
    }

    @Override
    public synchronized void onFailure(QueuedPod entry, String reason, String message) {
        fates.put(entry.key(), new Fate(null, 0, 0, message));
        lastChange = System.nanoTime();
        notifyAll();
    }

    /**
     * Waits until every pod has a decision and nothing has happened for a moment.
     *
     * @return false if the limit is reached first, or the command is interrupted
     */
    synchronized boolean await(EmbeddedCluster cluster, Duration limit, Progress progress, BooleanSupplier interrupted)
            throws InterruptedException {
        long deadline = started + limit.toNanos();
        while (System.nanoTime() < deadline && !interrupted.getAsBoolean()) {
            long bound =
                    fates.values().stream().filter(fate -> fate.node() != null).count();
            progress.update(bound + " pods bound, " + (fates.size() - bound) + " unschedulable");
            if (System.nanoTime() - lastChange > QUIET_NANOS
                    && undecided(cluster).isEmpty()) {
                return true;
            }
            wait(POLL_MILLIS);
        }
        return false;
    }

    /** Returns the pods of this scheduler without a result. */
    synchronized List<String> undecided(EmbeddedCluster cluster) {
        List<String> names = new ArrayList<>();
        for (ObjectNode pod : cluster.list("pods")) {
            String key = pod.path("metadata").path("namespace").asText() + "/"
                    + pod.path("metadata").path("name").asText();
            if (pod.path("spec").path("schedulerName").asText().equals(schedulerName) && !fates.containsKey(key)) {
                names.add(key);
            }
        }
        return names;
    }

    private synchronized double seconds() {
        return (lastChange - started) / 1e9;
    }

    synchronized void print(PrintWriter out) {
        TextTable bound =
                new TextTable().text("POD").text("NODE").number("SCORE").number("FEASIBLE");
        TextTable waiting = new TextTable().text("UNSCHEDULABLE").text("MESSAGE");
        int placed = 0;
        for (Map.Entry<String, Fate> entry : fates.entrySet()) {
            Fate fate = entry.getValue();
            if (fate.node() == null) {
                waiting.row(entry.getKey(), fate.message());
            } else {
                placed++;
                bound.row(entry.getKey(), fate.node(), fate.feasible() == 1 ? "-" : fate.score(), fate.feasible());
            }
        }
        bound.print(out);
        out.println();
        if (!waiting.isEmpty()) {
            waiting.print(out);
            out.println();
        }
        out.println(String.format(
                Locale.ROOT, "%d pods bound, %d unschedulable, %.1f s", placed, fates.size() - placed, seconds()));
    }

    synchronized ObjectNode json() {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode bound = result.putArray("pods");
        ArrayNode waiting = result.putArray("unschedulable");
        fates.forEach((pod, fate) -> {
            if (fate.node() == null) {
                waiting.addObject().put("pod", pod).put("message", fate.message());
            } else {
                bound.addObject().put("pod", pod).put("node", fate.node()).put("score", fate.score());
            }
        });
        return result.put("seconds", seconds());
    }
}
