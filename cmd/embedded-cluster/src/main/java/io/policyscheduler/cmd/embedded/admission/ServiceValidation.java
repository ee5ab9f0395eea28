package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validates services. Mirrors {@code ValidateService} of {@code pkg/apis/core/validation}. */
final class ServiceValidation {
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final int LONGEST_AFFINITY_SECONDS = 86_400;

    private final JsonNode spec;
    private final String type;
    private final boolean isHeadless;
    private final FieldErrors errors;

    private ServiceValidation(JsonNode spec, FieldErrors errors) {
        this.spec = spec;
        this.type = Json.text(spec, "type");
        this.isHeadless = Json.text(spec, "clusterIP").equals("None");
        this.errors = errors;
    }

    /** Adds the errors of a service with all defaults. */
    static void check(ObjectNode service, FieldErrors errors) {
        new ServiceValidation(service.path("spec"), errors).check();
    }

    private void check() {
        JsonNode ports = spec.path("ports");
        if (ports.isEmpty() && !isHeadless && !type.equals("ExternalName")) {
            errors.required("spec.ports", "");
        }
        byType();
        ports();
        errors.labels("spec.selector", spec.path("selector"));
        affinity();
        addresses();
        errors.oneOf("spec.type", type, List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"));
        duplicates();
        ranges();
        trafficPolicy();
    }

    private void byType() {
        if ((type.equals("LoadBalancer") || type.equals("NodePort")) && isHeadless) {
            errors.invalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for " + type + " services");
        }
        if (type.equals("ExternalName")) {
            if (!Json.text(spec, "clusterIP").isEmpty()) {
                errors.forbidden("spec.clusterIPs", "may not be set for ExternalName services");
            }
            String name = Json.text(spec, "externalName");
            String cname = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
            if (cname.isEmpty()) {
                errors.required("spec.externalName", "");
            } else {
                errors.all("spec.externalName", cname, FieldErrors.subdomain(cname));
            }
        }
    }

    private void ports() {
        JsonNode ports = spec.path("ports");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.path(i);
            String path = "spec.ports[" + i + "]";
            String name = Json.text(port, "name");
            if (name.isEmpty()) {
                if (ports.size() > 1) {
                    errors.required(path + ".name", "");
                }
            } else {
                errors.all(path + ".name", name, FieldErrors.label(name));
                if (!names.add(name)) {
                    errors.duplicate(path + ".name", "\"" + name + "\"");
                }
            }
            errors.port(path + ".port", port.path("port").asLong());
            String protocol = Json.text(port, "protocol");
            errors.oneOf(path + ".protocol", protocol.isEmpty() ? "TCP" : protocol, PROTOCOLS);
            JsonNode target = port.path("targetPort");
            errors.portOrName(path + ".targetPort", target.isMissingNode() ? port.path("port") : target);
            if (port.path("appProtocol").isTextual()) {
                String application = port.path("appProtocol").asText();
                errors.all(path + ".appProtocol", application, FieldErrors.qualifiedName(application));
            }
        }
    }

    private void affinity() {
        String affinity = Json.text(spec, "sessionAffinity");
        String path = "spec.sessionAffinityConfig";
        JsonNode config = spec.path("sessionAffinityConfig");
        errors.oneOf("spec.sessionAffinity", affinity, List.of("ClientIP", "None"));
        if (affinity.equals("ClientIP")) {
            JsonNode seconds = config.path("clientIP").path("timeoutSeconds");
            if (seconds.isNumber() && (seconds.asLong() <= 0 || seconds.asLong() > LONGEST_AFFINITY_SECONDS)) {
                errors.invalidValue(
                        path + ".clientIP.timeoutSeconds",
                        seconds.asLong(),
                        "must be greater than 0 and less than " + LONGEST_AFFINITY_SECONDS);
            }
        } else if (affinity.equals("None") && config.isObject()) {
            errors.forbidden(path, "must not be set when session affinity is None");
        }
    }

    private void addresses() {
        String address = Json.text(spec, "clusterIP");
        if (!type.equals("ExternalName") && !address.isEmpty() && !isHeadless && !FieldErrors.isIp(address)) {
            errors.invalid("spec.clusterIPs[0]", address, FieldErrors.IP_RULE);
        }
        JsonNode external = spec.path("externalIPs");
        for (int i = 0; i < external.size(); i++) {
            String path = "spec.externalIPs[" + i + "]";
            String ip = external.path(i).asText();
            if (FieldErrors.isIp(ip)) {
                errors.nonSpecialIp(path, ip);
            } else {
                errors.invalid(path, ip, FieldErrors.IP_RULE);
            }
        }
    }

    private void duplicates() {
        JsonNode ports = spec.path("ports");
        Set<String> nodePorts = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            String path = "spec.ports[" + i + "]";
            JsonNode port = ports.path(i);
            String protocol = Json.text(port, "protocol");
            long nodePort = port.path("nodePort").asLong();
            if (nodePort != 0 && type.equals("ClusterIP")) {
                errors.forbidden(path + ".nodePort", "may not be used when `type` is 'ClusterIP'");
            }
            if (nodePort != 0 && !nodePorts.add(protocol + " " + nodePort)) {
                errors.duplicate(path + ".nodePort", nodePort);
            }
            if (!numbers.add(protocol + " " + port.path("port").asLong())) {
                errors.duplicate(path, port);
            }
        }
    }

    private void ranges() {
        JsonNode ranges = spec.path("loadBalancerSourceRanges");
        if (ranges.isEmpty()) {
            return;
        }
        String path = "spec.LoadBalancerSourceRanges";
        if (!type.equals("LoadBalancer")) {
            errors.forbidden(path, "may only be used when `type` is 'LoadBalancer'");
        }
        for (JsonNode range : ranges) {
            if (!FieldErrors.isCidr(range.asText().trim())) {
                errors.invalid(
                        path,
                        "[" + range.asText() + "]",
                        "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ");
                return;
            }
        }
    }

    private void trafficPolicy() {
        String policy = Json.text(spec, "externalTrafficPolicy");
        String path = "spec.externalTrafficPolicy";
        boolean isExposed = type.equals("LoadBalancer") || type.equals("NodePort");
        if (!List.of("", "Cluster", "Local").contains(policy)) {
            errors.invalid(path, policy, "ExternalTrafficPolicy must be empty, Cluster or Local");
        }
        if (!isExposed && !policy.isEmpty()) {
            errors.invalid(path, policy, "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service");
        }
        long health = spec.path("healthCheckNodePort").asLong();
        if (health != 0 && !(type.equals("LoadBalancer") && policy.equals("Local"))) {
            errors.invalidValue(
                    "spec.healthCheckNodePort",
                    health,
                    "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local");
        }
    }
}
