package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.cluster.release.Release;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks an API server now and then whether it has been upgraded. */
public final class ReleaseChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReleaseChanges.class);

    private final KubeConnection connection;
    private final Duration period;
    private final Sleeper sleeper;
    private final Consumer<Release> onChange;
    private final Thread thread;
    private Release known;

    /**
     * @param known what is known so far
     * @param onChange called on a thread of its own whenever the release is another one than before
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
        this.period = period;
        this.sleeper = sleeper;
        this.onChange = onChange;
        this.thread = threads.newThread(this::run);
    }

    /** Starts asking. */
    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                sleeper.sleep(period);
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
