package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validates services. Mirrors {@code ValidateService} of {@code pkg/apis/core/validation}. */
final class ServiceValidation {
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final List<String> FAMILY_POLICIES = List.of("PreferDualStack", "RequireDualStack", "SingleStack");
    private static final int LONGEST_AFFINITY_SECONDS = 86_400;

    private final JsonNode spec;
    private final String type;
    /** The addresses; until 1.19, the only one. */
    private final List<String> addresses;

    private final boolean isHeadless;
    private final FieldErrors errors;
    private final Release release;

    private ServiceValidation(JsonNode spec, FieldErrors errors, Release release) {
        this.spec = spec;
        this.type = Json.text(spec, "type");
        this.addresses = addresses(spec, release);
        this.isHeadless = addresses.equals(List.of("None"));
        this.errors = errors;
        this.release = release;
    }

    private static List<String> addresses(JsonNode spec, Release release) {
        List<String> addresses = new ArrayList<>();
        spec.path("clusterIPs").forEach(address -> addresses.add(address.asText()));
        String only = Json.text(spec, "clusterIP");
        if (!ComponentChange.CLUSTER_IPS.in(release) && !only.isEmpty()) {
            return List.of(only);
        }
        return addresses;
    }

    /** Adds the errors of a service with all defaults. */
    static void check(ObjectNode service, FieldErrors errors, Release release) {
        new ServiceValidation(service.path("spec"), errors, release).check();
    }

    /**
     * Adds the errors of a changed service besides those of a new one: its addresses stay, unless it gets a name instead. Mirrors
     * {@code validateUpgradeDowngradeClusterIPs}.
     */
    static void checkChange(ObjectNode present, ObjectNode proposed, FieldErrors errors, Release release) {
        ServiceValidation after = new ServiceValidation(proposed.path("spec"), errors, release);
        ServiceValidation before = new ServiceValidation(present.path("spec"), errors, release);
        boolean isNamed = after.type.equals("ExternalName") || before.type.equals("ExternalName");
        if (isNamed || before.addresses.isEmpty() || before.isHeadless && after.isHeadless) {
            return;
        }
        String path = "spec.clusterIPs[0]";
        if (after.addresses.isEmpty()) {
            errors.invalidValue(path, "[]string(nil)", "primary clusterIP can not be unset");
        } else if (!after.addresses.get(0).equals(before.addresses.get(0))) {
            errors.invalidValue(path, proposed.path("spec").path("clusterIPs"), "may not change once set");
        }
    }

    /** Whether an error is about fields of a service that contradict each other, which earlier releases validate last. */
    static boolean isCombination(Cause cause) {
        return cause.message().contains(" can only be set on ");
    }

    /** Returns the errors of the addresses of a changed service: later releases look at its other fields only if there are none. */
    static List<Cause> addressErrors(ObjectNode proposed, Release release) {
        FieldErrors errors = new FieldErrors(new ArrayList<>());
        if (ComponentChange.KEPT_SERVICE_ADDRESS.in(release)) {
            new ServiceValidation(proposed.path("spec"), errors, release).clusterAddresses();
        }
        Set<String> ports = new HashSet<>();
        for (JsonNode port : proposed.path("spec").path("ports")) {
            String pair = Json.text(port, "protocol") + " " + Json.text(port, "nodePort");
            if (!pair.endsWith(" ") && !ports.add(pair) && ComponentChange.UPDATE_VALIDATION.in(release)) {
                throw StatusError.of(500, "", "duplicate nodePort: {" + pair + "}");
            }
        }
        return errors.causes();
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
        clusterAddresses();
        externalAddresses();
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
            if (!addresses.isEmpty()) {
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

    /** Mirrors {@code ValidateServiceClusterIPsRelatedFields}. */
    private void clusterAddresses() {
        if (type.equals("ExternalName")) {
            return;
        }
        String path = "spec.clusterIPs";
        String primary = Json.text(spec, "clusterIP");
        if (!primary.isEmpty() && addresses.isEmpty()) {
            errors.required(path, "");
        } else if (!primary.isEmpty() && !primary.equals(addresses.get(0))) {
            errors.invalidValue(path, spec.path("clusterIPs"), "first value must match `clusterIP`");
        } else if (primary.isEmpty() && !addresses.isEmpty()) {
            errors.invalidValue(path, spec.path("clusterIPs"), "must be empty when `clusterIP` is not specified");
        }
        boolean hasFamilies = ComponentChange.IP_FAMILIES.in(release);
        if (hasFamilies && spec.has("ipFamilyPolicy")) {
            errors.oneOf("spec.ipFamilyPolicy", Json.text(spec, "ipFamilyPolicy"), FAMILY_POLICIES);
        }
        for (int i = 0; i < addresses.size(); i++) {
            String address = addresses.get(i);
            String family = hasFamilies ? spec.path("ipFamilies").path(i).asText() : "";
            if (address.equals("None")) {
                continue;
            }
            if (!FieldErrors.isIp(address)) {
                errors.invalid(path + "[" + i + "]", address, FieldErrors.IP_RULE);
            } else if (!family.isEmpty() && family.equals("IPv6") != address.contains(":")) {
                errors.invalid(
                        path + "[" + i + "]",
                        address,
                        "expected an " + family + " value as indicated by `ipFamilies[" + i + "]`");
            }
        }
    }

    private void externalAddresses() {
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
            // Later releases find out when they allocate the ports.
            if (nodePort != 0
                    && !nodePorts.add(protocol + " " + nodePort)
                    && !ComponentChange.UPDATE_VALIDATION.in(release)) {
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
        for (int i = 0; i < ranges.size() && ComponentChange.UPDATE_VALIDATION.in(release); i++) {
            if (!FieldErrors.isCidr(ranges.path(i).asText().trim())) {
                errors.invalid(path + "[" + i + "]", ranges.path(i).asText(), FieldErrors.CIDR_RULE);
            }
        }
        for (JsonNode range : ComponentChange.UPDATE_VALIDATION.in(release) ? Json.array() : ranges) {
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
        if (ComponentChange.UPDATE_VALIDATION.in(release)) {
            laterTrafficPolicy();
            return;
        }
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

    /** External addresses expose a service as well. */
    private void laterTrafficPolicy() {
        String policy = Json.text(spec, "externalTrafficPolicy");
        String path = "spec.externalTrafficPolicy";
        boolean isExposed = List.of("LoadBalancer", "NodePort").contains(type)
                || (type.equals("ClusterIP") && !spec.path("externalIPs").isEmpty());
        if (!isExposed && !policy.isEmpty()) {
            errors.invalid(path, policy, "may only be set for externally-accessible services");
        } else if (isExposed && policy.isEmpty()) {
            errors.required(path, "");
        } else if (isExposed) {
            errors.oneOf(path, policy, List.of("Cluster", "Local"));
        }
        long health = spec.path("healthCheckNodePort").asLong();
        if (health != 0 && !(type.equals("LoadBalancer") && policy.equals("Local"))) {
            errors.invalidValue(
                    "spec.healthCheckNodePort",
                    health,
                    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        }
    }
}
