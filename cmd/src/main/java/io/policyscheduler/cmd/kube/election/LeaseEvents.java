package io.policyscheduler.cmd.kube.election;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventBody;
import io.policyscheduler.cmd.kube.write.EventText;
import io.policyscheduler.cmd.kube.write.PodReference;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records core/v1 events about the objects of an election's lock, best effort. Thread-safe. */
public final class LeaseEvents {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseEvents.class);

    private final KubeConnection connection;
    private final LeaseSettings settings;
    private final String component;
    private final EventBody bodies;
    private final Clock clock;

    /**
     * @param component the scheduler's name: event source and reporting component
     * @param instance this process, such as the host name
     */
    public LeaseEvents(
            KubeConnection connection, LeaseSettings settings, String component, String instance, Clock clock) {
        this.connection = connection;
        this.settings = settings;
        this.component = component;
        this.bodies = new EventBody(instance);
        this.clock = clock;
    }

    /** Writes {@code IDENTITY became leader}; blocks for one call an object. */
    public void becameLeader() {
        write(settings.identity() + " became leader");
    }

    /** Writes {@code IDENTITY stopped leading}; blocks for one call an object. */
    public void stoppedLeading() {
        write(settings.identity() + " stopped leading");
    }

    private void write(String message) {
        Instant now = clock.instant();
        long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        for (LockKind kind : settings.lock().kinds()) {
            write(kind, EventBody.name(settings.name(), nanos++), message, now);
        }
    }

    private void write(LockKind kind, String eventName, String message, Instant now) {
        PodReference object = new PodReference(settings.namespace(), settings.name(), "", "");
        EventText text = new EventText(component, "Normal", "LeaderElection", message, 0);
        byte[] body = bodies.create(eventName, kind.apiVersion(), kind.kind(), object, text, now);
        try {
            ApiResponse response = connection.post("/api/v1/namespaces/" + settings.namespace() + "/events", body);
            if (!response.success()) {
                LOG.debug("event \"{}\" not written: {}", message, response);
            }
        } catch (ApiIoException e) {
            LOG.debug("event \"{}\" not written: {}", message, e.getMessage());
        }
    }
}
