package io.policyscheduler.cmd.live;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.base.Ticker;
import io.policyscheduler.cmd.extender.client.ExtenderClients;
import io.policyscheduler.cmd.extender.client.HttpExtender.HttpExtenders;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.LeaderElector;
import io.policyscheduler.cmd.kube.election.LeaderElector.ElectionEvents;
import io.policyscheduler.cmd.kube.election.LeaderElector.LeaderCallbacks;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.EventHandlers.UnreadableObjects;
import io.policyscheduler.cmd.live.KubeClaimWriter.ClaimWrites;
import io.policyscheduler.cmd.live.SchedulerAssembly.Threads;
import io.policyscheduler.cmd.live.StartGate.CachedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import io.policyscheduler.framework.scheduler.loop.SchedulerThread;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A scheduler that is connected to a cluster. {@link #close()} stops its parts in an order in which no bind is lost. */
public final class LiveScheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveScheduler.class);
    /** A little longer than a call. */
    private static final Duration WRITES_GRACE = Duration.ofSeconds(2);

    private static final Duration CLOSE_GRACE = KubeConnection.DEFAULT_TIMEOUT.plusSeconds(2);
    private static final ThreadFactory WATCHES = Threads.factory("watch-%d");

    private final KubeConnection connection;
    private final KubeConnection writes;
    private final Scheduler scheduler;
    private final SchedulerThread thread;
    private final boolean keepsPodAnnotations;
    private final ClusterFeed feed;
    private final UnreadableObjects unreadables;
    private final EventRecorder events;
    private final Threads threads;
    private final KubeRawObjects rawObjects;
    private final SchedulerAssembly assembly;
    private final StartGate gate;
    private final @Nullable LeaderElector election;
    private volatile Counts lastCounts = new Counts(0, 0, 0, 0, 0, 0, 0, 0);
    private volatile boolean synced;
    private volatile String lossOfLeadership = "";
    private volatile String electionRefusal = "";
    private long generation = 1;
    private boolean watchesNodes;

    /**
     * Connects a scheduler to a cluster and starts it. With leader election, it schedules and writes nothing before this process is
     * the leader, and it drops binds that it has not sent when this process is no longer the leader. It takes part in the election
     * when its caches are synced.
     *
     * @param connection closed by the scheduler; if the start fails, it stays open
     * @param instance names this process in events, such as the host name
     * @throws ApiIoException if the API server does not respond
     * @throws ClusterException if the TLS files of an extender cannot be used
     */
    public static LiveScheduler start(
            SchedulerSettings settings, KubeConnection connection, String instance, Clock clock) throws ApiIoException {
        return start(settings, connection, instance, clock, InputRecording.NONE);
    }

    /** The same; everything that decisions depend on is recorded. */
    public static LiveScheduler start(
            SchedulerSettings settings,
            KubeConnection connection,
            String instance,
            Clock clock,
            InputRecording recording)
            throws ApiIoException {
        ApiDiscovery discovery = ApiDiscovery.load(connection);
        Inputs inputs = new Inputs(settings, connection, discovery, instance, clock, recording);
        LiveScheduler scheduler;
        try {
            // The list of pods takes longest, so it runs while the rest is created.
            inputs.feed.startPods(isMemoryBehind(discovery.serverVersion()), WATCHES);
            scheduler = new LiveScheduler(settings, inputs, discovery, instance);
        } catch (RuntimeException e) {
            inputs.close();
            throw e;
        }
        try {
            scheduler.start(settings, discovery);
        } catch (ApiIoException | RuntimeException e) {
            scheduler.stop();
            throw e;
        }
        return scheduler;
    }

    /** The inputs and threads of a scheduler, which exist before it and are closed after it. */
    private static final class Inputs implements AutoCloseable {
        private final KubeConnection connection;
        private final Clock clock;
        private final Clock steady;
        private final EventInbox inbox = new EventInbox();
        private final UnreadableObjects unreadables;
        private final KubeRawObjects rawObjects;
        private final ClusterFeed feed;
        private final Threads threads = new Threads();
        private final EventRecorder events;
        private final InputRecording recording;

        Inputs(
                SchedulerSettings settings,
                KubeConnection connection,
                ApiDiscovery discovery,
                String instance,
                Clock clock,
                InputRecording recording) {
            this.connection = connection;
            this.recording = recording;
            this.clock = clock;
            this.steady = new SteadyClock(clock, System::nanoTime);
            this.unreadables = new UnreadableObjects(!settings.ignoreUnreadablePods());
            this.rawObjects = new KubeRawObjects(connection, new SplittableRandom(clock.millis()), steady);
            keepPodsFor(rawObjects, settings.profiles());
            this.feed = new ClusterFeed(
                    connection,
                    inbox,
                    settings.readingGates(),
                    settings.listener()::onUnknownPodField,
                    new SplittableRandom(clock.millis()),
                    steady,
                    rawObjects,
                    unreadables,
                    recording);
            this.events = new EventRecorder(
                    connection,
                    EventApi.of(discovery.groupVersions()),
                    settings.name(),
                    instance,
                    clock,
                    steady,
                    threads.events());
        }

        @Override
        public void close() {
            feed.close();
            rawObjects.close();
            events.close();
            threads.close();
        }
    }

    /** Creates the scheduler. Starts no thread and sends no request. */
    private LiveScheduler(SchedulerSettings settings, Inputs inputs, ApiDiscovery discovery, String instance) {
        this.connection = inputs.connection;
        this.unreadables = inputs.unreadables;
        this.rawObjects = inputs.rawObjects;
        this.feed = inputs.feed;
        this.events = inputs.events;
        this.threads = inputs.threads;
        this.keepsPodAnnotations = settings.readingGates().keepsPodAnnotations();
        LeaderElectionConfig lease = settings.election();
        this.election = lease == null ? null : election(lease, settings.name(), instance, inputs.clock);
        LeaderElector elected = election;
        this.writes = elected == null ? connection : connection.writableFor(elected::timeToLead);
        String evictionVersion = discovery.groupVersions().contains("policy/v1") ? "policy/v1" : "policy/v1beta1";
        SchedulerAssembly.Calls calls = threads.calls();
        this.assembly = new SchedulerAssembly(
                settings.withListener(SchedulerListener.all(settings.listener(), new SyncListener()))
                        .withOptions(settings.options().withEnabled(false)),
                new SchedulerAssembly.Server(
                        writes,
                        evictionVersion,
                        ClaimWrites.version(discovery.groupVersions()),
                        events,
                        rawObjects,
                        ExtenderClients::client,
                        this::isLeader),
                calls,
                inputs.inbox,
                inputs.steady,
                inputs.clock,
                ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime,
                inputs.recording);
        this.scheduler = assembly.scheduler();
        this.gate = new StartGate(
                new CachedPods(feed, scheduler, new PodWriter(writes, evictionVersion, inputs.clock)),
                calls.others(),
                calls.timer(),
                inputs.steady,
                () -> scheduler.post(new ClusterChange.SchedulingEnabled(true)));
        this.thread = new SchedulerThread(scheduler, "scheduler");
    }

    private void start(SchedulerSettings settings, ApiDiscovery discovery) throws ApiIoException {
        feed.startOthers(discovery, WATCHES);
        watchNodesFor(settings.profiles());
        thread.start();
    }

    private LeaderElector election(LeaderElectionConfig lease, String name, String instance, Clock clock) {
        ElectionEvents electionEvents = new ElectionEvents(connection, lease, name, instance, clock);
        return new LeaderElector(
                connection,
                lease,
                new Leadership(electionEvents, threads.others()),
                clock,
                Ticker.systemTicker(),
                Sleeper.REAL,
                new SplittableRandom(System.nanoTime()));
    }

    /**
     * Replaces the profiles, from the next pod on. Invalid profiles are rejected before anything changes. One thread at a time.
     *
     * @param announced receives the generation of the new profiles before they take effect
     * @return the generation of the new profiles
     * @throws ClusterException when the TLS files of an extender cannot be used
     * @throws IllegalArgumentException when a rule begins to read annotations of pods
     * @throws io.policyscheduler.framework.plugin.Plugin.PluginException when a plugin refuses its arguments
     */
    public long reload(List<ProfileSettings> profiles, LongConsumer announced) {
        requireKept(profiles);
        Profiles next = assembly.profiles(generation + 1, profiles);
        keepPodsFor(rawObjects, profiles);
        watchNodesFor(profiles);
        generation++;
        announced.accept(generation);
        scheduler.post(new ClusterChange.ProfilesReplaced(next));
        return generation;
    }

    /** Whether a list from the watch cache of the server can be older than its storage. */
    private static boolean isMemoryBehind(String serverVersion) {
        return Release.ofVersion(serverVersion)
                .filter(release -> !ComponentChange.CONSISTENT_LIST_FROM_CACHE.in(release))
                .isPresent();
    }

    /** Cached pods do not have the annotations that no rule read before. */
    private void requireKept(List<ProfileSettings> profiles) {
        for (ProfileSettings profile : profiles) {
            if (!keepsPodAnnotations && profile.source().readsPodAnnotations()) {
                throw new IllegalArgumentException(
                        profile.origin() + ": a rule for scheduler name \"" + profile.schedulerName()
                                + "\" reads pod annotations, which are not in memory because no rule read them at startup;"
                                + " restart the scheduler to use the policy");
            }
        }
    }

    /**
     * Extenders receive pending pods as the API server sends them. This must be set before the feed is created, which then reads
     * pods differently.
     */
    private static void keepPodsFor(KubeRawObjects rawObjects, List<ProfileSettings> profiles) {
        if (profiles.stream().anyMatch(profile -> !profile.extenders().isEmpty())) {
            rawObjects.keepPods();
        }
    }

    /** Extenders that need complete nodes receive them, too. */
    private void watchNodesFor(List<ProfileSettings> profiles) {
        if (!watchesNodes
                && profiles.stream().anyMatch(profile -> HttpExtenders.needNodeObjects(profile.extenders()))) {
            watchesNodes = true;
            rawObjects.watchNodes(Threads.factory("watch-raw-nodes"));
        }
    }

    /** Records an event about a pod. Any thread. */
    public void event(PodInfo pod, EventText text) {
        events.record(new ObjectReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion()), text);
    }

    /** The scheduler; its state belongs to its thread. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** The callbacks of the leader election. They run on its thread and must not block. */
    private final class Leadership implements LeaderCallbacks {
        private final ElectionEvents leaseEvents;
        private final Executor calls;

        Leadership(ElectionEvents leaseEvents, Executor calls) {
            this.leaseEvents = leaseEvents;
            this.calls = calls;
        }

        @Override
        public void onStartedLeading() {
            gate.start();
            calls.execute(leaseEvents::becameLeader);
        }

        @Override
        public void onStoppedLeading(String why) {
            gate.close();
            scheduler.post(new ClusterChange.SchedulingEnabled(false));
            lossOfLeadership = why;
            try {
                calls.execute(leaseEvents::stoppedLeading);
            } catch (RejectedExecutionException e) {
                LOG.debug("closed before the end of the leadership was handled", e);
            }
        }

        @Override
        public void onForbidden(String why) {
            electionRefusal = why;
        }

        @Override
        public void onNewLeader(String identity) {
            LOG.info("the leader is {}", identity);
        }
    }

    /** Starts the election once this process could do the work; runs on the scheduling thread. */
    private final class SyncListener implements SchedulerListener {
        @Override
        public void onSynced() {
            synced = true;
            JitCompilers.select(scheduler.cluster().nodeCount());
            if (election != null) {
                election.start(Threads.factory("leader-election"));
            } else {
                gate.start();
            }
        }
    }

    /** Whether this process may schedule; always without leader election. */
    public boolean isLeader() {
        return election == null || election.isLeader();
    }

    /** Why this process cannot become the leader: it has no permission for the lock; empty while that is unknown. */
    public String electionRefusal() {
        return electionRefusal;
    }

    /** Why this process has lost the leadership, which it cannot have again; empty while it has not. */
    public String lossOfLeadership() {
        return lossOfLeadership;
    }

    /** Whether all initial lists have arrived, also when this process does not lead. */
    public boolean isSynced() {
        return synced;
    }

    /** The problem of the leader election; empty if there is none. */
    public Optional<String> electionTrouble() {
        return election == null ? Optional.empty() : election.trouble();
    }

    /** False when the scheduling thread has terminated. */
    public boolean isRunning() {
        return thread.failure() == null;
    }

    /** The numbers of pods by queue, from the scheduling thread; the last known numbers if it does not respond in time. */
    public Counts counts(Duration patience) {
        CompletableFuture<Counts> answer = new CompletableFuture<>();
        scheduler.post(new ClusterChange.Task("count pods", () -> answer.complete(assembly.counts())));
        try {
            lastCounts = answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the scheduling thread did not respond in time", e);
        }
        return lastCounts;
    }

    /**
     * By resource (plural name, such as {@code nodes}), the resourceVersion of the last change that the next decision takes into
     * account; empty before the first list. Any thread.
     */
    public Map<String, String> watchedVersions() {
        return feed.versions();
    }

    /** The resources (plural names) for which the server has not responded for longer than this. Any thread. */
    public List<String> unansweredFor(Duration limit) {
        return feed.unansweredFor(limit);
    }

    /** By resource (plural name), the time since the server stopped responding; zero while it responds. Any thread. */
    public Map<String, Duration> unanswered() {
        return feed.unanswered();
    }

    /** How many objects of each kind cannot be read at the moment. Any thread. */
    public Map<String, Integer> unreadableObjects() {
        return unreadables.counts();
    }

    /** Waits until the scheduling thread ends; false when the time is over first. */
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return thread.awaitEnd(time);
    }

    /** The last conditions are still being written. */
    private boolean awaitWrites() {
        try {
            return writes.awaitWrites(WRITES_GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Stops scheduling, waits for running binds, releases the lease, writes the last events, and closes the connection. */
    @Override
    public void close() {
        stop();
        connection.close();
    }

    private void stop() {
        gate.close();
        boolean settled = thread.close(CLOSE_GRACE);
        feed.close();
        rawObjects.close();
        if (election != null && settled && awaitWrites()) {
            election.close();
        } else if (election != null) {
            LOG.warn("W110 not releasing the lease: the result of a bind is unknown");
            election.closeKeepingLease();
        }
        events.close();
        threads.close();
        if (!settled) {
            LOG.warn("the result of a bind is unknown");
        }
    }

    /**
     * Selects the compilers of the JVM by the size of the cluster. On small clusters, C2 takes 40 MB and more CPU time than it saves. On large
     * ones, C1 alone schedules half as many pods per second. The size is known after the first list, when the options of the JVM can no
     * longer be changed. Launchers therefore start {@code run} and {@code bench} with compiler directives that exclude C2 from all methods but
     * those for decryption, and this class removes the directives on a large cluster. docs/tasks/size-the-scheduler.md has the measurements.
     */
    public static final class JitCompilers {
        /** The number of nodes from which on C2 compiles, too. */
        public static final int LARGE_CLUSTER = 2000;

        /** The system property with which a launcher states that it has set the directives: {@code by-size}. */
        private static final String PROPERTY = "policyscheduler.compilers";

        private static final Logger LOG = LoggerFactory.getLogger(JitCompilers.class);

        private JitCompilers() {}

        /**
         * Selects the compilers before the first decision. Methods that are already hot when it is called are never compiled by C2 on their own.
         *
         * @param nodes of the cluster
         */
        public static void select(int nodes) {
            if (isBoth(System.getProperty(PROPERTY, ""), nodes)) {
                try {
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "compilerDirectivesClear",
                                    new Object[0],
                                    new String[0]);
                    LOG.info("{} nodes: code is also compiled by C2", nodes);
                } catch (JMException | RuntimeException e) {
                    // Decisions are the same but slower.
                    LOG.info("{} nodes: this JVM cannot enable C2: {}", nodes, e.toString());
                }
            }
        }

        /** Returns whether C2 is enabled for a cluster of so many nodes. */
        @VisibleForTesting
        static boolean isBoth(String property, int nodes) {
            return property.equals("by-size") && nodes >= LARGE_CLUSTER;
        }
    }
}
