package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Records every call as text. */
public final class RecordingListener implements Listener<String> {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long LOOK_AGAIN_MILLIS = 20;

    private final List<String> calls = new ArrayList<>();

    private String awaited = "";
    private Runnable action = () -> {};

    /** The first call with this text throws. */
    void failOn(String call) {
        on(call, () -> {
            throw new IllegalStateException("a fault of the listener");
        });
    }

    /** The first call with this text runs the action. */
    synchronized void on(String call, Runnable task) {
        awaited = call;
        action = task;
    }

    private synchronized void add(String call) {
        calls.add(call);
        notifyAll();
        if (call.equals(awaited)) {
            awaited = "";
            action.run();
        }
    }

    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** Returns everything except changes of the connection. */
    synchronized List<String> data() {
        return calls.stream().filter(call -> !call.contains("connected")).toList();
    }

    public List<String> awaitData(int count) {
        await(all -> data().size() >= count);
        return data();
    }

    /** @param condition may read more than the calls */
    public synchronized void await(Predicate<List<String>> condition) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.test(calls)) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("not in time, so far: " + calls);
            }
            try {
                wait(Math.min(left, LOOK_AGAIN_MILLIS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void onReplaced(List<String> items, String resourceVersion) {
        add("replaced " + items + " @" + resourceVersion);
    }

    @Override
    public void onAdded(String object) {
        add("added " + object);
    }

    @Override
    public void onModified(String object) {
        add("modified " + object);
    }

    @Override
    public void onDeleted(String object) {
        add("deleted " + object);
    }

    @Override
    public void onUnreadable(Unreadable object) {
        add("unreadable " + object.key() + ": " + object.reason());
    }

    @Override
    public void onUnreadableDeleted(Unreadable object) {
        add("unreadable and deleted " + object.key() + ": " + object.reason());
    }

    @Override
    public void onConnected() {
        add("connected");
    }

    @Override
    public void onDisconnected(String why) {
        add("disconnected");
    }
}
