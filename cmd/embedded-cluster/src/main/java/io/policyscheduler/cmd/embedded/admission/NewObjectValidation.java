package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields that new objects other than pods must have, so that no controller meets an object that it cannot read. Workloads and storage
 * have their own classes. Mirrors {@code validation.go} in {@code pkg/apis/core}, {@code networking}, {@code node}, {@code rbac},
 * {@code policy}, {@code scheduling}, and {@code coordination}.
 */
final class NewObjectValidation extends FieldChecks {
    private static final String RBAC = "rbac.authorization.k8s.io";
    /** Fields of a StatefulSet that are validated when it is created only. */
    private static final Pattern NEVER_CHANGED = Pattern.compile("spec.serviceName|spec.volumeClaimTemplates.*");

    /** Fields of a VolumeAttachment whose form was validated only when it was created. */
    private static final Set<String> NAMES_OF_ATTACHMENT = Set.of("spec.attacher", "spec.source.persistentVolumeName");

    private static final long HIGHEST_USER_PRIORITY = 1_000_000_000;

    private NewObjectValidation(ObjectNode object, Release release, List<Cause> causes) {
        super(object, release, causes);
    }

    /**
     * Returns the errors of a new object, in the order of the API server; empty for none.
     *
     * @param loading whether the object comes from a file: then only the requirements of controllers are checked, because dumps
     *     are incomplete
     */
    static List<Cause> check(ResourceType type, ObjectNode object, Release release, boolean loading) {
        List<Cause> causes = new ArrayList<>();
        boolean isWorkload = new WorkloadValidation(object, release, causes).check(type, loading);
        if (!isWorkload && !loading && !new StorageValidation(object, release, causes).check(type)) {
            new NewObjectValidation(object, release, causes).otherKinds(type);
        }
        return List.copyOf(new LinkedHashSet<>(causes));
    }

    /**
     * Returns the errors of a changed object that it would also have as a new one. Objects from files may have had some before, which
     * are left out.
     */
    static List<Cause> checkChange(ResourceType type, ObjectNode present, ObjectNode proposed, Release release) {
        List<Cause> causes = check(type, proposed, release, false);
        if (causes.isEmpty()) {
            return causes;
        }
        List<Cause> known = check(type, present, release, false);
        return causes.stream()
                .filter(cause -> !known.contains(cause)
                        && !(type.plural().equals("statefulsets")
                                && NEVER_CHANGED.matcher(cause.field()).matches())
                        && !(type.plural().equals("volumeattachments")
                                && !release.atLeast(36)
                                && cause.reason().equals("FieldValueInvalid")
                                && NAMES_OF_ATTACHMENT.contains(cause.field())))
                .toList();
    }

    private void otherKinds(ResourceType type) {
        switch (type.qualifiedName()) {
            case "configmaps" -> configMap();
            case "namespaces" ->
                forEach("spec.finalizers", spec.path("finalizers"), (path, finalizer) -> {
                    String name = finalizer.asText();
                    errors.all("spec.finalizers", name, FieldErrors.qualifiedName(name));
                    MetadataValidation.standardFinalizer(errors, "spec.finalizers", name);
                });
            case "endpoints" -> endpoints();
            case "limitranges" -> forEach("spec.limits", spec.path("limits"), this::limitRangeItem);
            case "nodes" -> node();
            case "secrets" -> secret();
            case "services" -> ServiceValidation.check(object, errors, release);
            case "controllerrevisions.apps" -> {
                if (isAbsent(object.path("data"))) {
                    causes.add(Cause.required("data", "data is mandatory"));
                } else if (ComponentChange.UPDATE_VALIDATION.in(release)
                        && !object.path("data").isObject()) {
                    causes.add(Cause.required("data", "data must be a valid JSON object"));
                }
                notNegative("revision", object.path("revision"));
            }
            case "leases.coordination.k8s.io" -> lease();
            case "poddisruptionbudgets.policy" -> budget();
            case "networkpolicies.networking.k8s.io" -> networkPolicy();
            case "roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io" -> {
                forEach("rules", object.path("rules"), (path, rule) -> rule(path, rule, type.namespaced()));
                aggregation();
            }
            case "rolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("Role", "ClusterRole"));
            case "clusterrolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("ClusterRole"));
            case "runtimeclasses.node.k8s.io" -> runtimeClass();
            case "priorityclasses.scheduling.k8s.io" -> priorityClass();
            default -> {
                // Other kinds have no required fields.
            }
        }
    }

    private void configMap() {
        keys(object.path("data"), "data");
        object.path("data").properties().forEach(entry -> {
            if (object.path("binaryData").has(entry.getKey())) {
                errors.invalid(
                        "data[" + entry.getKey() + "]", entry.getKey(), "duplicate of key present in binaryData");
            }
        });
        keys(object.path("binaryData"), "binaryData");
    }

    private void keys(JsonNode data, String path) {
        data.properties()
                .forEach(entry -> errors.all(
                        path + "[" + entry.getKey() + "]", entry.getKey(), FieldErrors.configKey(entry.getKey())));
    }

    private void endpoints() {
        forEach("subsets", object.path("subsets"), (path, subset) -> {
            if (subset.path("addresses").isEmpty()
                    && subset.path("notReadyAddresses").isEmpty()) {
                causes.add(Cause.required(path, "must specify `addresses` or `notReadyAddresses`"));
            }
            forEach(path + ".addresses", subset.path("addresses"), this::address);
            forEach(path + ".notReadyAddresses", subset.path("notReadyAddresses"), this::address);
            forEach(path + ".ports", subset.path("ports"), (place, port) -> {
                String name = Json.text(port, "name");
                if (subset.path("ports").size() > 1) {
                    requireText(place + ".name", port, "name");
                }
                if (!name.isEmpty()) {
                    errors.all(place + ".name", name, FieldErrors.label(name));
                }
                errors.port(place + ".port", port.path("port").asLong());
                if (!Json.text(port, "protocol").isEmpty()) {
                    unsupported(place + ".protocol", Json.text(port, "protocol"), ServiceValidation.PROTOCOLS);
                }
            });
        });
    }

    private void address(String path, JsonNode address) {
        String ip = Json.text(address, "ip");
        if (!FieldErrors.isIp(ip)) {
            errors.invalid(path + ".ip", ip, FieldErrors.IP_RULE);
        }
        String host = Json.text(address, "hostname");
        if (!host.isEmpty()) {
            errors.all(path + ".hostname", host, FieldErrors.label(host));
        }
        if (!isAbsent(address.path("nodeName"))) {
            String node = Json.text(address, "nodeName");
            errors.all(path + ".nodeName", node, FieldErrors.subdomain(node));
        }
        errors.nonSpecialIp(path + ".ip", ip);
    }

    private void secret() {
        JsonNode data = object.path("data");
        keys(data, "data");
        switch (Json.text(object, "type")) {
            case "kubernetes.io/service-account-token" -> {
                String account = "kubernetes.io/service-account.name";
                if (object.path("metadata")
                        .path("annotations")
                        .path(account)
                        .asText()
                        .isEmpty()) {
                    causes.add(Cause.required("metadata.annotations[" + account + "]", ""));
                }
            }
            case "kubernetes.io/dockercfg" -> requireJson(".dockercfg");
            case "kubernetes.io/dockerconfigjson" -> requireJson(".dockerconfigjson");
            case "kubernetes.io/tls" -> requireKeys("data", List.of("tls.crt", "tls.key"));
            case "kubernetes.io/ssh-auth" -> {
                if (Json.text(data, "ssh-privatekey").isEmpty()) {
                    causes.add(Cause.required(formattedData() + "[ssh-privatekey]", ""));
                }
            }
            case "kubernetes.io/basic-auth" -> {
                List<String> keys = List.of("username", "password");
                if (keys.stream().noneMatch(data::has)) {
                    requireKeys(formattedData(), keys);
                }
            }
            default -> {
                // Other types have no required keys.
            }
        }
    }

    /** API servers up to 1.33 print this verb of a format as it is. */
    private String formattedData() {
        return ComponentChange.UPDATE_VALIDATION.in(release) ? "data" : "data[%s]";
    }

    private void requireJson(String key) {
        requireKeys("data", List.of(key));
        String text = Json.text(object, "data", key);
        if (!text.isEmpty()) {
            String message = "";
            try {
                SourceNode node =
                        SourceDocument.parseJson(new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
                if (node.kind() != SourceNode.Kind.OBJECT && node.kind() != SourceNode.Kind.NULL) {
                    message = "json: cannot unmarshal " + node.kind().goName()
                            + " into Go value of type map[string]interface {}";
                }
            } catch (DocumentException e) {
                message = e.text();
            }
            if (!message.isEmpty()) {
                errors.invalid("data[" + key + "]", "<secret contents redacted>", message);
            }
        }
    }

    private void requireKeys(String path, List<String> keys) {
        for (String key : keys) {
            if (!object.path("data").has(key)) {
                causes.add(Cause.required(path + "[" + key + "]", ""));
            }
        }
    }

    private void networkPolicy() {
        selector("spec.podSelector", spec.path("podSelector"));
        forEach("spec.ingress", spec.path("ingress"), (path, rule) -> {
            forEach(path + ".ports", rule.path("ports"), this::policyPort);
            forEach(path + ".from", rule.path("from"), this::networkPolicyPeer);
        });
        forEach("spec.egress", spec.path("egress"), (path, rule) -> {
            forEach(path + ".ports", rule.path("ports"), this::policyPort);
            forEach(path + ".to", rule.path("to"), this::networkPolicyPeer);
        });
        JsonNode types = spec.path("policyTypes");
        if (types.size() > 2) {
            errors.invalidValue("spec.policyTypes", types, "may not specify more than two policyTypes");
        } else {
            forEach(
                    "spec.policyTypes",
                    types,
                    (path, type) -> unsupported(path, type.asText(), List.of("Ingress", "Egress")));
        }
    }

    private void policyPort(String path, JsonNode port) {
        if (port.has("protocol")) {
            unsupported(path + ".protocol", Json.text(port, "protocol"), List.of("TCP", "UDP", "SCTP"));
        }
        if (!isAbsent(port.path("port"))) {
            errors.portOrName(path + ".port", port.path("port"));
        }
    }

    private void networkPolicyPeer(String path, JsonNode peer) {
        JsonNode pods = peer.path("podSelector");
        JsonNode namespaces = peer.path("namespaceSelector");
        JsonNode block = peer.path("ipBlock");
        selector(path + ".podSelector", pods);
        selector(path + ".namespaceSelector", namespaces);
        if (!isAbsent(block)) {
            ipBlock(path + ".ipBlock", block);
            if (!isAbsent(pods) || !isAbsent(namespaces)) {
                causes.add(Cause.forbidden(path, "may not specify both ipBlock and another peer"));
            }
        } else if (isAbsent(pods) && isAbsent(namespaces)) {
            causes.add(Cause.required(path, "must specify a peer"));
        }
    }

    private void ipBlock(String path, JsonNode block) {
        if (!requireText(path + ".cidr", block, "cidr")) {
            return;
        }
        String cidr = Json.text(block, "cidr");
        if (!FieldErrors.isCidr(cidr)) {
            errors.invalid(path + ".cidr", cidr, "not a valid CIDR");
            return;
        }
        forEach(path + ".except", block.path("except"), (place, except) -> {
            if (!FieldErrors.isCidr(except.asText())) {
                errors.invalid(place, except.asText(), "not a valid CIDR");
            } else if (!FieldErrors.isStrictSubnet(cidr, except.asText())) {
                errors.invalid(place, except.asText(), "must be a strict subset of `cidr`");
            }
        });
    }

    private void aggregation() {
        JsonNode rule = object.path("aggregationRule");
        if (!isAbsent(rule) && rule.path("clusterRoleSelectors").isEmpty()) {
            causes.add(Cause.required(
                    "aggregationRule.clusterRoleSelectors",
                    "at least one clusterRoleSelector required if aggregationRule is non-nil"));
        }
        forEach("aggregationRule.clusterRoleSelectors", rule.path("clusterRoleSelectors"), (path, selector) -> {
            int before = causes.size();
            selector(path, selector);
            if (causes.size() > before) {
                errors.invalidValue(
                        path,
                        ComponentChange.MAPS_AS_JSON.in(release) ? selector : "\"null\"",
                        "invalid label selector.");
            }
        });
    }

    private void runtimeClass() {
        String handler = Json.text(object, "handler");
        if (handler.isEmpty() && release.atLeast(36)) {
            errors.required("handler", "");
        } else {
            label("handler", handler);
        }
        JsonNode scheduling = object.path("scheduling");
        errors.labels("scheduling.nodeSelector", scheduling.path("nodeSelector"));
        // The path of each toleration repeated the name of the list.
        boolean isRepeated = !release.atLeast(36);
        tolerations("scheduling.tolerations" + (isRepeated ? ".tolerations" : ""), scheduling.path("tolerations"));
        object.path("overhead").path("podFixed").properties().forEach(amount -> {
            String path = "overhead.limits[" + amount.getKey() + "]";
            resourceName(path, amount.getKey(), "Container");
            if (Json.quantity(amount.getValue().asText())
                            .orElse(BigDecimal.ZERO)
                            .signum()
                    < 0) {
                errors.invalid(path, amount.getValue().asText(), "must be greater than or equal to 0");
            }
        });
        Set<JsonNode> seen = new HashSet<>();
        forEach("scheduling.tolerations", scheduling.path("tolerations"), (path, toleration) -> {
            if (!seen.add(toleration)) {
                errors.duplicate(path, toleration);
            }
        });
    }

    private void limitRangeItem(String path, JsonNode limit) {
        String type = Json.text(limit, "type");
        List<String> messages = FieldErrors.qualifiedName(type);
        errors.all(path + ".type", type, messages);
        if (messages.isEmpty()
                && !type.contains("/")
                && !List.of("Pod", "Container", "PersistentVolumeClaim").contains(type)) {
            causes.add(Cause.invalid(path + ".type", type, "must be a standard limit type or fully qualified"));
        }
        for (JsonNode other : spec.path("limits")) {
            if (other == limit) {
                break;
            }
            if (Json.text(other, "type").equals(type)) {
                errors.duplicate(path + ".type", "\"" + type + "\"");
                break;
            }
        }
        boolean isPod = type.equals("Pod");
        for (String field : List.of("default", "defaultRequest")) {
            if (isPod && !limit.path(field).isEmpty()) {
                errors.forbidden(path + "." + field, "may not be specified when `type` is 'Pod'");
            }
        }
        if (type.equals("PersistentVolumeClaim")
                && !limit.path("min").has("storage")
                && !limit.path("max").has("storage")) {
            errors.required(
                    path + ".limits", "either minimum or maximum storage value is required, but neither was provided");
        }
        Set<String> resources = new TreeSet<>();
        for (String field : List.of("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")) {
            if (!isPod || !field.startsWith("default")) {
                limit.path(field).properties().forEach(amount -> {
                    resources.add(amount.getKey());
                    resourceName(path + "." + field + "[" + amount.getKey() + "]", amount.getKey(), type);
                });
            }
        }
        resources.forEach(resource -> amounts(path, limit, resource, isPod));
    }

    private void resourceName(String path, String name, String type) {
        errors.all(path, name, FieldErrors.qualifiedName(name));
        boolean isStandard =
                Set.of("cpu", "memory", "ephemeral-storage", "storage", "pods").contains(name)
                        || name.startsWith("hugepages-");
        if (!name.contains("/") && !isStandard) {
            errors.invalid(
                    path,
                    name,
                    type.equals("Container")
                            ? "must be a standard resource for containers"
                            : "must be a standard resource type or fully qualified");
            errors.invalid(path, name, "must be a standard resource type or fully qualified");
        }
    }

    /** Compares the amounts of one resource. */
    private void amounts(String path, JsonNode limit, String resource, boolean isPod) {
        JsonNode min = limit.path("min").path(resource);
        JsonNode max = limit.path("max").path(resource);
        notAbove(path + ".min", resource, min, "min value", min, "max value", max);
        if (!isPod) {
            defaults(path, limit, resource, min, max);
        }
        JsonNode ratio = limit.path("maxLimitRequestRatio").path(resource);
        BigDecimal most = amount(ratio);
        if (most == null) {
            return;
        }
        String ratios = path + ".maxLimitRequestRatio";
        if (most.compareTo(BigDecimal.ONE) < 0) {
            tooLarge(ratios, resource, ratio, "ratio " + text(ratio) + " is less than 1");
        }
        BigDecimal low = amount(min);
        BigDecimal high = amount(max);
        if (low != null && high != null && low.signum() > 0) {
            double possible = high.doubleValue() / low.doubleValue();
            if (most.doubleValue() > possible) {
                String text = String.format(Locale.ROOT, "%f", possible);
                tooLarge(ratios, resource, ratio, "ratio " + text(ratio) + " is greater than max/min = " + text);
            }
        }
    }

    private void defaults(String path, JsonNode limit, String resource, JsonNode min, JsonNode max) {
        JsonNode request = limit.path("defaultRequest").path(resource);
        JsonNode standard = limit.path("default").path(resource);
        String requests = path + ".defaultRequest";
        notAbove(requests, resource, request, "min value", min, "default request value", request);
        notAbove(requests, resource, request, "default request value", request, "max value", max);
        notAbove(requests, resource, request, "default request value", request, "default limit value", standard);
        // The API server shows the other value of these.
        notAbove(path + ".default", resource, min, "min value", min, "default value", standard);
        notAbove(path + ".default", resource, max, "default value", standard, "max value", max);
    }

    /**
     * Requires the first amount to be at most the second, if both exist.
     *
     * @param shown the amount in the error
     */
    private void notAbove(
            String path,
            String resource,
            JsonNode shown,
            String lowName,
            JsonNode low,
            String highName,
            JsonNode high) {
        BigDecimal lowest = amount(low);
        BigDecimal highest = amount(high);
        if (lowest != null && highest != null && lowest.compareTo(highest) > 0) {
            tooLarge(
                    path,
                    resource,
                    shown,
                    lowName + " " + text(low) + " is greater than " + highName + " " + text(high));
        }
    }

    /** Releases that print structures as Go does also print quantities so. */
    private void tooLarge(String path, String resource, JsonNode shown, String detail) {
        errors.invalidValue(
                path + "[" + resource + "]",
                ComponentChange.MAPS_AS_JSON.in(release) ? "\"" + text(shown) + "\"" : "{}",
                detail);
    }

    private static String text(JsonNode amount) {
        return amount.asText();
    }

    private static @Nullable BigDecimal amount(JsonNode value) {
        return isAbsent(value) ? null : Json.quantity(value.asText()).orElse(null);
    }

    private void node() {
        Set<String> taints = new HashSet<>();
        forEach("metadata.taints", spec.path("taints"), (path, taint) -> {
            taint(path, taint);
            if (!taints.add(Json.text(taint, "key") + " " + Json.text(taint, "effect"))) {
                errors.duplicate(path, taint + ": taints must be unique by key and effect pair");
            }
        });
        boolean isLater = ComponentChange.UPDATE_VALIDATION.in(release);
        JsonNode ranges = spec.path("podCIDRs");
        forEach("spec.podCIDRs", ranges, (path, range) -> {
            if (!FieldErrors.isCidr(range.asText())) {
                errors.invalidValue(
                        path, isLater ? range : "{}", isLater ? FieldErrors.CIDR_RULE : "must be valid CIDR");
            }
        });
        // Until 1.20 (gate IPv6DualStack), only the first range is stored.
        if (ranges.size() > 1
                && (ranges.size() > 2
                        || ranges.path(0).asText().contains(":")
                                == ranges.path(1).asText().contains(":"))) {
            errors.invalidValue("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family");
        }
        for (String field : List.of("capacity", "allocatable")) {
            object.path("status").path(field).properties().forEach(amount -> {
                String path = "status." + field + "." + amount.getKey();
                String text = amount.getValue().asText();
                BigDecimal value = Json.quantity(text).orElse(BigDecimal.ZERO);
                if (value.signum() < 0) {
                    errors.invalid(path, text, "must be greater than or equal to 0");
                }
                boolean isCount = amount.getKey().equals("pods")
                        || (amount.getKey().contains("/") && !amount.getKey().startsWith("kubernetes.io/"));
                if (isCount && value.stripTrailingZeros().scale() > 0) {
                    errors.invalidValue(
                            path,
                            ComponentChange.MAPS_AS_JSON.in(release) ? "\"" + text + "\"" : "{}",
                            "must be an integer");
                }
            });
        }
    }

    private void taint(String path, JsonNode taint) {
        qualifiedName(path + ".key", Json.text(taint, "key"));
        String value = Json.text(taint, "value");
        List<String> messages = FieldErrors.labelValue(value);
        if (!messages.isEmpty()) {
            errors.invalid(path + ".value", value, String.join(";", messages));
        }
        if (requireText(path + ".effect", taint, "effect")) {
            unsupported(path + ".effect", Json.text(taint, "effect"), EFFECTS);
        }
    }

    private void lease() {
        JsonNode seconds = spec.path("leaseDurationSeconds");
        if (seconds.isNumber() && seconds.asLong() <= 0) {
            causes.add(new Cause(
                    "spec.leaseDurationSeconds",
                    "FieldValueInvalid",
                    "Invalid value: " + seconds.asLong() + ": must be greater than 0"));
        }
        JsonNode transitions = spec.path("leaseTransitions");
        if (transitions.asLong() < 0) {
            errors.invalidValue(
                    "spec.leaseTransitions",
                    transitions.asLong(),
                    ComponentChange.UPDATE_VALIDATION.in(release)
                            ? "must be greater than or equal to 0"
                            : "must to greater or equal than 0");
        }
    }

    private void budget() {
        if (!isAbsent(spec.path("minAvailable")) && !isAbsent(spec.path("maxUnavailable"))) {
            causes.add(new Cause(
                    "spec",
                    "FieldValueInvalid",
                    "Invalid value: " + spec + ": minAvailable and maxUnavailable cannot be both set"));
        }
        for (String field : List.of("minAvailable", "maxUnavailable")) {
            JsonNode value = spec.path(field);
            if (value.isNumber()) {
                notNegative("spec." + field, value);
            } else if (value.isTextual()) {
                percentage("spec." + field, value);
                atMostAll("spec." + field, value);
            }
        }
        selector("spec.selector", spec.path("selector"));
    }

    private void rule(String path, JsonNode rule, boolean isNamespaced) {
        if (rule.path("verbs").isEmpty()) {
            causes.add(Cause.required(path + ".verbs", "verbs must contain at least one value"));
        }
        JsonNode urls = rule.path("nonResourceURLs");
        if (!urls.isEmpty()) {
            if (isNamespaced) {
                errors.invalidValue(
                        path + ".nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs");
            }
            if (!rule.path("apiGroups").isEmpty()
                    || !rule.path("resources").isEmpty()
                    || !rule.path("resourceNames").isEmpty()) {
                errors.invalidValue(
                        path + ".nonResourceURLs",
                        urls,
                        "rules cannot apply to both regular resources and non-resource URLs");
            }
            return;
        }
        if (rule.path("apiGroups").isEmpty()) {
            causes.add(Cause.required(path + ".apiGroups", "resource rules must supply at least one api group"));
        }
        if (rule.path("resources").isEmpty()) {
            causes.add(Cause.required(path + ".resources", "resource rules must supply at least one resource"));
        }
    }

    private void roleRef(List<String> kinds) {
        String group = Json.text(object, "roleRef", "apiGroup");
        unsupported("roleRef.apiGroup", group.isEmpty() ? RBAC : group, List.of(RBAC));
        unsupported("roleRef.kind", Json.text(object, "roleRef", "kind"), kinds);
        if (requireText("roleRef.name", object.path("roleRef"), "name")) {
            String name = Json.text(object, "roleRef", "name");
            errors.all("roleRef.name", name, FieldErrors.pathSegment(name));
        }
        forEach("subjects", object.path("subjects"), (path, subject) -> {
            String name = Json.text(subject, "name");
            requireText(path + ".name", subject, "name");
            String kind = Json.text(subject, "kind");
            unsupported(path + ".kind", kind, List.of("ServiceAccount", "User", "Group"));
            boolean isAccount = kind.equals("ServiceAccount");
            if (isAccount && !name.isEmpty()) {
                errors.all(path + ".name", name, FieldErrors.subdomain(name));
            }
            if (isAccount || kind.equals("User") || kind.equals("Group")) {
                String standard = isAccount ? "" : RBAC;
                String of = Json.text(subject, "apiGroup");
                unsupported(path + ".apiGroup", of.isEmpty() ? standard : of, List.of(standard));
            }
            if (kind.equals("ServiceAccount") && kinds.size() == 1) {
                requireText(path + ".namespace", subject, "namespace");
            }
        });
    }

    private void priorityClass() {
        String name = Json.text(object, "metadata", "name");
        long value = object.path("value").asLong();
        if (name.startsWith("system-")) {
            String why = switch (name) {
                case "system-node-critical", "system-cluster-critical" ->
                    object.path("globalDefault").asBoolean()
                            ? "globalDefault of " + name + " PriorityClass must be false"
                            : "";
                default -> name + " is not a known system priority class";
            };
            if (!why.isEmpty()) {
                errors.forbidden(
                        "metadata.name",
                        "priority class names with 'system-' prefix are reserved for system use only. error: " + why);
            }
        } else if (value > HIGHEST_USER_PRIORITY) {
            causes.add(Cause.forbidden(
                    "value", "maximum allowed value of a user defined priority is " + HIGHEST_USER_PRIORITY));
        }
        JsonNode policy = object.path("preemptionPolicy");
        if (policy.isTextual() && policy.asText().isEmpty()) {
            errors.required("preemptionPolicy", "");
        } else if (policy.isTextual()) {
            unsupported("preemptionPolicy", policy.asText(), List.of("PreemptLowerPriority", "Never"));
        }
    }
}
