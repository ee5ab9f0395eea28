package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Container;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.ContainerPort;
import io.policyscheduler.engine.cluster.resource.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A container while it is being read. */
final class ContainerDraft {
    private final PodReading reading;
    private String name = "";
    private String image = "";
    private boolean restarts;
    private final List<HostPort> hostPorts = new ArrayList<>(0);
    private final List<ContainerPort> ports = new ArrayList<>(0);

    final ResourceList requests;
    final ResourceList limits;

    private ContainerDraft(PodReading reading) {
        this.reading = reading;
        this.requests = new ResourceList(reading.arithmetic());
        this.limits = new ResourceList(reading.arithmetic());
    }

    static ContainerDraft read(JsonCursor cursor, PodReading reading) throws IOException {
        ContainerDraft draft = new ContainerDraft(reading);
        cursor.object(draft::field);
        return draft;
    }

    private void field(String field, JsonCursor cursor) throws IOException {
        switch (field) {
            case "name" -> name = cursor.string();
            case "image" -> image = cursor.string();
            case "restartPolicy" ->
                restarts = cursor.string().equals("Always") && !reading.leavesOut(NewerField.SIDECARS);
            case "ports" -> cursor.array(this::port);
            case "resources" ->
                cursor.object((f, c) -> {
                    switch (f) {
                        case "requests" -> requests.read(c);
                        case "limits" -> limits.read(c);
                        default -> passOver(PodFields.CONTAINER_RESOURCES, f, c);
                    }
                });
            default -> passOver(PodFields.CONTAINER, field, cursor);
        }
    }

    private void passOver(PodFields place, String field, JsonCursor cursor) throws IOException {
        reading.passedOver(place, field);
        cursor.skip();
    }

    private void port(JsonCursor cursor) throws IOException {
        String[] text = {"", "", ""};
        int[] port = {0, 0};
        cursor.object((f, c) -> {
            switch (f) {
                case "hostPort" -> port[0] = c.integer();
                case "hostIP" -> text[0] = c.string();
                case "protocol" -> text[1] = c.string();
                case "name" -> text[2] = c.string();
                case "containerPort" -> port[1] = c.integer();
                default -> passOver(PodFields.PORT, f, c);
            }
        });
        ports.add(new ContainerPort(text[2], port[1], Math.max(port[0], 0), text[1].isEmpty() ? "TCP" : text[1]));
        if (port[0] > 0) {
            hostPorts.add(HostPort.of(text[0], text[1], port[0]));
        }
    }

    void addNames(Set<String> names) {
        requests.addNames(names);
        limits.addNames(names);
    }

    String name() {
        return name;
    }

    /** True for {@code restartPolicy: Always}, which makes an init container a sidecar. */
    boolean restarts() {
        return restarts;
    }

    Container build(boolean init) {
        return new Container(name, image, init, init && restarts, hostPorts, ports);
    }
}
