package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Validates the parts of a pod that no decision reads, so that a manifest has the same errors as on a real server. Mirrors
 * {@code ValidatePodSpec} of {@code pkg/apis/core/validation}.
 */
final class PodSpecValidation {
    private static final String VARIABLE_RULE =
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and"
                    + " must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used"
                    + " for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
    private static final String RELAXED_VARIABLE_RULE =
            "a valid environment variable name must consist only of printable ASCII characters other than '='";
    private static final List<String> HANDLERS = List.of("exec", "httpGet", "tcpSocket", "grpc");

    private final JsonNode spec;
    private final FieldErrors errors;
    private final Release release;

    private PodSpecValidation(JsonNode spec, FieldErrors errors, Release release) {
        this.spec = spec;
        this.errors = errors;
        this.release = release;
    }

    /** Adds the errors of the spec of a pod with all defaults. */
    static void check(JsonNode spec, FieldErrors errors, Release release) {
        new PodSpecValidation(spec, errors, release).check();
    }

    private void check() {
        volumes();
        for (String list : List.of("initContainers", "containers")) {
            JsonNode containers = spec.path(list);
            for (int i = 0; i < containers.size(); i++) {
                container("spec." + list + "[" + i + "]", containers.path(i), list.equals("initContainers"));
            }
        }
        hostPorts();
        text("dnsPolicy", List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"));
        if (Json.text(spec, "dnsPolicy").equals("None")
                && spec.path("dnsConfig").path("nameservers").isEmpty()) {
            errors.required("spec.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
        }
        text("preemptionPolicy", List.of("PreemptLowerPriority", "Never"));
        errors.labels("spec.nodeSelector", spec.path("nodeSelector"));
        for (String field : List.of("serviceAccountName", "priorityClassName", "runtimeClassName")) {
            String name = Json.text(spec, field);
            if (!name.isEmpty()) {
                errors.all("spec." + field, name, FieldErrors.subdomain(name));
            }
        }
        for (String field : List.of("hostname", "subdomain")) {
            String name = Json.text(spec, field);
            if (!name.isEmpty()) {
                errors.all("spec." + field, name, FieldErrors.label(name));
            }
        }
        gates();
        addresses();
        user("spec.securityContext.runAsUser", spec.path("securityContext").path("runAsUser"));
        if (spec.path("shareProcessNamespace").asBoolean()
                && spec.path("hostPID").asBoolean()) {
            errors.invalidValue(
                    "spec.securityContext.shareProcessNamespace",
                    true,
                    "ShareProcessNamespace and HostPID cannot both be enabled");
        }
    }

    private void text(String field, List<String> supported) {
        if (spec.path(field).isTextual()) {
            errors.oneOf("spec." + field, spec.path(field).asText(), supported);
        }
    }

    private void gates() {
        JsonNode gates = spec.path("readinessGates");
        for (int i = 0; i < gates.size(); i++) {
            String type = Json.text(gates.path(i), "conditionType");
            errors.all("spec.readinessGates[" + i + "].conditionType", type, FieldErrors.qualifiedName(type));
        }
    }

    private void addresses() {
        JsonNode aliases = spec.path("hostAliases");
        for (int i = 0; i < aliases.size(); i++) {
            String ip = Json.text(aliases.path(i), "ip");
            if (!FieldErrors.isIp(ip)) {
                String index = ComponentChange.UPDATE_VALIDATION.in(release) ? "[" + i + "]" : "";
                errors.invalid("spec.hostAliases" + index + ".ip", ip, "must be valid IP address");
            }
        }
        JsonNode servers = spec.path("dnsConfig").path("nameservers");
        for (int i = 0; i < servers.size(); i++) {
            if (!FieldErrors.isIp(servers.path(i).asText())) {
                errors.invalid(
                        "spec.dnsConfig.nameservers[" + i + "]", servers.path(i).asText(), "must be valid IP address");
            }
        }
    }

    private void user(String path, JsonNode user) {
        if (user.isNumber() && (user.asLong() < 0 || user.asLong() > Integer.MAX_VALUE)) {
            errors.invalidValue(path, user.asLong(), "must be between 0 and 2147483647, inclusive");
        }
    }

    private void volumes() {
        Set<String> names = new HashSet<>();
        JsonNode volumes = spec.path("volumes");
        for (int i = 0; i < volumes.size(); i++) {
            JsonNode volume = volumes.path(i);
            String path = "spec.volumes[" + i + "]";
            String name = Json.text(volume, "name");
            if (!name.isEmpty()) {
                errors.all(path + ".name", name, FieldErrors.label(name));
                if (!names.add(name)) {
                    errors.duplicate(path + ".name", "\"" + name + "\"");
                }
            }
            String first = "";
            for (String source :
                    volume.properties().stream().map(Map.Entry::getKey).toList()) {
                if (source.equals("name") || volume.path(source).isNull()) {
                    continue;
                }
                if (!first.isEmpty()) {
                    errors.forbidden(path + "." + source, "may not specify more than 1 volume type");
                }
                first = source;
            }
            source(path, volume);
        }
    }

    private void source(String path, JsonNode volume) {
        String limit = volume.path("emptyDir").path("sizeLimit").asText("0");
        if (Json.quantity(limit).orElse(BigDecimal.ZERO).signum() < 0) {
            errors.forbidden(path + ".emptyDir.sizeLimit", "SizeLimit field must be a valid resource quantity");
        }
        if (volume.path("gitRepo").isObject()) {
            errors.requireText(path + ".gitRepo", volume.path("gitRepo"), "repository");
        }
        for (JsonNode item : volume.path("downwardAPI").path("items")) {
            String place = Json.text(item, "path");
            if (List.of(place.split("/", -1)).contains("..")) {
                errors.invalid(path + ".downwardAPI.path", place, "must not contain '..'");
            }
        }
        for (String kind : List.of("configMap", "secret")) {
            JsonNode items = volume.path(kind).path("items");
            for (int i = 0; i < items.size(); i++) {
                errors.requireText(path + "." + kind + ".items[" + i + "]", items.path(i), "key");
                errors.requireText(path + "." + kind + ".items[" + i + "]", items.path(i), "path");
            }
        }
    }

    private void container(String path, JsonNode container, boolean isInit) {
        handler(path + ".lifecycle.postStart", container.path("lifecycle").path("postStart"));
        handler(path + ".lifecycle.preStop", container.path("lifecycle").path("preStop"));
        for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (isInit && container.path(probe).isObject() && !container.has("restartPolicy")) {
                if (release.atLeast(29)) {
                    errors.forbidden(
                            path + "." + probe, "may not be set for init containers without restartPolicy=Always");
                } else {
                    errors.invalidValue(path + "." + probe, "{}", "must not be set for init containers");
                }
            }
            probe(path + "." + probe, container.path(probe), !probe.equals("readinessProbe"));
        }
        if (container.path("terminationMessagePolicy").isTextual()) {
            String policy = Json.text(container, "terminationMessagePolicy");
            if (ComponentChange.UPDATE_VALIDATION.in(release)) {
                errors.oneOf(path + ".terminationMessagePolicy", policy, List.of("File", "FallbackToLogsOnError"));
            } else if (!List.of("File", "FallbackToLogsOnError").contains(policy)) {
                errors.invalid(path + ".terminationMessagePolicy", policy, "must be 'File' or 'FallbackToLogsOnError'");
            }
        }
        if (!Json.text(container, "imagePullPolicy").isEmpty()) {
            errors.oneOf(
                    path + ".imagePullPolicy",
                    Json.text(container, "imagePullPolicy"),
                    List.of("Always", "IfNotPresent", "Never"));
        }
        ports(path + ".ports", container.path("ports"));
        variables(path, container);
        mounts(path + ".volumeMounts", container.path("volumeMounts"));
        JsonNode context = container.path("securityContext");
        user(path + ".securityContext.runAsUser", context.path("runAsUser"));
        boolean mayNotEscalate = context.path("allowPrivilegeEscalation").isBoolean()
                && !context.path("allowPrivilegeEscalation").asBoolean();
        if (context.path("privileged").asBoolean() && mayNotEscalate) {
            errors.invalidValue(
                    path + ".securityContext",
                    "{}",
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
    }

    private void handler(String path, JsonNode handler) {
        if (!handler.isObject()) {
            return;
        }
        if (HANDLERS.stream().noneMatch(handler::has)) {
            errors.required(path, "must specify a handler type");
        }
        JsonNode http = handler.path("httpGet");
        if (http.isObject()) {
            errors.portOrName(path + ".httpGet.port", http.path("port"));
        }
        JsonNode socket = handler.path("tcpSocket");
        if (socket.isObject()) {
            errors.portOrName(path + ".tcpSocket.port", socket.path("port"));
        }
    }

    private void probe(String path, JsonNode probe, boolean succeedsOnce) {
        if (!probe.isObject()) {
            return;
        }
        handler(path, probe);
        for (String field : List.of(
                "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")) {
            errors.notNegative(path + "." + field, probe.path(field));
        }
        long successes = probe.path("successThreshold").asLong(1);
        if (succeedsOnce && successes > 1) {
            errors.invalidValue(path + ".successThreshold", successes, "must be 1");
        }
    }

    private void ports(String path, JsonNode ports) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            String place = path + "[" + i + "]";
            String name = Json.text(ports.path(i), "name");
            if (!name.isEmpty()) {
                List<String> messages = FieldErrors.portName(name);
                errors.all(place + ".name", name, messages);
                if (messages.isEmpty() && !names.add(name)) {
                    errors.duplicate(place + ".name", "\"" + name + "\"");
                }
            }
            String protocol = Json.text(ports.path(i), "protocol");
            if (!protocol.isEmpty()) {
                errors.oneOf(place + ".protocol", protocol, ServiceValidation.PROTOCOLS);
            }
        }
    }

    private void hostPorts() {
        Set<String> taken = new HashSet<>();
        JsonNode containers = spec.path("containers");
        for (int i = 0; i < containers.size(); i++) {
            JsonNode ports = containers.path(i).path("ports");
            for (int j = 0; j < ports.size(); j++) {
                JsonNode port = ports.path(j);
                String protocol = Json.text(port, "protocol");
                String use = (protocol.isEmpty() ? "TCP" : protocol) + "/" + Json.text(port, "hostIP") + "/"
                        + port.path("hostPort").asLong();
                if (port.path("hostPort").asLong() != 0 && !taken.add(use)) {
                    errors.duplicate("spec.containers[" + i + "].ports[" + j + "].hostPort", "\"" + use + "\"");
                }
            }
        }
    }

    private void variables(String path, JsonNode container) {
        JsonNode variables = container.path("env");
        for (int i = 0; i < variables.size(); i++) {
            String place = path + ".env[" + i + "]";
            JsonNode variable = variables.path(i);
            String name = Json.text(variable, "name");
            boolean isRelaxed = release.atLeast(32);
            String form = isRelaxed ? "[ -~&&[^=]]*" : "[-._a-zA-Z][-._a-zA-Z0-9]*";
            if (!name.isEmpty() && !name.matches(form)) {
                errors.invalid(place + ".name", name, isRelaxed ? RELAXED_VARIABLE_RULE : VARIABLE_RULE);
            }
            JsonNode source = variable.path("valueFrom");
            if (!source.isObject()) {
                continue;
            }
            if (source.isEmpty()) {
                errors.invalid(
                        place + ".valueFrom",
                        "",
                        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
            } else if (!Json.text(variable, "value").isEmpty()) {
                errors.invalid(place + ".valueFrom", "", "may not be specified when `value` is not empty");
            }
        }
        for (JsonNode source : container.path("envFrom")) {
            if (!source.has("configMapRef") && !source.has("secretRef")) {
                errors.invalid(path + ".envFrom", "", "must specify one of: `configMapRef` or `secretRef`");
            }
        }
    }

    private void mounts(String path, JsonNode mounts) {
        Set<String> places = new HashSet<>();
        for (int i = 0; i < mounts.size(); i++) {
            String place = Json.text(mounts.path(i), "mountPath");
            if (!place.isEmpty() && !places.add(place)) {
                errors.invalid(path + "[" + i + "].mountPath", place, "must be unique");
            }
            String inside = Json.text(mounts.path(i), "subPath");
            if (List.of(inside.split("/", -1)).contains("..")) {
                errors.invalid(path + ".subPath", inside, "must not contain '..'");
            }
        }
    }
}
