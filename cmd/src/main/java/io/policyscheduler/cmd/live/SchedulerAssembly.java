package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.extender.client.ExtenderClients.ExtenderClientSource;
import io.policyscheduler.cmd.extender.client.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventWriter;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.threads.DelayedExecutor;
import io.policyscheduler.cmd.threads.OrderedExecutor;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The parts of a scheduler that writes to a cluster, put together. Starts no thread of its own: whoever makes it brings the
 * executors, feeds the scheduler's inbox and drives it.
 */
public final class SchedulerAssembly {
    private final Scheduler scheduler;
    private final ProfileRuntimes runtimes;

    /**
     * The other side.
     *
     * @param evictionVersion group version of evictions that the server understands
     * @param claimVersion group version in which the server has resource claims
     * @param rawObjects what extenders are sent
     * @param mayWrite false once another process leads; asked before an extender is told to bind
     */
    public record Server(
            KubeConnection connection,
            String evictionVersion,
            String claimVersion,
            EventWriter events,
            KubeRawObjects rawObjects,
            ExtenderClientSource extenderClients,
            BooleanSupplier mayWrite) {
        /** A server that has everything at v1 and that this process alone may write to. */
        public Server(
                KubeConnection connection,
                String evictionVersion,
                EventWriter events,
                KubeRawObjects rawObjects,
                ExtenderClientSource extenderClients) {
            this(
                    connection,
                    evictionVersion,
                    ClaimWrites.VERSIONS.get(0),
                    events,
                    rawObjects,
                    extenderClients,
                    () -> true);
        }
    }

    /**
     * What calls run on.
     *
     * @param binds runs binds, several at once
     * @param others runs every other write, so that they never hold up a bind
     * @param evictions runs the calls that evict pods for profiles of today, as many at once as the server is to be sent
     * @param reads runs reads of single pods, which free room
     * @param extenders runs calls to several extenders at once
     * @param plugins runs plugins that may block
     * @param timer starts later what must wait
     * @param patience how long the scheduling thread may wait for one of them
     */
    public record Calls(
            Executor binds,
            Executor others,
            Executor evictions,
            Executor reads,
            Executor extenders,
            Executor plugins,
            DelayedExecutor timer,
            Duration patience) {}

    /**
     * Assembles.
     *
     * @param clock for waiting; must not jump, or pods would wait for as long
     * @param wallClock for the times that users see
     * @throws io.policyscheduler.cmd.kube.ClusterException when the TLS files of an extender cannot be used
     */
    public SchedulerAssembly(SchedulerSettings settings, Server server, Calls calls, Clock clock, Clock wallClock) {
        this(settings, server, calls, new EventInbox(), clock, wallClock, () -> 0);
    }

    /**
     * The same with an inbox that may be filled already, and a meter.
     *
     * @param work what the scheduling thread has done, nanoseconds; without it no decision is too long
     */
    public SchedulerAssembly(
            SchedulerSettings settings,
            Server server,
            Calls calls,
            EventInbox inbox,
            Clock clock,
            Clock wallClock,
            LongSupplier work) {
        PodWriter pods = new PodWriter(server.connection(), server.evictionVersion(), wallClock);
        ClusterState state = new ClusterState(wallClock);
        OrderedExecutor statuses = new OrderedExecutor(calls.others());
        KubeClusterWriter api = new KubeClusterWriter(
                pods, server.events(), calls.binds(), statuses, calls.reads(), settings.readingGates());
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
                                calls.patience()),
                        server.rawObjects(),
                        server.extenderClients(),
                        calls.binds(),
                        calls.others(),
                        statuses,
                        calls.evictions(),
                        calls.extenders(),
                        calls.timer(),
                        server.mayWrite()),
                inbox,
                builder.waitingPods(),
                builder.refusedPlaces(),
                clock);
        this.scheduler = builder.profiles(runtimes.create(1, settings.profiles()))
                .wallClock(wallClock)
                .options(settings.options())
                .listener(settings.listener())
                .pluginCalls(calls.plugins())
                .work(work)
                .build();
    }

    /** The scheduler; its state is empty until its inbox is fed. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /**
     * Other profiles for this scheduler, to be posted to it; the scheduler is not touched.
     *
     * @throws io.policyscheduler.cmd.kube.ClusterException when the TLS files of an extender cannot be used
     */
    public Profiles profiles(long generation, List<ProfileSettings> settings) {
        return runtimes.create(generation, settings);
    }
}
