package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.history.RunRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.live.InputRecording;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerAssembly;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.policyscheduler.tests.simulation.Scenario.WriteClass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run of the scheduler's process, from its first list to its crash. */
final class SchedulerProcess {
    static final Duration VOLUME_TIMEOUT = Duration.ofSeconds(30);
    private static final long SLOW_MILLIS = 5_000;

    private final World world;
    private final int id;
    private final Luck luck;
    private final @Nullable RunRecorder recorder;
    private final SchedulerAssembly assembly;
    private final Scheduler scheduler;
    private final Map<ResourceKind, Feed> feeds = new EnumMap<>(ResourceKind.class);
    private final List<Runnable> afterDrain = new ArrayList<>();
    private boolean busy = true;
    private boolean running;
    private long lastRun;
    private long pausedUntil;
    private long generation = 1;

    SchedulerProcess(World world, int id, SeedRunner shared, @Nullable Recordings recordings) {
        this.world = world;
        this.id = id;
        this.luck = world.luck();
        Scenario scenario = world.scenario();
        long seed = luck.nextLong();
        this.recorder = recordings == null ? null : recordings.begin(id, seed);
        SchedulerSettings settings = settings(
                shared,
                scenario,
                seed,
                1,
                recorder == null ? new Listener() : SchedulerListener.all(new Listener(), recorder));
        // Events are not looked at: nobody runs what writes them.
        EventRecorder events = new EventRecorder(
                shared.connection(),
                EventApi.EVENTS,
                Manifests.OURS,
                "sim",
                world.time().wall(),
                world.time().steady(),
                task -> {});
        this.assembly = new SchedulerAssembly(
                settings,
                new SchedulerAssembly.Server(
                        shared.connection(),
                        "policy/v1",
                        "resource.k8s.io/v1",
                        events,
                        shared.rawObjects(),
                        (config, strict) -> shared.extenderClient(),
                        () -> true),
                new SchedulerAssembly.Calls(
                        task -> execute("bind thread", longest(WriteClass.BINDS), task),
                        task -> execute("api thread", longest(WriteClass.OTHERS), task),
                        task -> execute("status thread", longest(WriteClass.STATUSES), task),
                        task -> execute("evicting thread", longest(WriteClass.EVICTIONS), task),
                        task -> execute("read thread", 20, task),
                        Runnable::run,
                        task -> execute("plugin thread", 20, task),
                        (task, delay) -> world.time().in(delay.toMillis(), id, "timer", task),
                        Duration.ZERO),
                new EventInbox(),
                world.time().steady(),
                world.time().wall(),
                () -> 0,
                recorder == null ? InputRecording.NONE : recorder);
        this.scheduler = assembly.scheduler();
        if (recorder != null) {
            recorder.policy(1, JsonNodeFactory.instance.objectNode(), List.of());
        }
        for (ResourceKind kind : ResourceKind.values()) {
            feeds.put(
                    kind, new Feed(world, id, world.log().of(kind), scheduler.inbox(), this::decode, afterDrain::add));
        }
        follow();
        lastRun = world.time().now();
    }

    /** The longest time that a write of this class waits for a thread. */
    private long longest(WriteClass writes) {
        return !world.isCalm() && world.scenario().slowWrites() == writes ? SLOW_MILLIS : 20;
    }

    private void execute(String name, long maxMillis, Runnable task) {
        world.time().in(luck.skewedMillis(maxMillis), id, name, task);
    }

    int id() {
        return id;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    Feed feed(ResourceKind kind) {
        Feed feed = feeds.get(kind);
        if (feed == null) {
            throw new IllegalArgumentException("no feed of " + kind);
        }
        return feed;
    }

    void follow() {
        feeds.values().forEach(Feed::follow);
    }

    /** Whether the scheduling thread is waiting for an extender. */
    boolean isRunning() {
        return running;
    }

    /** Replaces the plugins by new ones for the same policy; every second time as a canary for half of the pods. */
    void reload() {
        generation++;
        if (recorder != null) {
            recorder.policy(generation, JsonNodeFactory.instance.objectNode(), List.of());
        }
        scheduler.post(new ClusterChange.ProfilesReplaced(
                assembly.profiles(generation, profiles(world.shared(), world.scenario(), generation))));
    }

    private static List<ProfileSettings> profiles(SeedRunner shared, Scenario scenario, long generation) {
        List<ProfileSettings> profiles = new ArrayList<>(shared.profiles(scenario));
        if (generation % 2 == 0) {
            profiles.add(profiles.get(0).withShare(0.5));
        }
        return profiles;
    }

    static SchedulerSettings settings(
            SeedRunner shared, Scenario scenario, long seed, long generation, SchedulerListener listener) {
        return new SchedulerSettings(
                profiles(shared, scenario, generation),
                TieBreak.random(new SplittableRandom(seed)),
                !scenario.preemption(),
                VOLUME_TIMEOUT,
                SchedulerOptions.defaults(),
                listener,
                null);
    }

    private @Nullable ClusterObject decode(ObjectNode object, String kind) {
        if (recorder == null) {
            return world.decode(object, kind);
        }
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return recorder.decoder(body -> world.shared().reader().read(body, kind), () -> false)
                    .decode(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The time until which the process is suspended. */
    void pause(long millis) {
        pausedUntil = world.time().now() + millis;
    }

    long pausedUntil() {
        return pausedUntil;
    }

    boolean isPaused() {
        return world.time().now() < pausedUntil + 10;
    }

    /** Returns when the scheduling thread continues: immediately if there is work, otherwise at its next timer. */
    long wakeAt() {
        if (running) {
            return Long.MAX_VALUE;
        }
        long now = world.time().now();
        long at = lastRun + 1;
        if (!busy && scheduler.inbox().size() == 0) {
            long millis = TimeUnit.NANOSECONDS.toMillis(scheduler.nanosUntilNextTimer() + 999_999);
            at = Math.max(at, now + millis);
        }
        return Math.max(Math.max(at, now), pausedUntil);
    }

    void run() {
        running = true;
        world.audit().beforeRun();
        afterDrain.forEach(Runnable::run);
        afterDrain.clear();
        try {
            busy = scheduler.runOnce();
        } finally {
            running = false;
            lastRun = world.time().now();
        }
        world.audit().afterRun(busy);
    }

    private final class Listener implements SchedulerListener {
        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            world.trace()
                    .add("decision " + pod.name() + ": " + decision.kind() + " " + decision.node() + " "
                            + decision.message());
            world.audit().decided(pod, decision);
        }

        @Override
        public void onBound(QueuedPod entry, String node, long nanos) {
            world.trace().add("bound " + entry.pod().name() + " to " + node);
        }

        @Override
        public void onBindFailed(QueuedPod entry, String node, String message) {
            world.trace().add("bind failed " + entry.pod().name() + " to " + node + ": " + message);
            world.audit().bindFailed(entry.pod());
        }

        @Override
        public void onFailure(QueuedPod entry, String reason, String message) {
            world.trace().add("failed " + entry.pod().name() + " " + reason);
        }

        @Override
        public void onRequeued(PodInfo pod, Part part) {
            world.trace().add("requeued " + pod.name() + " " + part.label());
            world.audit().requeued(pod, part);
        }

        @Override
        public void onPodGone(PodInfo pod) {
            world.trace().add("gone " + pod.name());
        }

        @Override
        public void onExpired(PodInfo pod) {
            world.trace().add("expired " + pod.name());
        }

        @Override
        public void onSynced() {
            world.trace().add("synced");
        }
    }
}
