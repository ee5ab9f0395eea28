package io.policyscheduler.cmd.live;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.client.ExtenderClients.ExtenderClientSource;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.KubeClaimWriter.ClaimWrites;
import io.policyscheduler.cmd.live.KubeClusterWriter.ConditionWrites;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.cmd.server.LoggingTimer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The components of a scheduler that writes to a cluster. Starts no threads: the caller provides the executors, feeds the inbox,
 * and runs the loop.
 */
public final class SchedulerAssembly {
    private final Scheduler scheduler;
    private final ProfileRuntimes runtimes;
    private final ConditionWrites conditions;

    /**
     * The other side.
     *
     * @param evictionVersion group version of evictions that the server understands
     * @param claimVersion group version in which the server has resource claims
     * @param rawObjects objects for the requests of extenders
     * @param mayWrite false after another process has become the leader; checked before each bind of an extender
     */
    public record Server(
            KubeConnection connection,
            String evictionVersion,
            String claimVersion,
            EventRecorder events,
            KubeRawObjects rawObjects,
            ExtenderClientSource extenderClients,
            BooleanSupplier mayWrite) {}

    /**
     * The executors.
     *
     * @param binds runs concurrent binds
     * @param others runs nominations, evictions of policies, and the writes of volumes and claims
     * @param conditions runs the writes of conditions, for which no other call waits
     * @param evictions runs evictions for profiles of current releases, with a limit of concurrent calls
     * @param reads runs reads of single pods, which release resources
     * @param extenders runs concurrent calls of several extenders
     * @param plugins runs plugins that may block
     * @param timer runs delayed tasks
     * @param patience how long the scheduling thread may wait for a call
     */
    public record Calls(
            Executor binds,
            Executor others,
            Executor conditions,
            Executor evictions,
            Executor reads,
            Executor extenders,
            Executor plugins,
            Delayed timer,
            Duration patience) {}

    /**
     * Assembles a scheduler.
     *
     * @param inbox can have changes already
     * @param clock for waiting; must not jump, or pods would wait for as long
     * @param wallClock for the times that users see
     * @param work CPU time of the scheduling thread in nanoseconds; always 0 turns the decision budget off
     * @throws io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException when the TLS files of an extender cannot be
     *     used
     */
    public SchedulerAssembly(
            SchedulerSettings settings,
            Server server,
            Calls calls,
            EventInbox inbox,
            Clock clock,
            Clock wallClock,
            LongSupplier work) {
        this(settings, server, calls, inbox, clock, wallClock, work, InputRecording.NONE);
    }

    /** The same; everything that decisions depend on is recorded. */
    public SchedulerAssembly(
            SchedulerSettings settings,
            Server server,
            Calls calls,
            EventInbox inbox,
            Clock steady,
            Clock wall,
            LongSupplier work,
            InputRecording recording) {
        Clock clock = recording.clock(steady);
        Clock wallClock = recording.wallClock(wall);
        PodWriter pods = new PodWriter(server.connection(), server.evictionVersion(), wallClock);
        ClusterState state = new ClusterState(wallClock);
        Ordered statuses = new Ordered(calls.others());
        conditions = new ConditionWrites(calls.conditions());
        KubeClusterWriter api = new KubeClusterWriter(
                pods,
                server.events(),
                calls.binds(),
                statuses,
                conditions,
                calls.reads(),
                settings.readingGates(),
                recording);
        Scheduler.Builder builder = Scheduler.builder(state, api, clock, inbox);
        VolumeWriter volumes =
                new VolumeWriter(server.connection(), calls.others(), calls.timer(), inbox, state, clock);
        this.runtimes = new ProfileRuntimes(
                state,
                settings,
                new ProfileRuntimes.Api(
                        api,
                        pods,
                        server.events(),
                        volumes,
                        new KubeClaimWriter(
                                new ClaimWrites(
                                        server.connection(),
                                        server.claimVersion(),
                                        calls.others(),
                                        calls.timer(),
                                        clock,
                                        server.mayWrite()),
                                calls.others(),
                                inbox,
                                state.assumedClaims(),
                                calls.patience(),
                                (pod, message) ->
                                        api.event(pod, "Normal", "BindingConditionsPending", message, pod.generation()),
                                recording),
                        new PluginConnection(server.connection()),
                        server.rawObjects(),
                        server.extenderClients(),
                        calls.binds(),
                        calls.others(),
                        statuses,
                        calls.evictions(),
                        calls.extenders(),
                        calls.timer(),
                        server.mayWrite(),
                        recording),
                inbox,
                builder.waitingPods(),
                builder.kubeletRejections(),
                clock);
        this.scheduler = builder.profiles(runtimes.create(1, settings.profiles()))
                .wallClock(wallClock)
                .options(settings.options())
                .listener(settings.listener())
                .pluginCalls(calls.plugins())
                .work(recording.work(work))
                .recorder(recording)
                .stopwatch(steady)
                .build();
    }

    /** Where pods are, by number; of the scheduling thread. */
    public Counts counts() {
        return scheduler.counts().withStatusWrites(conditions.size());
    }

    /** The scheduler; its state is empty until its inbox is fed. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /**
     * Other profiles for this scheduler, to be posted to it; the scheduler is not touched.
     *
     * @throws io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException when the TLS files of an extender cannot be used
     */
    public Profiles profiles(long generation, List<ProfileSettings> settings) {
        return runtimes.create(generation, settings);
    }

    /** The threads of a scheduler, except the scheduling thread and those of watches. */
    static final class Threads implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
        private static final int BIND_THREADS = 8;
        private static final int OTHER_THREADS = 4;
        private static final int CONDITION_THREADS = 4;
        /** As many as kube-scheduler has for the victims of a pod. */
        private static final int EVICTION_THREADS = 16;

        /** Many times the response time of a healthy server. */
        private static final Duration PATIENCE = Duration.ofMillis(500);

        private static final Duration IDLE = Duration.ofSeconds(10);

        private final ExecutorService binds = Executors.newFixedThreadPool(BIND_THREADS, factory("bind-%d"));
        private final ExecutorService others = Executors.newFixedThreadPool(OTHER_THREADS, factory("api-%d"));
        private final ExecutorService conditions =
                Executors.newFixedThreadPool(CONDITION_THREADS, factory("status-%d"));
        private final ExecutorService evictions = whileNeeded(EVICTION_THREADS, factory("evict-%d"));
        private final ExecutorService reads = Executors.newFixedThreadPool(OTHER_THREADS, factory("read-%d"));
        private final ExecutorService events = Executors.newSingleThreadExecutor(factory("events"));
        private final ScheduledExecutorService timer = new LoggingTimer(factory("timer"));
        /** One thread for each concurrent call, which is one per extender. */
        private final ExecutorService extenderCalls = Executors.newCachedThreadPool(factory("extender-%d"));
        /** Plugins may block; the number of concurrent pods is the limit of concurrent binds. */
        private final ExecutorService pluginCalls = Executors.newCachedThreadPool(factory("plugin-%d"));

        /** Makes threads of this name, which may have {@code %d} in it. */
        static ThreadFactory factory(String format) {
            return new ThreadFactoryBuilder()
                    .setNameFormat(format)
                    .setDaemon(true)
                    .build();
        }

        private static ExecutorService whileNeeded(int threads, ThreadFactory factory) {
            ThreadPoolExecutor executor = new ThreadPoolExecutor(
                    threads, threads, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
            executor.allowCoreThreadTimeOut(true);
            return executor;
        }

        /** For writes that are neither binds nor evictions. */
        ExecutorService others() {
            return others;
        }

        /** For events. */
        ExecutorService events() {
            return events;
        }

        SchedulerAssembly.Calls calls() {
            Delayed delayed = (task, delay) -> {
                ScheduledFuture<?> pending = timer.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
                LOG.trace("in {}: {}", delay, pending);
            };
            return new SchedulerAssembly.Calls(
                    binds, others, conditions, evictions, reads, extenderCalls, pluginCalls, delayed, PATIENCE);
        }

        /** Waits a moment for running tasks. */
        @Override
        public void close() {
            List<ExecutorService> all =
                    List.of(binds, others, conditions, evictions, reads, events, timer, extenderCalls, pluginCalls);
            all.forEach(ExecutorService::shutdown);
            try {
                for (ExecutorService executor : all) {
                    if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                        executor.shutdownNow();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The API server for plugins: the connection through which the scheduler writes. */
    public static final class PluginConnection implements ApiConnection {
        private final KubeConnection connection;

        /** @param connection the view that writes only while this process leads */
        public PluginConnection(KubeConnection connection) {
            this.connection = connection;
        }

        @Override
        public Response request(String method, String path, @Nullable String contentType, byte @Nullable [] body)
                throws IOException {
            byte[] sent = body == null ? new byte[0] : body;
            ApiResponse response = switch (method.toUpperCase(Locale.ROOT)) {
                case "GET" -> connection.get(path);
                case "POST" -> connection.post(path, sent);
                case "PUT" -> connection.put(path, sent);
                case "PATCH" ->
                    connection.patch(
                            path, contentType == null ? KubeConnection.STRATEGIC_MERGE_PATCH : contentType, sent);
                case "DELETE" -> connection.delete(path, body);
                default -> throw new IOException(method + " is not GET, POST, PUT, PATCH, or DELETE");
            };
            return new Response(response.code(), response.text().getBytes(StandardCharsets.UTF_8));
        }

        /** {@code io.kubernetes.client.openapi.ApiClient} with the credentials and limits of this connection. */
        @Override
        public <T> Optional<T> unwrap(Class<T> type) {
            return connection.unwrap(type);
        }
    }
}
