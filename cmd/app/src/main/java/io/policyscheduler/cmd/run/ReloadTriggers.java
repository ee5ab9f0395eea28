package io.policyscheduler.cmd.run;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.live.ConfigMapChanges;
import io.policyscheduler.cmd.live.FileChanges;
import io.policyscheduler.cmd.live.PolicyReloader;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.ProfileTexts;
import io.policyscheduler.engine.cluster.release.Release;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/** Requests a reload when a file or a ConfigMap has changed, when the cluster is upgraded, and on SIGHUP. */
final class ReloadTriggers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadTriggers.class);
    private static final Duration FILE_PERIOD = Duration.ofSeconds(1);
    private static final Duration RELEASE_PERIOD = Duration.ofMinutes(1);

    private final PolicyReloader reloader;
    private final ThreadFactory threads = new ThreadFactoryBuilder()
            .setNameFormat("reload-watch-%d")
            .setDaemon(true)
            .build();
    private final FileChanges files;
    private final @Nullable ReleaseChanges release;
    private final List<ConfigMapChanges> configMaps = new ArrayList<>();

    /** @param known release of the API server; null to ignore upgrades */
    ReloadTriggers(ProfileTexts texts, @Nullable Release known, KubeConnection connection, PolicyReloader reloader) {
        this.reloader = reloader;
        this.release = known == null
                ? null
                : new ReleaseChanges(
                        connection,
                        known,
                        RELEASE_PERIOD,
                        Sleeper.REAL,
                        found -> reloader.request("the API server is of release " + found + " now"),
                        threads);
        this.files = new FileChanges(
                List.copyOf(texts.files()),
                FILE_PERIOD,
                Sleeper.REAL,
                file -> reloader.request("file " + file + " has changed"),
                threads);
        SplittableRandom random = new SplittableRandom(System.nanoTime());
        for (ConfigMapName map : texts.configMaps()) {
            configMaps.add(new ConfigMapChanges(
                    connection,
                    map.namespace(),
                    map.name(),
                    () -> reloader.request("configmap " + map + " has changed"),
                    random.split(),
                    SteadyClock.system()));
        }
    }

    void start() {
        files.start();
        if (release != null) {
            release.start();
        }
        configMaps.forEach(map -> map.start(threads));
        try {
            Signal.handle(new Signal("HUP"), signal -> reloader.requestByUser("SIGHUP received"));
        } catch (IllegalArgumentException e) {
            LOG.debug("this system has no SIGHUP; changes of files and ConfigMaps are still applied", e);
        }
    }

    @Override
    public void close() {
        files.close();
        if (release != null) {
            release.close();
        }
        configMaps.forEach(ConfigMapChanges::close);
    }

    /** Polls the release of an API server. */
    public static final class ReleaseChanges implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(ReleaseChanges.class);

        private final KubeConnection connection;
        private final Consumer<Release> onChange;
        private final Thread thread;
        private Release known;

        /**
         * @param known the current release
         * @param onChange called on a thread of its own when the release changes
         */
        public ReleaseChanges(
                KubeConnection connection,
                Release known,
                Duration period,
                Sleeper sleeper,
                Consumer<Release> onChange,
                ThreadFactory threads) {
            this.connection = connection;
            this.known = known;
            this.onChange = onChange;
            this.thread = threads.newThread(sleeper.polling(period, this::look));
        }

        /** Starts polling. */
        public void start() {
            thread.start();
        }

        private void look() {
            Release found;
            try {
                found = ApiDiscovery.release(connection);
            } catch (ApiIoException e) {
                LOG.debug("release not read: {}", e.getMessage());
                return;
            }
            if (!found.equals(known)) {
                known = found;
                onChange.accept(found);
            }
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
