package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records every call; the test completes binds and reads. */
final class FakeWriter implements ClusterWriter {
    /** Every call in order, one line each. */
    final List<String> calls = new ArrayList<>();

    final List<PodInfo.ScheduledCondition> conditions = new ArrayList<>();
    private final List<Consumer<BindOutcome>> binds = new ArrayList<>();
    private final List<Consumer<PodRead>> reads = new ArrayList<>();

    @Override
    public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
        calls.add("bind " + pod.uid() + " " + node);
        binds.add(done);
    }

    @Override
    public void updateStatus(
            PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
        if (condition != null) {
            calls.add("condition " + pod.uid() + " " + condition.reason() + ": " + condition.message());
            conditions.add(condition);
        }
        if (nominatedNode != null) {
            calls.add("nomination " + pod.uid() + " " + nominatedNode);
        }
    }

    @Override
    public void event(PodInfo pod, String type, String reason, String message, long generation) {
        calls.add(type + " " + reason + ": " + message);
    }

    @Override
    public void readPod(PodInfo pod, Consumer<PodRead> done) {
        calls.add("read " + pod.uid());
        reads.add(done);
    }

    void answerBind(BindOutcome outcome) {
        binds.remove(0).accept(outcome);
    }

    boolean isAskedToRead() {
        return !reads.isEmpty();
    }

    void answerRead(PodRead read) {
        reads.remove(0).accept(read);
    }

    /** Returns the calls since the last look. */
    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }
}
