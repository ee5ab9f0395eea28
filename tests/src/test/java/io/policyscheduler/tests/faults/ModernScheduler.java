package io.policyscheduler.tests.faults;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Connecting;
import java.time.Duration;
import java.util.List;

/** A scheduler with the plugins of current releases before a server. */
final class ModernScheduler implements AutoCloseable {
    private final FaultProxy proxy;
    private final LiveScheduler scheduler;

    private ModernScheduler(FaultProxy proxy, LiveScheduler scheduler) {
        this.proxy = proxy;
        this.scheduler = scheduler;
    }

    static ModernScheduler start(FaultServer server) {
        FaultProxy proxy = new FaultProxy(server);
        SchedulerSettings settings = new SchedulerSettings(
                List.of(FaultWorld.modern()),
                TieBreak.roundRobin(),
                false,
                SchedulerSettings.DEFAULT_VOLUME_TIMEOUT,
                SchedulerOptions.defaults(),
                SchedulerListener.NONE,
                null);
        return new ModernScheduler(
                proxy,
                Connecting.start(
                        settings,
                        KubeConnection.fromUrl(proxy.url(), Duration.ofSeconds(5)),
                        "queue",
                        FaultWorld.PATIENCE));
    }

    @Override
    public void close() {
        scheduler.close();
        proxy.close();
    }
}
