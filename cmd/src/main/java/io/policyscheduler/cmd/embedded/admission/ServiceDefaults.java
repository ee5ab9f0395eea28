package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.util.Set;
import java.util.stream.Collectors;

/** What the API server fills in on services, with an address of the cluster's range (pkg/registry/core/service). */
final class ServiceDefaults {
    /** As many as the range 10.96.0.0/16 has, without the first one, which is the API server's. */
    private static final int ADDRESSES = 65_534;

    private final StoredObjects store;
    private final ResourceType services;
    private final boolean modern;

    /**
     * Defaults of services.
     *
     * @param modern false to leave out fields that v1.17 did not have
     */
    ServiceDefaults(StoredObjects store, ResourceType services, boolean modern) {
        this.store = store;
        this.services = services;
        this.modern = modern;
    }

    void complete(ObjectNode service) {
        ObjectNode spec = Json.child(service, "spec");
        Json.putIfAbsent(spec, "type", "ClusterIP");
        Json.putIfAbsent(spec, "sessionAffinity", "None");
        Json.child(Json.child(service, "status"), "loadBalancer");
        if (Json.text(spec, "type").equals("ExternalName")) {
            return;
        }
        Json.putIfAbsent(spec, "clusterIP", freeAddress());
        if (modern) {
            addressFamilies(spec);
        }
        for (JsonNode port : spec.path("ports")) {
            if (port instanceof ObjectNode object) {
                Json.putIfAbsent(object, "protocol", "TCP");
                if (!object.has("targetPort")) {
                    object.set("targetPort", object.path("port"));
                }
            }
        }
    }

    private static void addressFamilies(ObjectNode spec) {
        Json.putIfAbsent(spec, "internalTrafficPolicy", "Cluster");
        if (!spec.has("clusterIPs")) {
            spec.putArray("clusterIPs").add(Json.text(spec, "clusterIP"));
        }
        Json.putIfAbsent(spec, "ipFamilyPolicy", "SingleStack");
        if (!spec.has("ipFamilies")) {
            spec.putArray("ipFamilies").add("IPv4");
        }
    }

    private String freeAddress() {
        Set<String> taken = store.list(services, "").items().stream()
                .map(service -> Json.text(service, "spec", "clusterIP"))
                .collect(Collectors.toSet());
        for (int i = 2; i <= ADDRESSES; i++) {
            String address = "10.96." + (i >> 8) + "." + (i & 0xFF);
            if (!taken.contains(address)) {
                return address;
            }
        }
        return "None";
    }
}
