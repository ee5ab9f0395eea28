package io.policyscheduler.cmd.run;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.HttpExtenders;
import io.policyscheduler.cmd.extender.KubeRawObjects;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.cmd.kube.Discovery;
import io.policyscheduler.cmd.kube.EventWriter;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.PodWriter;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.scheduler.ClusterWriter;
import io.policyscheduler.framework.scheduler.ClusterChange;
import io.policyscheduler.framework.scheduler.Profiles;
import io.policyscheduler.framework.scheduler.Scheduler;
import io.policyscheduler.framework.scheduler.SchedulerThread;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** A scheduler connected to a cluster: starts everything, and stops it in an order in which no bind is lost. */
public final class LiveScheduler implements AutoCloseable {
    private static final int BIND_THREADS = 8;
    private static final int OTHER_THREADS = 4;
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

    private final KubeConnection connection;
    private final Scheduler scheduler;
    private final SchedulerThread thread;
    private final ClusterFeed feed;
    private final EventWriter events;
    private final List<ExecutorService> executors;
    private final KubeRawObjects rawObjects;
    private final ProfileRuntimes runtimes;
    private long generation = 1;
    private boolean watchesNodes;

    /**
     * Connects and starts.
     *
     * @param connection belongs to the scheduler from now on
     * @param instance names this process in events, e.g. the host name
     * @throws ApiIoException when the server does not answer
     * @throws ClusterException when the TLS files of an extender cannot be used
     */
    public LiveScheduler(SchedulerSettings settings, KubeConnection connection, String instance, Clock clock)
            throws ApiIoException {
        this.connection = connection;
        Discovery discovery = Discovery.load(connection);
        ExecutorService binds = Executors.newFixedThreadPool(BIND_THREADS, threads("bind-%d"));
        ExecutorService others = Executors.newFixedThreadPool(OTHER_THREADS, threads("api-%d"));
        ExecutorService eventThread = Executors.newSingleThreadExecutor(threads("events"));
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(threads("timer"));
        // As many threads as there are calls at once, which is one for each extender.
        ExecutorService extenderCalls = Executors.newCachedThreadPool(threads("extender-%d"));
        // Plugins may block for as long as they like, as many pods at once as are being bound.
        ExecutorService pluginCalls = Executors.newCachedThreadPool(threads("plugin-%d"));
        this.executors = List.of(binds, others, eventThread, timer, extenderCalls, pluginCalls);
        this.rawObjects = new KubeRawObjects(connection, new SplittableRandom(clock.millis()), clock);
        this.events = new EventWriter(connection, settings.name(), instance, clock, eventThread);

        FeatureGates gates = settings.profiles().get(0).gates();
        PodWriter pods = new PodWriter(
                connection, discovery.groupVersions().contains("policy/v1") ? "policy/v1" : "policy/v1beta1");
        ClusterState state = new ClusterState();
        ClusterWriter api = new KubeClusterWriter(pods, events, binds, others, gates);
        Scheduler.Builder builder = Scheduler.builder(state, api, clock);
        this.runtimes = new ProfileRuntimes(
                state,
                settings,
                new ProfileRuntimes.Api(
                        api,
                        pods,
                        events,
                        new VolumeWriter(connection, others, timer, clock, settings.volumeTimeout()),
                        rawObjects,
                        binds,
                        others,
                        extenderCalls),
                builder.inbox(),
                builder.waitingPods(),
                clock);
        this.scheduler = builder.profiles(runtimes.create(1, settings.profiles()))
                .options(settings.options())
                .listener(settings.listener())
                .pluginCalls(pluginCalls)
                .build();
        this.feed = new ClusterFeed(
                connection, discovery, scheduler.inbox(), gates, new SplittableRandom(clock.millis()), clock);
        this.thread = new SchedulerThread(scheduler, "scheduler");
        watchNodesFor(settings.profiles());
        thread.start();
        feed.start(threads("watch-%d"));
    }

    /**
     * Lets other profiles decide from the next pod on. What is wrong with them is found before anything changes. One thread at a
     * time.
     *
     * @return the generation of the new profiles
     * @throws ClusterException when the TLS files of an extender cannot be used
     * @throws io.policyscheduler.framework.plugin.PluginException when a plugin refuses its arguments
     */
    public long reload(List<ProfileSettings> profiles) {
        Profiles next = runtimes.create(generation + 1, profiles);
        watchNodesFor(profiles);
        generation++;
        scheduler.post(new ClusterChange.ProfilesReplaced(next));
        return generation;
    }

    /** Extenders that want whole nodes get them as the API server sends them. */
    private void watchNodesFor(List<ProfileSettings> profiles) {
        if (!watchesNodes && profiles.stream().anyMatch(profile -> HttpExtenders.needNodeObjects(profile.extenders()))) {
            watchesNodes = true;
            rawObjects.watchNodes(threads("watch-raw-nodes"));
        }
    }

    private static ThreadFactory threads(String format) {
        return new ThreadFactoryBuilder().setNameFormat(format).setDaemon(true).build();
    }

    /** The scheduler; its state belongs to its thread. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** Waits until the scheduling thread ends; false when the time is over first. */
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return thread.awaitEnd(time);
    }

    /** Stops watching, lets binds under way finish, writes the last events. */
    @Override
    public void close() {
        thread.close(CLOSE_GRACE);
        feed.close();
        rawObjects.close();
        events.close();
        for (ExecutorService executor : executors) {
            executor.shutdown();
        }
        try {
            for (ExecutorService executor : executors) {
                if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                    executor.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
