package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A plugin that waits, rejects, and fails at random, and records what is reserved. */
final class SimulatedPlugin implements PreEnqueuePlugin, ReservePlugin, PermitPlugin, PreBindPlugin, PostBindPlugin {
    /** State that the plugins of all profiles share. */
    static final class Books {
        private final Random random;
        private final List<String> mistakes;
        /** The node that is reserved for a pod, by UID. */
        private final Map<String, String> reserved = new TreeMap<>();

        private boolean calm;
        private boolean gateOpen = true;

        Books(Random random, List<String> mistakes) {
            this.random = random;
            this.mistakes = mistakes;
        }

        Map<String, String> reserved() {
            return reserved;
        }

        /** Makes all plugins accept everything from now on. */
        void calm() {
            calm = true;
        }

        void turnGate() {
            gateOpen = !gateOpen;
        }

        private boolean happens(int percent) {
            return !calm && random.nextInt(100) < percent;
        }
    }

    private final Books books;
    private final int generation;
    private boolean closed;

    SimulatedPlugin(Books books, int generation) {
        this.books = books;
        this.generation = generation;
    }

    private void used(String how, PodInfo pod) {
        if (closed) {
            books.mistakes.add(how + " of " + pod.uid() + " by the closed plugin of generation " + generation);
        }
    }

    @Override
    public String name() {
        return "Simulated";
    }

    @Override
    public void close() {
        if (closed) {
            books.mistakes.add("the plugin of generation " + generation + " is closed twice");
        }
        closed = true;
    }

    @Override
    public Status preEnqueue(PodInfo pod) {
        used("preEnqueue", pod);
        boolean gated = !books.calm && !books.gateOpen && pod.priority() == 0;
        return gated ? Status.unresolvable("closed") : Status.SUCCESS;
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        used("reserve", pod);
        if (books.happens(5)) {
            return books.random.nextBoolean() ? Status.error("reserve failed") : Status.unschedulable("not now");
        }
        String before = books.reserved.put(pod.uid(), node);
        if (before != null) {
            books.mistakes.add(pod.uid() + " reserved on " + before + " and on " + node);
        }
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        used("unreserve", pod);
        String before = books.reserved.remove(pod.uid());
        if (before != null && !before.equals(node)) {
            books.mistakes.add(pod.uid() + " reserved on " + before + " but taken back on " + node);
        }
    }

    @Override
    public Answer permit(CycleState state, PodInfo pod, String node) {
        used("permit", pod);
        if (books.happens(20)) {
            return Answer.waitFor(Duration.ofMillis(books.random.nextInt(3_000)));
        }
        return books.happens(5) ? Answer.of(Status.unschedulable("no permit")) : Answer.APPROVED;
    }

    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        used("preBind", pod);
        return books.happens(5) ? Status.error("not prepared") : Status.SUCCESS;
    }

    @Override
    public void postBind(CycleState state, PodInfo pod, String node) {
        used("postBind", pod);
    }
}
