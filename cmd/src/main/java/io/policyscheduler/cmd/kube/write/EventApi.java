package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.util.List;
import java.util.Set;

/** The API in which events are written. */
public enum EventApi {
    /** Events of core/v1, which every server has. */
    CORE("v1"),
    /** Events of events.k8s.io/v1beta1, with actions and series; served from 1.14 to 1.24, and used by kube-scheduler up to 1.18. */
    EVENTS_BETA("events.k8s.io/v1beta1"),
    /** Events of events.k8s.io/v1, with actions and series. */
    EVENTS("events.k8s.io/v1");

    private final String groupVersion;

    EventApi(String groupVersion) {
        this.groupVersion = groupVersion;
    }

    /**
     * That of a server: events.k8s.io/v1, served since 1.19, else v1beta1, else core/v1.
     *
     * @param groupVersions all that it serves
     */
    public static EventApi of(Set<String> groupVersions) {
        return List.of(EVENTS, EVENTS_BETA).stream()
                .filter(api -> groupVersions.contains(api.groupVersion))
                .findFirst()
                .orElse(CORE);
    }

    /** The group and version, as in {@code apiVersion}. */
    String groupVersion() {
        return groupVersion;
    }

    EventChannel open(KubeConnection connection, String instance) {
        return this == CORE ? new CoreEvents(connection, instance) : new SeriesEvents(connection, instance, this);
    }
}
