package io.policyscheduler.cmd.live;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.EventHandlers.UnreadableObjects;
import io.policyscheduler.cmd.snapshot.KindReaders.UnknownFields;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.policyscheduler.framework.scheduler.loop.SchedulerThread;
import java.time.Clock;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a cluster, kept up to date by a scheduler without pods of its own, which never decides or writes. */
public final class ClusterMirror implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMirror.class);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    private final ClusterState state = new ClusterState();
    /** The nominations of other schedulers; the queue only has those of pods of this scheduler. */
    private final Nominator nominator = new Nominator();

    private final Scheduler scheduler;
    private final SchedulerThread thread;
    private final ClusterFeed feed;
    private volatile boolean synced;

    /**
     * Connects and starts.
     *
     * @param connection closed by the caller
     * @throws ApiIoException if the server does not respond
     */
    public ClusterMirror(KubeConnection connection, FeatureGates gates, Clock clock) throws ApiIoException {
        this(connection, gates, clock, Assignments.IGNORED);
    }

    /** Receives pods that are bound. Called on the thread that owns the state; must not throw. */
    @FunctionalInterface
    public interface Assignments {
        /** Does nothing. */
        Assignments IGNORED = (state, nominated, pod) -> {};

        /**
         * A pod that was seen waiting is on a node now, where it does not count yet.
         *
         * @param state the cluster before the pod was bound, as far as it is known
         * @param nominated the pending pods that have a nominated node; always the same object
         */
        void placed(ClusterState state, NominatedPods nominated, PodInfo pod);
    }

    /** The same, with an ear for placements from the time when all initial lists have arrived. */
    public ClusterMirror(KubeConnection connection, FeatureGates gates, Clock clock, Assignments assignments)
            throws ApiIoException {
        ApiDiscovery discovery = ApiDiscovery.load(connection);
        Clock steady = new SteadyClock(clock, System::nanoTime);
        this.scheduler = Scheduler.builder(state, new NoWriter(), steady)
                .listener(new SchedulerListener() {
                    @Override
                    public void onSynced() {
                        synced = true;
                    }

                    @Override
                    public void onPod(@Nullable PodInfo before, @Nullable PodInfo now) {
                        follow(before, now);
                    }

                    @Override
                    public void onAssigned(PodInfo pod, boolean waited) {
                        if (synced && waited) {
                            assignments.placed(state, nominator, pod);
                        }
                    }
                })
                .build();
        this.feed = new ClusterFeed(
                connection,
                scheduler.inbox(),
                gates,
                path -> LOG.warn("{}", UnknownFields.warning(path)),
                new SplittableRandom(clock.millis()),
                steady,
                null,
                new UnreadableObjects(true));
        this.thread = new SchedulerThread(scheduler, "cluster");
        ThreadFactory watches = new ThreadFactoryBuilder()
                .setNameFormat("watch-%d")
                .setDaemon(true)
                .build();
        feed.startOthers(discovery, watches);
        feed.startPods(false, watches);
        thread.start();
    }

    private void follow(@Nullable PodInfo before, @Nullable PodInfo now) {
        if (now != null && now.nodeName().isEmpty()) {
            if (before != null && before.nodeName().isEmpty()) {
                nominator.renominate(before, now);
            } else {
                nominator.nominate(now, "");
            }
        } else if (before != null) {
            nominator.drop(before);
        }
    }

    /** The state; only tasks of {@link #owner()} may access it. */
    public ClusterState state() {
        return state;
    }

    /** The scheduler that maintains the state; only for reading on its own thread. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** Runs things on the thread that owns the state; they must not throw. */
    public Executor owner() {
        return command -> scheduler.post(new ClusterChange.Task("request", command));
    }

    /** Whether all initial lists have arrived and changes are applied. */
    public boolean isSynced() {
        return synced && thread.failure() == null;
    }

    @Override
    public void close() {
        feed.close();
        thread.close(CLOSE_GRACE);
    }

    /** The scheduler has no pods, so that it writes nothing. */
    private static final class NoWriter implements ClusterWriter {
        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            done.accept(BindOutcome.failed("not a scheduler"));
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {}

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {}

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {
            done.accept(new PodRead.Failed("not a scheduler"));
        }
    }
}
