package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.PodDefaults;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields that new objects other than pods must have, so that no controller meets an object that it cannot read. Mirrors
 * {@code validation.go} in {@code pkg/apis/apps}, {@code batch}, {@code core}, {@code storage}, {@code resource}, {@code rbac},
 * {@code policy}, and {@code coordination}.
 */
final class NewObjectValidation {
    private static final String TEMPLATE = "spec.template";
    private static final String EMPTY = "can not be empty";
    private static final String RBAC = "rbac.authorization.k8s.io";
    /** Fields of a StatefulSet that are validated when it is created only. */
    private static final Pattern NEVER_CHANGED = Pattern.compile("spec.serviceName|spec.volumeClaimTemplates.*");

    /** Fields of a VolumeAttachment whose form was validated only when it was created. */
    private static final Set<String> NAMES_OF_ATTACHMENT = Set.of("spec.attacher", "spec.source.persistentVolumeName");

    private static final long HIGHEST_USER_PRIORITY = 1_000_000_000;
    /** Fields of a volume's spec that are not its source. */
    static final Set<String> NOT_A_SOURCE = Set.of(
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode");

    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    /** The sources of persistent volumes, in the order of their checks. */
    private static final List<String> VOLUME_TYPES = List.of(
            "hostPath",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "glusterfs",
            "flocker",
            "nfs",
            "rbd",
            "quobyte",
            "cephfs",
            "iscsi",
            "cinder",
            "fc",
            "flexVolume",
            "azureFile",
            "vsphereVolume",
            "photonPersistentDisk",
            "portworxVolume",
            "azureDisk",
            "scaleIO",
            "local",
            "storageos",
            "csi");

    private static final List<String> ACCESS_MODES = List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce");
    private final ObjectNode object;
    private final JsonNode spec;
    private final Release release;
    private final List<Cause> causes = new ArrayList<>();
    private final FieldErrors errors = new FieldErrors(causes);

    private NewObjectValidation(ObjectNode object, Release release) {
        this.object = object;
        this.spec = object.path("spec");
        this.release = release;
    }

    /**
     * Returns the errors of a new object, in the order of the API server; empty for none.
     *
     * @param loading whether the object comes from a file: then only the requirements of controllers are checked, because dumps
     *     are incomplete
     */
    static List<Cause> check(ResourceType type, ObjectNode object, Release release, boolean loading) {
        NewObjectValidation validation = new NewObjectValidation(object, release);
        switch (type.qualifiedName()) {
            case "deployments.apps" -> validation.workload("deployment", true);
            case "replicasets.apps" -> validation.workload("replicaset", true);
            case "statefulsets.apps" -> {
                validation.workload("statefulset", true);
                if (ComponentChange.UPDATE_VALIDATION.in(release) && !loading) {
                    validation.newStatefulSet();
                }
            }
            // A DaemonSet without a selector matches nothing, which is why its template is rejected.
            case "daemonsets.apps" -> validation.workload("daemonset", false);
            case "replicationcontrollers" -> validation.replicationController();
            case "jobs.batch" -> {
                if (!loading) {
                    validation.jobSelector();
                }
                validation.job("spec", validation.spec);
            }
            case "cronjobs.batch" -> validation.cronJob();
            default -> {
                if (!loading) {
                    validation.otherKinds(type);
                }
            }
        }
        return List.copyOf(new LinkedHashSet<>(validation.causes));
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
            case "persistentvolumes" -> volume();
            case "persistentvolumeclaims" -> claim();
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
            case "csidrivers.storage.k8s.io" -> driver();
            case "rolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("Role", "ClusterRole"));
            case "clusterrolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("ClusterRole"));
            case "runtimeclasses.node.k8s.io" -> runtimeClass();
            case "priorityclasses.scheduling.k8s.io" -> priorityClass();
            case "storageclasses.storage.k8s.io" -> storageClass();
            case "csinodes.storage.k8s.io" -> forEach("spec.drivers", spec.path("drivers"), this::nodeDriver);
            case "csistoragecapacities.storage.k8s.io" -> {
                selector("nodeTopology", object.path("nodeTopology"));
                subdomain("storageClassName", Json.text(object, "storageClassName"));
            }
            case "volumeattachments.storage.k8s.io" -> attachment();
            case "resourceclaims.resource.k8s.io" -> deviceRequests("spec", spec);
            case "resourceclaimtemplates.resource.k8s.io" -> deviceRequests("spec.spec", spec.path("spec"));
            case "resourceslices.resource.k8s.io" -> slice();
            default -> {
                // Other kinds have no required fields.
            }
        }
    }

    private interface Check {
        void check(String path, JsonNode element);
    }

    private static void forEach(String path, JsonNode list, Check check) {
        for (int i = 0; i < list.size(); i++) {
            check.check(path + "[" + i + "]", list.path(i));
        }
    }

    private boolean requireText(String path, JsonNode parent, String field) {
        return requireText(path, parent, field, "");
    }

    private boolean requireText(String path, JsonNode parent, String field, String detail) {
        if (Json.text(parent, field).isEmpty()) {
            causes.add(Cause.required(path, detail));
            return false;
        }
        return true;
    }

    private void label(String path, String name) {
        if (!Names.isLabel(name)) {
            causes.add(Cause.invalid(path, name, Names.LABEL_RULE));
        }
    }

    private void subdomain(String path, String name) {
        if (!Names.isSubdomain(name)) {
            causes.add(Cause.invalid(path, name, Names.SUBDOMAIN_RULE));
        }
    }

    private void qualifiedName(String path, String name) {
        errors.all(path, name, FieldErrors.qualifiedName(name));
    }

    private void unsupported(String path, String value, List<String> supported) {
        if (!supported.contains(value)) {
            causes.add(new Cause(
                    path,
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + value + "\": supported values: "
                            + supported.stream().map(text -> "\"" + text + "\"").collect(Collectors.joining(", "))));
        }
    }

    /** Mirrors {@code ValidateLabelSelector} of apimachinery. */
    private void selector(String path, JsonNode selector) {
        errors.labels(path + ".matchLabels", selector.path("matchLabels"));
        forEach(path + ".matchExpressions", selector.path("matchExpressions"), (place, expression) -> {
            boolean hasValues = !expression.path("values").isEmpty();
            switch (Json.text(expression, "operator")) {
                case "In", "NotIn" -> {
                    if (!hasValues) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (hasValues) {
                        causes.add(Cause.forbidden(
                                place + ".values",
                                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
                    }
                }
                default ->
                    causes.add(Cause.invalid(
                            place + ".operator", Json.text(expression, "operator"), "not a valid selector operator"));
            }
            qualifiedName(place + ".key", Json.text(expression, "key"));
            if (release.atLeast(27)) {
                labelValues(place, expression);
            }
        });
    }

    private void labelValues(String path, JsonNode expression) {
        forEach(
                path + ".values",
                expression.path("values"),
                (place, value) -> errors.all(place, value.asText(), FieldErrors.labelValue(value.asText())));
    }

    private void volumes(JsonNode volumes) {
        forEach("spec.volumes", volumes, (path, volume) -> {
            requireText(path + ".name", volume, "name");
            if (!isAbsent(volume.path("persistentVolumeClaim"))) {
                requireText(
                        path + ".persistentVolumeClaim.claimName", volume.path("persistentVolumeClaim"), "claimName");
            }
            source(path, volume);
            if (!isAbsent(volume.path("csi"))) {
                driverName(path + ".csi.driver", volume.path("csi"), "driver");
            }
            JsonNode ephemeral = volume.path("ephemeral");
            if (!isAbsent(ephemeral) && isAbsent(ephemeral.path("volumeClaimTemplate"))) {
                causes.add(Cause.required(path + ".ephemeral.volumeClaimTemplate", ""));
            }
        });
    }

    private void source(String path, JsonNode volume) {
        volume.properties().stream()
                .filter(field -> !isAbsent(field.getValue()))
                .forEach(field -> VolumeValidation.source(path, field.getKey(), field.getValue(), errors));
    }

    private void affinity(String path, JsonNode affinity) {
        String required = "requiredDuringSchedulingIgnoredDuringExecution";
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        JsonNode nodes = affinity.path("nodeAffinity");
        if (!isAbsent(nodes.path(required))) {
            String terms = path + ".nodeAffinity." + required + ".nodeSelectorTerms";
            nodeSelector(terms, nodes.path(required).path("nodeSelectorTerms"));
        }
        forEach(path + ".nodeAffinity." + preferred, nodes.path(preferred), (place, term) -> {
            weight(place, term);
            nodeSelectorTerm(place + ".preference", term.path("preference"));
        });
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            forEach(path + "." + kind + "." + required, affinity.path(kind).path(required), this::podAffinityTerm);
            forEach(path + "." + kind + "." + preferred, affinity.path(kind).path(preferred), (place, term) -> {
                weight(place, term);
                podAffinityTerm(place + ".podAffinityTerm", term.path("podAffinityTerm"));
            });
        }
    }

    private void weight(String path, JsonNode term) {
        long weight = term.path("weight").asLong();
        if (weight < 1 || weight > 100) {
            causes.add(new Cause(
                    path + ".weight",
                    "FieldValueInvalid",
                    "Invalid value: " + weight + ": must be in the range 1-100"));
        }
    }

    private void podAffinityTerm(String path, JsonNode term) {
        // Until 1.23, the path of the selector was wrong.
        selector(path + (release.atLeast(24) ? ".labelSelector" : ".matchExpressions"), term.path("labelSelector"));
        requireText(path + ".topologyKey", term, "topologyKey", EMPTY);
        qualifiedName(path + ".topologyKey", Json.text(term, "topologyKey"));
        for (JsonNode namespace : term.path("namespaces")) {
            errors.all(path + ".namespace", namespace.asText(), FieldErrors.label(namespace.asText()));
        }
    }

    private void nodeSelector(String path, JsonNode terms) {
        if (terms.isEmpty()) {
            errors.required(path, "must have at least one node selector term");
        }
        forEach(path, terms, (place, term) -> {
            nodeSelectorTerm(place, term);
            // Those of preferred terms are not validated.
            if (release.atLeast(34)) {
                forEach(place + ".matchExpressions", term.path("matchExpressions"), this::labelValues);
            }
        });
    }

    private void nodeSelectorTerm(String path, JsonNode term) {
        forEach(path + ".matchFields", term.path("matchFields"), (place, field) -> {
            String operator = Json.text(field, "operator");
            if (!operator.equals("In") && !operator.equals("NotIn")) {
                errors.invalid(place + ".operator", operator, "not a valid selector operator");
            } else if (field.path("values").size() != 1) {
                errors.required(
                        place + ".values",
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
            }
            if (!Json.text(field, "key").equals("metadata.name")) {
                errors.invalid(place + ".key", Json.text(field, "key"), "not a valid field selector key");
                return;
            }
            forEach(
                    place + ".values",
                    field.path("values"),
                    (at, value) -> errors.all(at, value.asText(), FieldErrors.subdomain(value.asText())));
        });
        forEach(path + ".matchExpressions", term.path("matchExpressions"), (place, expression) -> {
            int values = expression.path("values").size();
            switch (Json.text(expression, "operator")) {
                case "In", "NotIn" -> {
                    if (values == 0) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (values > 0) {
                        causes.add(Cause.forbidden(
                                place + ".values",
                                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
                    }
                }
                case "Gt", "Lt" -> {
                    if (values != 1) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"));
                    }
                }
                default ->
                    causes.add(Cause.invalid(
                            place + ".operator", Json.text(expression, "operator"), "not a valid selector operator"));
            }
            qualifiedName(place + ".key", Json.text(expression, "key"));
        });
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

    private void storageClass() {
        if (requireText("provisioner", object, "provisioner")) {
            String provisioner = Json.text(object, "provisioner");
            String lower = provisioner.toLowerCase(Locale.ROOT);
            errors.all(
                    "provisioner",
                    ComponentChange.UPDATE_VALIDATION.in(release) ? lower : provisioner,
                    FieldErrors.qualifiedName(lower));
        }
        if (object.path("parameters").has("")) {
            errors.invalid("parameters", "", "field can not be empty.");
        }
        String policy = Json.text(object, "reclaimPolicy");
        if (!policy.isEmpty()) {
            unsupported("reclaimPolicy", policy, List.of("Delete", "Retain"));
        }
        unsupported(
                "volumeBindingMode",
                Json.text(object, "volumeBindingMode"),
                List.of("Immediate", "WaitForFirstConsumer"));
        Set<Map<String, Set<String>>> terms = new HashSet<>(Set.of(Map.of()));
        forEach("allowedTopologies", object.path("allowedTopologies"), (path, term) -> {
            Map<String, Set<String>> keys = new HashMap<>();
            forEach(path + ".matchLabelExpressions", term.path("matchLabelExpressions"), (place, requirement) -> {
                String key = Json.text(requirement, "key");
                Set<String> values = new HashSet<>();
                if (requirement.path("values").isEmpty()) {
                    causes.add(Cause.required(place + ".values", ""));
                }
                forEach(place + ".values", requirement.path("values"), (at, value) -> {
                    if (!values.add(value.asText())) {
                        errors.duplicate(at, "\"" + value.asText() + "\"");
                    }
                });
                qualifiedName(place + ".key", key);
                if (keys.put(key, values) != null) {
                    errors.duplicate(place + ".key", "\"" + key + "\"");
                }
            });
            // A term without requirements is equal to one that is not filled yet.
            if (!terms.add(keys)) {
                errors.duplicate(path + ".matchLabelExpressions", "\"\"");
            }
        });
    }

    private void driver() {
        forEach(
                "spec.volumeLifecycleModes",
                spec.path("volumeLifecycleModes"),
                (path, mode) ->
                        unsupported("spec.volumeLifecycleModes", mode.asText(), List.of("Persistent", "Ephemeral")));
        if (spec.has("fsGroupPolicy")) {
            unsupported(
                    "spec.fsGroupPolicy",
                    Json.text(spec, "fsGroupPolicy"),
                    List.of("File", "None", "ReadWriteOnceWithFSType"));
        }
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

    /** Mirrors {@code ValidateTolerations} of {@code pkg/apis/core/validation}. */
    private void tolerations(String path, JsonNode tolerations) {
        forEach(path, tolerations, (place, toleration) -> {
            String key = Json.text(toleration, "key");
            String operator = Json.text(toleration, "operator");
            String effect = Json.text(toleration, "effect");
            if (!key.isEmpty()) {
                qualifiedName(place + ".key", key);
            } else if (!operator.equals("Exists")) {
                errors.invalid(
                        place + ".operator",
                        operator,
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            if (!isAbsent(toleration.path("tolerationSeconds")) && !effect.equals("NoExecute")) {
                errors.invalid(place + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
            }
            switch (operator) {
                case "", "Equal" -> {
                    String value = Json.text(toleration, "value");
                    List<String> messages = FieldErrors.labelValue(value);
                    if (!messages.isEmpty()) {
                        errors.invalid(place + ".operator", value, String.join(";", messages));
                    }
                }
                case "Exists" -> {
                    if (!Json.text(toleration, "value").isEmpty()) {
                        errors.invalidValue(
                                place + ".operator",
                                ComponentChange.UPDATE_VALIDATION.in(release) ? toleration.path("value") : toleration,
                                "value must be empty when `operator` is 'Exists'");
                    }
                }
                default -> unsupported(place + ".operator", operator, List.of("Equal", "Exists"));
            }
            if (!effect.isEmpty()) {
                unsupported(place + ".effect", effect, EFFECTS);
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

    private void nodeDriver(String path, JsonNode driver) {
        driverName(path + ".name", driver, "name");
        requireText(path + ".nodeID", driver, "nodeID");
        notNegative(path + ".allocatable.count", driver.path("allocatable").path("count"));
        for (JsonNode other : spec.path("drivers")) {
            if (other == driver) {
                break;
            }
            if (Json.text(other, "name").equals(Json.text(driver, "name"))) {
                errors.duplicate(path + ".name", "\"" + Json.text(driver, "name") + "\"");
            }
        }
        Set<String> keys = new HashSet<>();
        for (JsonNode key : driver.path("topologyKeys")) {
            if (key.asText().isEmpty()) {
                errors.required(path, "");
            }
            if (!keys.add(key.asText())) {
                errors.duplicate(path, "\"" + key.asText() + "\"");
            }
            Object shown = ComponentChange.UPDATE_VALIDATION.in(release) ? key : "{}";
            FieldErrors.qualifiedName(key.asText()).forEach(message -> errors.invalidValue(path, shown, message));
        }
    }

    private void driverName(String path, JsonNode parent, String field) {
        String name = Json.text(parent, field);
        if (name.isEmpty()) {
            causes.add(Cause.required(path, ""));
        }
        FieldErrors.subdomain(name.toLowerCase(Locale.ROOT)).forEach(message -> errors.invalid(path, name, message));
    }

    private void attachment() {
        requireText("spec.attacher", spec, "attacher");
        JsonNode source = spec.path("source");
        JsonNode volume = source.path("persistentVolumeName");
        boolean isInline = !isAbsent(source.path("inlineVolumeSpec"));
        String rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
        if (isAbsent(volume) && !isInline) {
            causes.add(Cause.required("spec.source", rule));
        } else if (!isAbsent(volume) && isInline) {
            errors.forbidden("spec.source", rule);
        } else if (volume.isTextual() && volume.asText().isEmpty()) {
            errors.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
        } else if (isInline) {
            inlineVolume("spec.source.inlineVolumeSpec", source.path("inlineVolumeSpec"));
        }
        subdomain("spec.nodeName", Json.text(spec, "nodeName"));
        driverName("spec.attacher", spec, "attacher");
        if (volume.isTextual()) {
            subdomain("spec.source.persistentVolumeName", volume.asText());
        }
    }

    /** The specification of a volume without a PersistentVolume, which CSI migration attaches. */
    private void inlineVolume(String path, JsonNode volume) {
        String why = " in the context of inline volumes";
        for (String field : List.of("claimRef", "capacity", "nodeAffinity")) {
            if (!isAbsent(volume.path(field)) && !volume.path(field).isEmpty()) {
                errors.forbidden(path + "." + field, "may not be specified" + why);
            }
        }
        if (isAbsent(volume.path("csi"))) {
            errors.required(path + ".csi", "has to be specified" + why);
        }
        if (volume.path("accessModes").isEmpty()) {
            errors.required(path + ".accessModes", "");
        }
        String policy = Json.text(volume, "persistentVolumeReclaimPolicy");
        if (!policy.isEmpty() && !policy.equals("Retain")) {
            errors.forbidden(path + ".persistentVolumeReclaimPolicy", "may only be Retain" + why);
        }
    }

    private void deviceRequests(String path, JsonNode claim) {
        forEach(path + ".devices.requests", claim.path("devices").path("requests"), (place, request) -> {
            label(place + ".name", Json.text(request, "name"));
            JsonNode alternatives = request.path("firstAvailable");
            if (isAbsent(request.path("exactly")) && alternatives.isEmpty()) {
                causes.add(Cause.required(place, "exactly one of `exactly` or `firstAvailable` is required"));
            } else if (!isAbsent(request.path("exactly"))) {
                deviceRequest(place + ".exactly", request.path("exactly"));
            }
            forEach(place + ".firstAvailable", alternatives, (subPlace, alternative) -> {
                label(subPlace + ".name", Json.text(alternative, "name"));
                deviceRequest(subPlace, alternative);
            });
        });
    }

    private void deviceRequest(String path, JsonNode request) {
        requireText(path + ".deviceClassName", request, "deviceClassName");
        forEach(path + ".selectors", request.path("selectors"), (place, selector) -> {
            if (isAbsent(selector.path("cel"))) {
                causes.add(Cause.required(place + ".cel", ""));
            }
        });
        JsonNode count = request.path("count");
        if (count.isNumber()
                && count.asLong() <= 0
                && !Json.text(request, "allocationMode").equals("All")) {
            causes.add(new Cause(
                    path + ".count",
                    "FieldValueInvalid",
                    "Invalid value: " + count.asLong() + ": must be greater than zero"));
        }
    }

    private void slice() {
        driverName("spec.driver", spec, "driver");
        JsonNode pool = spec.path("pool");
        requireText("spec.pool.name", pool, "name");
        if (pool.path("resourceSliceCount").asLong() <= 0) {
            causes.add(new Cause(
                    "spec.pool.resourceSliceCount",
                    "FieldValueInvalid",
                    "Invalid value: " + pool.path("resourceSliceCount").asLong() + ": must be greater than zero"));
        }
        boolean placed = !Json.text(spec, "nodeName").isEmpty()
                || !isAbsent(spec.path("nodeSelector"))
                || spec.path("allNodes").asBoolean()
                || spec.path("perDeviceNodeSelection").asBoolean();
        if (!placed) {
            causes.add(Cause.required(
                    "spec",
                    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"));
        }
        forEach(
                "spec.devices",
                spec.path("devices"),
                (path, device) -> label(path + ".name", Json.text(device, "name")));
    }

    private void notNegative(String path, JsonNode value) {
        if (value.asLong() < 0) {
            causes.add(new Cause(
                    path,
                    "FieldValueInvalid",
                    "Invalid value: " + value.asLong() + ": must be greater than or equal to 0"));
        }
    }

    private void notNegative(String path, JsonNode parent, String... fields) {
        for (String field : fields) {
            notNegative(path + "." + field, parent.path(field));
        }
    }

    private void workload(String kind, boolean isSelectorRequired) {
        boolean isStatefulSet = kind.equals("statefulset");
        notNegative("spec", spec, "replicas", "minReadySeconds");
        if (!isStatefulSet) {
            notNegative("spec", spec, "revisionHistoryLimit");
        }
        strategy(kind);
        JsonNode selector = spec.path("selector");
        if (isAbsent(selector)) {
            if (isSelectorRequired) {
                causes.add(Cause.required("spec.selector", ""));
            }
        } else if (!selector.isObject()
                || (isEmpty(selector, "matchLabels") && isEmpty(selector, "matchExpressions"))) {
            // ReplicaSets are validated with the code of Deployments.
            errors.invalidValue(
                    "spec.selector",
                    selectorText(selector),
                    "empty selector is invalid for " + (kind.equals("replicaset") ? "deployment" : kind));
        }
        int before = causes.size();
        selector("spec.selector", selector);
        boolean isReadable = causes.size() == before && hasValidValues(selector);
        if (!isReadable && isStatefulSet) {
            causes.add(new Cause("spec.selector", "FieldValueInvalid", "Invalid value: " + selectorText(selector)));
        } else if (!isReadable && isSelectorRequired) {
            errors.invalidValue("spec.selector", selectorText(selector), "invalid label selector");
        }
        if (isReadable || !isSelectorRequired) {
            boolean matches = !isReadable || (!isAbsent(selector) && matches(selector));
            if (isStatefulSet) {
                claimedTemplate(matches);
            } else {
                template(TEMPLATE, spec.path("template"), matches);
            }
        }
        if (isReadable || isStatefulSet || !isSelectorRequired) {
            restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
            forbidDeadline(
                    switch (kind) {
                        case "statefulset" -> "StatefulSet";
                        case "daemonset" -> "DaemonSet";
                        default -> "ReplicaSet";
                    });
        }
    }

    /** The validation of a selector does not look at its values, but its conversion does. */
    private static boolean hasValidValues(JsonNode selector) {
        for (JsonNode expression : selector.path("matchExpressions")) {
            for (JsonNode value : expression.path("values")) {
                if (!FieldErrors.labelValue(value.asText()).isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void forbidDeadline(String kind) {
        if (!isAbsent(spec.path("template").path("spec").path("activeDeadlineSeconds"))) {
            errors.forbidden(
                    TEMPLATE + ".spec.activeDeadlineSeconds", "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** Until 1.33, the containers of a StatefulSet were not validated, because the volumes of its claims are in the pods only. */
    private void claimedTemplate(boolean matches) {
        JsonNode template = spec.path("template");
        if (!ComponentChange.UPDATE_VALIDATION.in(release)) {
            JsonNode metadata = template.path("metadata");
            if (!matches) {
                selectorMismatch(TEMPLATE, metadata.path("labels"));
            }
            errors.labels(TEMPLATE + ".labels", metadata.path("labels"));
            MetadataValidation.annotations(errors, TEMPLATE + ".annotations", metadata.path("annotations"));
            return;
        }
        ObjectNode copy = template instanceof ObjectNode object ? object.deepCopy() : Json.object();
        ObjectNode pod = Json.child(copy, "spec");
        pod.remove(List.of("hostname", "subdomain"));
        Map<String, JsonNode> volumes = new TreeMap<>();
        for (JsonNode claim : spec.path("volumeClaimTemplates")) {
            ObjectNode volume = Json.object();
            String name = Json.text(claim, "metadata", "name");
            volume.put("name", name).putObject("persistentVolumeClaim").put("claimName", name);
            volumes.put(name, volume);
        }
        ArrayNode all = Json.array().addAll(volumes.values());
        pod.path("volumes").forEach(volume -> {
            if (!volumes.containsKey(Json.text(volume, "name"))) {
                all.add(volume);
            }
        });
        pod.set("volumes", all);
        template(TEMPLATE, copy, matches);
    }

    private void newStatefulSet() {
        String service = Json.text(spec, "serviceName");
        if (!service.isEmpty()) {
            label("spec.serviceName", service);
        }
        forEach("spec.volumeClaimTemplates", spec.path("volumeClaimTemplates"), (path, template) -> {
            ObjectNode claim = Json.object();
            claim.set("spec", template.path("spec").isObject() ? template.path("spec") : Json.object());
            NewObjectValidation validation = new NewObjectValidation(claim, release);
            validation.claim();
            validation.causes.forEach(
                    cause -> causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message())));
        });
    }

    private String selectorText(JsonNode selector) {
        return ComponentChange.MAPS_AS_JSON.in(release)
                ? selector.toString()
                : "v1.LabelSelector{MatchLabels:map[string]string(nil), "
                        + "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}";
    }

    private void strategy(String kind) {
        JsonNode strategy = spec.path(kind.equals("deployment") ? "strategy" : "updateStrategy");
        String type = Json.text(strategy, "type");
        JsonNode rolling = strategy.path("rollingUpdate");
        switch (kind) {
            case "deployment" -> deploymentStrategy(type, strategy, rolling);
            case "daemonset" -> {
                if (type.equals("RollingUpdate")) {
                    String path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
                    JsonNode most = rolling.path("maxUnavailable");
                    percentage(path, most);
                    if (ComponentChange.DAEMON_SET_SURGE.in(release)) {
                        surge(path, most, rolling.path("maxSurge"));
                    } else if (isZero(most)) {
                        errors.invalidValue(path, intOrStringText(most), "cannot be 0");
                    }
                    atMostAll(path, most);
                } else if (!type.equals("OnDelete")) {
                    unsupportedValue("spec.updateStrategy", "\"RollingUpdate\", \"OnDelete\"");
                }
            }
            case "statefulset" -> {
                String policy = Json.text(spec, "podManagementPolicy");
                if (!List.of("OrderedReady", "Parallel").contains(policy)) {
                    errors.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
                }
                if (type.equals("OnDelete") && !isAbsent(rolling)) {
                    errors.invalidValue(
                            "spec.updateStrategy.rollingUpdate",
                            "{}",
                            "only allowed for updateStrategy 'RollingUpdate'");
                } else if (type.equals("RollingUpdate")) {
                    errors.notNegative("spec.updateStrategy.rollingUpdate.partition", rolling.path("partition"));
                } else if (!type.equals("OnDelete")) {
                    errors.invalidValue("spec.updateStrategy", "{}", "must be 'RollingUpdate' or 'OnDelete'");
                }
            }
            default -> {
                // A ReplicaSet has no strategy.
            }
        }
    }

    /** Either the number of additional pods of a DaemonSet or that of its unavailable ones is not zero. */
    private void surge(String path, JsonNode unavailable, JsonNode surge) {
        String other = "spec.updateStrategy.rollingUpdate.maxSurge";
        percentage(other, surge);
        atMostAll(other, surge);
        if (!isZero(unavailable) && !isZero(surge)) {
            errors.invalidValue(other, intOrStringText(surge), "may not be set when maxUnavailable is non-zero");
        } else if (isZero(unavailable) && isZero(surge)) {
            errors.required(path, "cannot be 0 when maxSurge is 0");
        }
    }

    private void unsupportedValue(String path, String supported) {
        causes.add(new Cause(path, "FieldValueNotSupported", "Unsupported value: {}: supported values: " + supported));
    }

    private void deploymentStrategy(String type, JsonNode strategy, JsonNode rolling) {
        String path = "spec.strategy";
        if (type.equals("Recreate")) {
            if (!isAbsent(rolling)) {
                errors.forbidden(path + ".rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
            }
        } else if (type.equals("RollingUpdate")) {
            JsonNode unavailable = rolling.path("maxUnavailable");
            JsonNode surge = rolling.path("maxSurge");
            percentage(path + ".rollingUpdate.maxUnavailable", unavailable);
            percentage(path + ".rollingUpdate.maxSurge", surge);
            if (isZero(unavailable) && isZero(surge)) {
                errors.invalidValue(
                        path + ".rollingUpdate.maxUnavailable",
                        intOrStringText(unavailable),
                        "may not be 0 when `maxSurge` is 0");
            }
            atMostAll(path + ".rollingUpdate.maxUnavailable", unavailable);
        } else {
            unsupportedValue(path, "\"Recreate\", \"RollingUpdate\"");
        }
        JsonNode deadline = spec.path("progressDeadlineSeconds");
        if (!isAbsent(deadline)) {
            errors.notNegative("spec.progressDeadlineSeconds", deadline);
            if (deadline.asLong() <= spec.path("minReadySeconds").asLong()) {
                errors.invalidValue(
                        "spec.progressDeadlineSeconds", deadline.asLong(), "must be greater than minReadySeconds");
            }
        }
    }

    private void percentage(String path, JsonNode value) {
        if (value.isNumber()) {
            errors.notNegative(path, value);
        } else if (value.isTextual() && !value.asText().matches("[0-9]+%")) {
            errors.invalidValue(
                    path,
                    intOrStringText(value),
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
                            + " regex used for validation is '[0-9]+%')");
        }
    }

    /** Releases that print maps as Go does also print this structure so. */
    private String intOrStringText(JsonNode value) {
        if (ComponentChange.MAPS_AS_JSON.in(release)) {
            return value.toString();
        }
        return value.isNumber()
                ? "intstr.IntOrString{Type:0, IntVal:" + value.asLong() + ", StrVal:\"\"}"
                : "intstr.IntOrString{Type:1, IntVal:0, StrVal:\"" + value.asText() + "\"}";
    }

    private static boolean isZero(JsonNode value) {
        return value.isNumber() ? value.asLong() == 0 : !value.asText().matches("0*[1-9][0-9]*%");
    }

    private void atMostAll(String path, JsonNode value) {
        if (value.asText().matches("0*([2-9][0-9]{2}|1[0-9][1-9]|1[1-9][0-9]|[1-9][0-9]{3,})%")) {
            errors.invalidValue(path, intOrStringText(value), "must not be greater than 100%");
        }
    }

    private boolean matches(JsonNode selector) {
        try {
            return LabelSelector.ofObject(selector).matches(spec.path("template"));
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void replicationController() {
        notNegative("spec", spec, "replicas", "minReadySeconds");
        JsonNode selector = spec.path("selector");
        if (selector.isEmpty()) {
            causes.add(Cause.required("spec.selector", ""));
        }
        if (isAbsent(spec.path("template"))) {
            causes.add(Cause.required(TEMPLATE, ""));
            return;
        }
        forbidDeadline("ReplicationController");
        boolean matches = true;
        for (var wanted : selector.properties()) {
            matches &= wanted.getValue()
                    .equals(spec.path("template")
                            .path("metadata")
                            .path("labels")
                            .path(wanted.getKey()));
        }
        template(TEMPLATE, spec.path("template"), matches);
        restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
    }

    private void job(String path, JsonNode job) {
        JobValidation validation = new JobValidation(job, path, errors);
        validation.check();
        template(path + ".template", job.path("template"), true);
        JsonNode template = job.path("template");
        List<String> all = List.of("Always", "OnFailure", "Never");
        if (template.path("spec").isObject()) {
            unsupported(path + ".template.spec.restartPolicy", Json.text(template, "spec", "restartPolicy"), all);
        }
        restartPolicy(path + ".template.spec.restartPolicy", template, List.of("OnFailure", "Never"));
        if (validation.mustNotRestart()) {
            errors.invalid(
                    path + ".template.spec.restartPolicy",
                    "OnFailure",
                    "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }

    /** Mirrors {@code ValidateJob} of {@code pkg/apis/batch/validation} for the selector, which is generated unless it is manual. */
    private void jobSelector() {
        JsonNode selector = spec.path("selector");
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        if (isAbsent(selector)) {
            errors.required("spec.selector", "");
        } else {
            selector("spec.selector", selector);
        }
        if (!spec.path("manualSelector").asBoolean() && !isAbsent(selector)) {
            String uid = Json.text(object, "metadata", "uid");
            String name = Json.text(object, "metadata", "name");
            Map<String, String> generated = new TreeMap<>(Map.of("controller-uid", uid, "job-name", name));
            if (ComponentChange.JOB_LABEL_PREFIX.in(release)) {
                generated.put("batch.kubernetes.io/controller-uid", uid);
                generated.put("batch.kubernetes.io/job-name", name);
            }
            generated.forEach((key, value) -> {
                if (!labels.has(key)) {
                    errors.required("spec.template.metadata.labels[" + key + "]", "must be '" + value + "'");
                } else if (!Json.text(labels, key).equals(value)) {
                    errors.invalidValue("spec.template.metadata.labels[" + key + "]", "{}", "must be '" + value + "'");
                }
            });
            boolean isGenerated = selector.path("matchLabels").size() == 1
                    && selector.path("matchExpressions").isEmpty()
                    && (selector.path("matchLabels").has("controller-uid")
                            || selector.path("matchLabels").has("batch.kubernetes.io/controller-uid"));
            if (!isGenerated) {
                errors.invalidValue("spec.selector", "{}", "`selector` not auto-generated");
            }
        }
        if (isAbsent(selector) || !matches(selector)) {
            selectorMismatch(TEMPLATE, labels);
        }
        long completions = spec.path("completions").asLong();
        String host = Json.text(object, "metadata", "name") + "-" + (completions - 1);
        if (release.atLeast(25)
                && Json.text(spec, "completionMode").equals("Indexed")
                && completions > 0
                && !FieldErrors.label(host).isEmpty()) {
            errors.invalid(
                    "metadata.name",
                    Json.text(object, "metadata", "name"),
                    "will not able to create pod with invalid DNS label: " + host);
        }
    }

    private void cronJob() {
        JobValidation.schedule(spec, release, errors);
        notNegative("spec", spec, "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit");
        unsupported(
                "spec.concurrencyPolicy", Json.text(spec, "concurrencyPolicy"), List.of("Allow", "Forbid", "Replace"));
        JsonNode job = spec.path("jobTemplate").path("spec");
        if (job.path("manualSelector").asBoolean()) {
            causes.add(new Cause(
                    "spec.jobTemplate.spec.manualSelector",
                    "FieldValueNotSupported",
                    "Unsupported value: true: supported values: \"nil\", \"false\""));
        }
        if (!isAbsent(job.path("selector"))) {
            errors.invalidValue("spec.jobTemplate.spec.selector", "{}", "`selector` will be auto-generated");
        }
        job("spec.jobTemplate.spec", spec.path("jobTemplate").path("spec"));
    }

    private void selectorMismatch(String path, JsonNode labels) {
        causes.add(new Cause(
                path + ".metadata.labels",
                "FieldValueInvalid",
                "Invalid value: " + map(labels) + ": `selector` does not match template `labels`"));
    }

    private void template(String path, JsonNode template, boolean matchesSelector) {
        JsonNode metadata = template.path("metadata");
        if (!matchesSelector) {
            selectorMismatch(path, metadata.path("labels"));
        }
        errors.labels(path + ".labels", metadata.path("labels"));
        MetadataValidation.annotations(errors, path + ".annotations", metadata.path("annotations"));
        JsonNode podSpec = template.path("spec");
        if (!podSpec.path("containers").isArray() || podSpec.path("containers").isEmpty()) {
            causes.add(Cause.required(path + ".spec.containers", ""));
            return;
        }
        if (release.atLeast(23) && !podSpec.path("ephemeralContainers").isEmpty()) {
            errors.forbidden(path + ".spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
        }
        if (podSpec instanceof ObjectNode) {
            ObjectNode pod = Json.object();
            pod.set("spec", podSpec);
            Rules rules = Rules.of(FeatureGates.defaults().at(release));
            new ObjectCreation(rules, Objects.NONE, null)
                    .invalidFields("Pod", pod)
                    .forEach(
                            field -> causes.add(new Cause(path + "." + field.path(), field.reason(), field.message())));
            List<Cause> scheduling = PodValidation.checkScheduling(podSpec, release);
            for (Cause cause : PodValidation.check(pod, scheduling)) {
                if (!cause.field().equals("spec.restartPolicy")) {
                    causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
                }
            }
            for (Cause cause : scheduling) {
                causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
            }
        }
    }

    /** Releases until 1.32 print maps as Go does, later ones as JSON. */
    private String map(JsonNode labels) {
        if (ComponentChange.MAPS_AS_JSON.in(release)) {
            return labels.isObject() ? labels.toString() : "null";
        }
        if (!labels.isObject()) {
            return "map[string]string(nil)";
        }
        return labels.properties().stream()
                .map(label -> "\"" + label.getKey() + "\":\"" + label.getValue().asText() + "\"")
                .sorted()
                .collect(Collectors.joining(", ", "map[string]string{", "}"));
    }

    private void restartPolicy(String path, JsonNode template, List<String> supported) {
        String policy = Json.text(template, "spec", "restartPolicy");
        if (!template.path("spec").isObject() || supported.contains(policy)) {
            return;
        }
        String values = supported.stream().map(value -> "\"" + value + "\"").collect(Collectors.joining(", "));
        if (supported.size() > 1 && policy.equals("Always") && ComponentChange.RESTART_POLICY_IS_REQUIRED.in(release)) {
            causes.add(Cause.required(path, "valid values: " + values));
            return;
        }
        causes.add(new Cause(
                path, "FieldValueNotSupported", "Unsupported value: \"" + policy + "\": supported values: " + values));
    }

    private void volume() {
        VolumeValidation.spec(spec, supportedAccessModes(), errors);
        JsonNode affinity = spec.path("nodeAffinity");
        if (affinity.isObject()) {
            JsonNode required = affinity.path("required");
            if (isAbsent(required)) {
                errors.required("spec.nodeAffinity.required", "must specify required node constraints");
            } else {
                nodeSelector("spec.nodeAffinity.required.nodeSelectorTerms", required.path("nodeSelectorTerms"));
            }
        } else if (!isAbsent(spec.path("local"))) {
            errors.required("spec.nodeAffinity", "Local volume requires node affinity");
        }
        List<String> sources = spec.properties().stream()
                .filter(field -> !NOT_A_SOURCE.contains(field.getKey()) && !isAbsent(field.getValue()))
                .map(Map.Entry::getKey)
                .sorted(Comparator.comparingInt(VOLUME_TYPES::indexOf))
                .toList();
        if (sources.isEmpty()) {
            errors.required("spec", "must specify a volume type");
        }
        for (String source : sources) {
            if (!source.equals(sources.get(0))) {
                errors.forbidden("spec." + source, "may not specify more than 1 volume type");
            } else if (source.equals("csi")) {
                VolumeValidation.csi(spec.path(source), errors);
            } else {
                VolumeValidation.source("spec", source, spec.path(source), errors);
            }
        }
    }

    private void claim() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", "at least 1 access mode is required"));
        }
        accessModes();
        if (spec.path("accessModes").size() > 1 && hasMode("ReadWriteOncePod") && release.atLeast(29)) {
            errors.forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes");
        }
        JsonNode storage = spec.path("resources").path("requests").path("storage");
        if (isAbsent(storage)) {
            causes.add(Cause.required("spec.resources[storage]", ""));
        } else if (Json.quantity(storage.asText()).orElse(BigDecimal.ONE).signum() <= 0) {
            errors.invalid("spec.resources[storage]", storage.asText(), "must be greater than zero");
        }
        selector("spec.selector", spec.path("selector"));
        String name = Json.text(spec, "storageClassName");
        if (!name.isEmpty()) {
            errors.all("spec.storageClassName", name, FieldErrors.subdomain(name));
        }
        volumeMode();
    }

    private boolean hasMode(String wanted) {
        for (JsonNode mode : spec.path("accessModes")) {
            if (mode.asText().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private void accessModes() {
        List<String> modes = supportedAccessModes();
        spec.path("accessModes").forEach(mode -> unsupported("spec.accessModes", mode.asText(), modes));
    }

    private List<String> supportedAccessModes() {
        return release.atLeast(29)
                ? List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
                : ACCESS_MODES;
    }

    private void volumeMode() {
        if (spec.has("volumeMode")) {
            unsupported("spec.volumeMode", Json.text(spec, "volumeMode"), List.of("Block", "Filesystem"));
        }
    }

    private static boolean isAbsent(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    private static boolean isEmpty(JsonNode node, String field) {
        return node.path(field).isEmpty();
    }

    /** The checks of a new pod that matter to a scheduler (pkg/apis/core/validation). */
    static final class PodValidation {
        private PodValidation() {}

        /**
         * Returns the errors of a new pod besides those of {@link #checkScheduling}.
         *
         * @param others the errors of that method; containers cannot mount a volume with an error
         */
        static List<Cause> check(ObjectNode pod, List<Cause> others) {
            List<Cause> causes = new ArrayList<>();
            JsonNode spec = pod.path("spec");
            Set<String> volumes = new HashSet<>();
            forEach("spec.volumes", spec.path("volumes"), (path, volume) -> {
                if (others.stream().noneMatch(cause -> cause.field().startsWith(path))) {
                    volumes.add(Json.text(volume, "name"));
                }
            });
            if (spec.path("containers").isEmpty()) {
                causes.add(Cause.required("spec.containers", ""));
            }
            Set<String> names = new HashSet<>();
            PodDefaults.containers(spec).forEach((path, container) -> {
                String name = Json.text(container, "name");
                if (name.isEmpty()) {
                    causes.add(Cause.required(path + ".name", ""));
                } else if (!Names.isLabel(name)) {
                    causes.add(Cause.invalid(path + ".name", name, Names.LABEL_RULE));
                } else if (!names.add(name)) {
                    causes.add(new Cause(path + ".name", "FieldValueDuplicate", "Duplicate value: \"" + name + "\""));
                }
                if (Json.text(container, "image").isEmpty()) {
                    causes.add(Cause.required(path + ".image", ""));
                }
                ports(path + ".ports", container.path("ports"), causes);
                forEach(path + ".env", container.path("env"), (place, variable) -> {
                    if (Json.text(variable, "name").isEmpty()) {
                        causes.add(Cause.required(place + ".name", ""));
                    }
                });
                mounts(path + ".volumeMounts", container.path("volumeMounts"), volumes, causes);
            });
            String restart = Json.text(spec, "restartPolicy");
            if (!List.of("Always", "OnFailure", "Never").contains(restart)) {
                causes.add(new Cause(
                        "spec.restartPolicy",
                        "FieldValueNotSupported",
                        "Unsupported value: \"" + restart
                                + "\": supported values: \"Always\", \"OnFailure\", \"Never\""));
            }
            return causes;
        }

        private static void mounts(String path, JsonNode mounts, Set<String> volumes, List<Cause> causes) {
            forEach(path, mounts, (place, mount) -> {
                String name = Json.text(mount, "name");
                if (name.isEmpty()) {
                    causes.add(Cause.required(place + ".name", ""));
                }
                if (!volumes.contains(name)) {
                    causes.add(new Cause(place + ".name", "FieldValueNotFound", "Not found: \"" + name + "\""));
                }
                if (Json.text(mount, "mountPath").isEmpty()) {
                    causes.add(Cause.required(place + ".mountPath", ""));
                }
            });
        }

        /** Returns the errors of the fields of a new pod, or of a template, that a scheduler reads. */
        static List<Cause> checkScheduling(JsonNode spec, Release release) {
            NewObjectValidation validation = new NewObjectValidation(Json.object(), release);
            validation.volumes(spec.path("volumes"));
            validation.affinity("spec.affinity", spec.path("affinity"));
            validation.tolerations("spec.tolerations", spec.path("tolerations"));
            PodSpecValidation.check(spec, validation.errors, release);
            Set<String> constraints = new HashSet<>();
            for (int i = 0; i < spec.path("topologySpreadConstraints").size(); i++) {
                JsonNode constraint = spec.path("topologySpreadConstraints").path(i);
                String pair = "{" + Json.text(constraint, "topologyKey") + ", "
                        + Json.text(constraint, "whenUnsatisfiable") + "}";
                if (!constraints.add(pair)) {
                    // The path has the index of the first constraint of this kind.
                    validation.errors.duplicate(
                            "spec.topologySpreadConstraints[" + first(spec, pair)
                                    + "].{topologyKey, whenUnsatisfiable}",
                            "\"" + pair + "\"");
                }
            }
            forEach("spec.topologySpreadConstraints", spec.path("topologySpreadConstraints"), (path, constraint) -> {
                long skew = constraint.path("maxSkew").asLong();
                if (skew <= 0) {
                    validation.causes.add(new Cause(
                            path + ".maxSkew",
                            "FieldValueInvalid",
                            "Invalid value: " + skew + ": must be greater than zero"));
                }
                validation.requireText(path + ".topologyKey", constraint, "topologyKey", EMPTY);
                validation.unsupported(
                        path + ".whenUnsatisfiable",
                        Json.text(constraint, "whenUnsatisfiable"),
                        List.of("DoNotSchedule", "ScheduleAnyway"));
                if (release.atLeast(27)) {
                    validation.selector(path + ".labelSelector", constraint.path("labelSelector"));
                }
            });
            return validation.causes;
        }

        private static int first(JsonNode spec, String pair) {
            JsonNode constraints = spec.path("topologySpreadConstraints");
            for (int i = 0; i < constraints.size(); i++) {
                JsonNode constraint = constraints.path(i);
                if (pair.equals("{" + Json.text(constraint, "topologyKey") + ", "
                        + Json.text(constraint, "whenUnsatisfiable") + "}")) {
                    return i;
                }
            }
            return 0;
        }

        private static void ports(String path, JsonNode ports, List<Cause> causes) {
            for (int i = 0; i < ports.size(); i++) {
                String field = path + "[" + i + "]";
                JsonNode containerPort = ports.get(i).path("containerPort");
                if (containerPort.isMissingNode() || containerPort.asInt() == 0) {
                    causes.add(Cause.required(field + ".containerPort", ""));
                }
                for (String name : List.of("containerPort", "hostPort")) {
                    int port = ports.get(i).path(name).asInt();
                    if (port < 0 || port > 65535) {
                        causes.add(new Cause(
                                field + "." + name,
                                "FieldValueInvalid",
                                "Invalid value: " + port + ": must be between 1 and 65535, inclusive"));
                    }
                }
            }
        }
    }
}
