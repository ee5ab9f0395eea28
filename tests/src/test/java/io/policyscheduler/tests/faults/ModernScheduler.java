package io.policyscheduler.tests.faults;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Connecting;
import java.time.Duration;
import java.util.List;

/** A scheduler with the plugins of current releases. */
final class ModernScheduler implements AutoCloseable {
    private final FaultProxy proxy;
    private final LiveScheduler scheduler;

    private ModernScheduler(FaultProxy proxy, LiveScheduler scheduler) {
        this.proxy = proxy;
        this.scheduler = scheduler;
    }

    /** @param extenders the list of a KubeSchedulerConfiguration */
    static ModernScheduler start(Release release, FaultServer server, String extenders) throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader()
                .read(
                        "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"kind\":\"KubeSchedulerConfiguration\",\"extenders\":"
                                + extenders + "}",
                        "queue");
        FaultProxy proxy = new FaultProxy(server);
        SchedulerSettings settings = new SchedulerSettings(
                List.of(FaultFixture.modern(release, configuration.extenders())),
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
                        FaultFixture.PATIENCE));
    }

    @Override
    public void close() {
        scheduler.close();
        proxy.close();
    }
}
