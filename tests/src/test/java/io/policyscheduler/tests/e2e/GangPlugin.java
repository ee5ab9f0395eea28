package io.policyscheduler.tests.e2e;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Binds pods with the same label {@code gang} in pairs: the first one waits for the second. Counts its calls. */
final class GangPlugin implements ReservePlugin, PermitPlugin, PreBindPlugin, PostBindPlugin {
    static final String NAME = "Gang";

    private final WaitingPods waitingPods;
    private final Map<String, Integer> calls = new ConcurrentSkipListMap<>();
    private volatile Duration timeout;

    GangPlugin(WaitingPods waitingPods, Duration timeout) {
        this.waitingPods = waitingPods;
        this.timeout = timeout;
    }

    /** Applies to pods that are scheduled from now on. */
    void setTimeout(Duration value) {
        timeout = value;
    }

    /** Returns the number of calls for each pod, as {@code step pod}. Thread-safe. */
    Map<String, Integer> calls() {
        return Map.copyOf(calls);
    }

    int calls(String what) {
        return calls.getOrDefault(what, 0);
    }

    private void count(String step, PodInfo pod) {
        calls.merge(step + " " + pod.name(), 1, Integer::sum);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        count("reserve", pod);
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        count("unreserve", pod);
    }

    @Override
    public Answer permit(CycleState state, PodInfo pod, String node) {
        count("permit", pod);
        String gang = pod.labels().get("gang");
        if (gang == null) {
            return Answer.APPROVED;
        }
        for (WaitingPods.WaitingPod other : waitingPods.all()) {
            if (gang.equals(other.pod().labels().get("gang"))) {
                other.allow(NAME);
                return Answer.APPROVED;
            }
        }
        return Answer.waitFor(timeout);
    }

    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        count("preBind", pod);
        return Status.SUCCESS;
    }

    @Override
    public void postBind(CycleState state, PodInfo pod, String node) {
        count("postBind", pod);
    }
}
