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

    private final SimulationRun simulation;
    private final int id;
    private final RandomChoices random;
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

    SchedulerProcess(SimulationRun simulation, int id, SeedRunner shared, @Nullable Recordings recordings) {
        this.simulation = simulation;
        this.id = id;
        this.random = simulation.random();
        Scenario scenario = simulation.scenario();
        long seed = random.nextLong();
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
                simulation.time().wall(),
                simulation.time().steady(),
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
                        (task, delay) -> simulation.time().in(delay.toMillis(), id, "timer", task),
                        Duration.ZERO),
                new EventInbox(),
                simulation.time().steady(),
                simulation.time().wall(),
                () -> 0,
                recorder == null ? InputRecording.NONE : recorder);
        this.scheduler = assembly.scheduler();
        if (recorder != null) {
            recorder.policy(1, JsonNodeFactory.instance.objectNode(), List.of());
        }
        for (ResourceKind kind : ResourceKind.values()) {
            feeds.put(
                    kind,
                    new Feed(
                            simulation,
                            id,
                            simulation.log().of(kind),
                            scheduler.inbox(),
                            this::decode,
                            afterDrain::add));
        }
        follow();
        lastRun = simulation.time().now();
    }

    /** The longest time that a write of this class waits for a thread. */
    private long longest(WriteClass writes) {
        return !simulation.isCalm() && simulation.scenario().slowWrites() == writes ? SLOW_MILLIS : 20;
    }

    private void execute(String name, long maxMillis, Runnable task) {
        simulation.time().in(random.skewedMillis(maxMillis), id, name, task);
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
                assembly.profiles(generation, profiles(simulation.shared(), simulation.scenario(), generation))));
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
            return simulation.decode(object, kind);
        }
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return recorder.decoder(body -> simulation.shared().reader().read(body, kind), () -> false)
                    .decode(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The time until which the process is suspended. */
    void pause(long millis) {
        pausedUntil = simulation.time().now() + millis;
    }

    long pausedUntil() {
        return pausedUntil;
    }

    boolean isPaused() {
        return simulation.time().now() < pausedUntil + 10;
    }

    /** Returns when the scheduling thread continues: immediately if there is work, otherwise at its next timer. */
    long wakeAt() {
        if (running) {
            return Long.MAX_VALUE;
        }
        long now = simulation.time().now();
        long at = lastRun + 1;
        if (!busy && scheduler.inbox().size() == 0) {
            long millis = TimeUnit.NANOSECONDS.toMillis(scheduler.nanosUntilNextTimer() + 999_999);
            at = Math.max(at, now + millis);
        }
        return Math.max(Math.max(at, now), pausedUntil);
    }

    void run() {
        running = true;
        simulation.audit().beforeRun();
        afterDrain.forEach(Runnable::run);
        afterDrain.clear();
        try {
            busy = scheduler.runOnce();
        } finally {
            running = false;
            lastRun = simulation.time().now();
        }
        simulation.audit().afterRun(busy);
    }

    private final class Listener implements SchedulerListener {
        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            simulation
                    .trace()
                    .add("decision " + pod.name() + ": " + decision.kind() + " " + decision.node() + " "
                            + decision.message());
            simulation.audit().decided(pod, decision);
        }

        @Override
        public void onBound(QueuedPod entry, String node, long nanos) {
            simulation.trace().add("bound " + entry.pod().name() + " to " + node);
        }

        @Override
        public void onBindFailed(QueuedPod entry, String node, String message) {
            simulation.trace().add("bind failed " + entry.pod().name() + " to " + node + ": " + message);
            simulation.audit().bindFailed(entry.pod());
        }

        @Override
        public void onFailure(QueuedPod entry, String reason, String message) {
            simulation.trace().add("failed " + entry.pod().name() + " " + reason);
        }

        @Override
        public void onRequeued(PodInfo pod, Part part) {
            simulation.trace().add("requeued " + pod.name() + " " + part.label());
            simulation.audit().requeued(pod, part);
        }

        @Override
        public void onPodGone(PodInfo pod) {
            simulation.trace().add("gone " + pod.name());
        }

        @Override
        public void onExpired(PodInfo pod) {
            simulation.trace().add("expired " + pod.name());
        }

        @Override
        public void onSynced() {
            simulation.trace().add("synced");
        }
    }
}
