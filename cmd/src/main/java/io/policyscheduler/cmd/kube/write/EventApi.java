package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.util.Set;

/** The API in which events are written. */
public enum EventApi {
    /** Events of core/v1, which every server has. */
    CORE,
    /** Events of events.k8s.io/v1, with actions and series. */
    EVENTS;

    /**
     * That of a server: events.k8s.io/v1 where it is served, since 1.19.
     *
     * @param groupVersions all that it serves
     */
    public static EventApi of(Set<String> groupVersions) {
        return groupVersions.contains("events.k8s.io/v1") ? EVENTS : CORE;
    }

    EventChannel open(KubeConnection connection, String instance) {
        return this == CORE ? new CoreEvents(connection, instance) : new SeriesEvents(connection, instance);
    }
}
