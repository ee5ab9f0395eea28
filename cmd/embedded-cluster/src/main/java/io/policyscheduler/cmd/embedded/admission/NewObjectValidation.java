package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.PodDefaults;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The fields that new objects other than pods must have, so that no controller meets an object that it cannot read. Mirrors
 * {@code validation.go} in {@code pkg/apis/apps}, {@code batch}, {@code core}, {@code storage}, {@code resource}, {@code rbac},
 * {@code policy}, and {@code coordination}.
 */
final class NewObjectValidation {
    private static final String TEMPLATE = "spec.template";
    private static final String EMPTY = "can not be empty";
    private static final long HIGHEST_USER_PRIORITY = 1_000_000_000;
    private static final String NAME_RULE =
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
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

    private static final int LAST_PORT = 65_535;
    /** The required texts of the sources of volumes, in pods and persistent volumes, in the order of their checks. */
    private static final Map<String, List<String>> SOURCE_FIELDS = Map.ofEntries(
            Map.entry("hostPath", List.of("path")),
            Map.entry("gcePersistentDisk", List.of("pdName")),
            Map.entry("awsElasticBlockStore", List.of("volumeID")),
            Map.entry("secret", List.of("secretName")),
            Map.entry("configMap", List.of("name")),
            Map.entry("iscsi", List.of("targetPortal", "iqn")),
            Map.entry("glusterfs", List.of("endpoints", "path")),
            Map.entry("flexVolume", List.of("driver")),
            Map.entry("cinder", List.of("volumeID")),
            Map.entry("azureFile", List.of("secretName", "shareName")),
            Map.entry("azureDisk", List.of("diskName", "diskURI")),
            Map.entry("vsphereVolume", List.of("volumePath")),
            Map.entry("photonPersistentDisk", List.of("pdID")),
            Map.entry("portworxVolume", List.of("volumeID")),
            Map.entry("scaleIO", List.of("gateway", "system", "volumeName")));

    private final ObjectNode object;
    private final JsonNode spec;
    private final Release release;
    private final List<Cause> causes = new ArrayList<>();

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
                // The volumes of a claim template are in the pods only, so the API server does not look for the volume
                // of a mount.
                validation.causes.removeIf(cause -> cause.reason().equals("FieldValueNotFound"));
            }
            // A DaemonSet without a selector matches nothing, which is why its template is rejected.
            case "daemonsets.apps" -> validation.workload("daemonset", false);
            case "replicationcontrollers" -> validation.replicationController();
            case "jobs.batch" -> validation.job("spec", validation.spec);
            case "cronjobs.batch" -> validation.cronJob();
            default -> {
                if (!loading) {
                    validation.others(type);
                }
            }
        }
        return List.copyOf(new LinkedHashSet<>(validation.causes));
    }

    private void others(ResourceType type) {
        switch (type.qualifiedName()) {
            case "endpoints" -> endpoints();
            case "events", "events.events.k8s.io" -> event();
            case "limitranges" -> forEach("spec.limits", spec.path("limits"), this::limit);
            case "nodes" -> forEach("spec.taints", spec.path("taints"), this::taint);
            case "persistentvolumes" -> volume();
            case "persistentvolumeclaims" -> claim();
            case "secrets" -> secret();
            case "services" -> service();
            case "controllerrevisions.apps" -> {
                if (isAbsent(object.path("data"))) {
                    causes.add(Cause.required("data", "data is mandatory"));
                }
                notNegative("revision", object.path("revision"));
            }
            case "leases.coordination.k8s.io" -> lease();
            case "poddisruptionbudgets.policy" -> budget();
            case "networkpolicies.networking.k8s.io" -> networkPolicy();
            case "roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io" -> {
                forEach("rules", object.path("rules"), this::rule);
                aggregation();
            }
            case "rolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("Role", "ClusterRole"));
            case "clusterrolebindings.rbac.authorization.k8s.io" -> roleRef(List.of("ClusterRole"));
            case "runtimeclasses.node.k8s.io" -> label("handler", Json.text(object, "handler"));
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
        String part = name.substring(name.indexOf('/') + 1);
        if (part.isEmpty()) {
            causes.add(Cause.invalid(path, name, "name part must be non-empty"));
        }
        if (!part.matches("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")) {
            causes.add(Cause.invalid(path, name, NAME_RULE));
        }
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
        });
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

    /** The fields of the source of a volume that must not be empty. */
    private void source(String path, JsonNode volume) {
        for (Map.Entry<String, JsonNode> field : volume.properties()) {
            JsonNode source = field.getValue();
            String place = path + "." + field.getKey();
            if (isAbsent(source)) {
                continue;
            }
            SOURCE_FIELDS
                    .getOrDefault(field.getKey(), List.of())
                    .forEach(name -> requireText(place + "." + name, source, name));
            if (field.getKey().equals("nfs")) {
                requireText(place + ".server", source, "server");
                requireText(place + ".path", source, "path");
                if (!Json.text(source, "path").startsWith("/")) {
                    causes.add(Cause.invalid(place + ".path", Json.text(source, "path"), "must be an absolute path"));
                }
            }
            if (field.getKey().equals("rbd")) {
                if (source.path("monitors").isEmpty()) {
                    causes.add(Cause.required(place + ".monitors", ""));
                }
                requireText(place + ".image", source, "image");
            }
            if (field.getKey().equals("cephfs") && source.path("monitors").isEmpty()) {
                causes.add(Cause.required(place + ".monitors", ""));
            }
        }
    }

    private void affinity(String path, JsonNode affinity) {
        String required = "requiredDuringSchedulingIgnoredDuringExecution";
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        JsonNode nodes = affinity.path("nodeAffinity");
        if (!isAbsent(nodes.path(required))) {
            String terms = path + ".nodeAffinity." + required + ".nodeSelectorTerms";
            JsonNode list = nodes.path(required).path("nodeSelectorTerms");
            if (list.isEmpty()) {
                causes.add(Cause.required(terms, "must have at least one node selector term"));
            }
            forEach(terms, list, this::nodeSelectorTerm);
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
        selector(path + ".labelSelector", term.path("labelSelector"));
        requireText(path + ".topologyKey", term, "topologyKey", EMPTY);
    }

    private void nodeSelectorTerm(String path, JsonNode term) {
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

    private void endpoints() {
        forEach("subsets", object.path("subsets"), (path, subset) -> {
            if (subset.path("addresses").isEmpty()
                    && subset.path("notReadyAddresses").isEmpty()) {
                causes.add(Cause.required(path, "must specify `addresses` or `notReadyAddresses`"));
            }
            ports(path + ".ports", subset.path("ports"), false);
        });
    }

    /** @param isOfService whether a port has a target, which is the port itself by default */
    private void ports(String place, JsonNode ports, boolean isOfService) {
        forEach(place, ports, (path, port) -> {
            if (ports.size() > 1) {
                requireText(path + ".name", port, "name");
            }
            port(path + ".port", port.path("port").asLong());
            JsonNode target = port.path("targetPort");
            if (isOfService && !target.isTextual()) {
                port(path + ".targetPort", target.asLong(port.path("port").asLong()));
            }
        });
    }

    private void port(String path, long number) {
        if (number < 1 || number > LAST_PORT) {
            causes.add(new Cause(
                    path,
                    "FieldValueInvalid",
                    "Invalid value: " + number + ": must be between 1 and 65535, inclusive"));
        }
    }

    private void secret() {
        JsonNode data = object.path("data");
        JsonNode texts = object.path("stringData");
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
            case "kubernetes.io/dockercfg" -> requireKeys("data", List.of(".dockercfg"));
            case "kubernetes.io/dockerconfigjson" -> requireKeys("data", List.of(".dockerconfigjson"));
            case "kubernetes.io/tls" -> requireKeys("data", List.of("tls.crt", "tls.key"));
            // The API server prints this verb of a format as it is.
            case "kubernetes.io/ssh-auth" -> requireKeys("data[%s]", List.of("ssh-privatekey"));
            case "kubernetes.io/basic-auth" -> {
                List<String> keys = List.of("username", "password");
                if (keys.stream().noneMatch(key -> data.has(key) || texts.has(key))) {
                    requireKeys("data[%s]", keys);
                }
            }
            default -> {
                // Other types have no required keys.
            }
        }
    }

    private void requireKeys(String path, List<String> keys) {
        for (String key : keys) {
            if (!object.path("data").has(key) && !object.path("stringData").has(key)) {
                causes.add(Cause.required(path + "[" + key + "]", ""));
            }
        }
    }

    private void networkPolicy() {
        selector("spec.podSelector", spec.path("podSelector"));
        forEach(
                "spec.ingress",
                spec.path("ingress"),
                (path, rule) -> forEach(path + ".from", rule.path("from"), this::peer));
        forEach("spec.egress", spec.path("egress"), (path, rule) -> forEach(path + ".to", rule.path("to"), this::peer));
    }

    private void peer(String path, JsonNode peer) {
        JsonNode pods = peer.path("podSelector");
        JsonNode namespaces = peer.path("namespaceSelector");
        JsonNode block = peer.path("ipBlock");
        selector(path + ".podSelector", pods);
        selector(path + ".namespaceSelector", namespaces);
        if (!isAbsent(block)) {
            requireText(path + ".ipBlock.cidr", block, "cidr");
            if (!isAbsent(pods) || !isAbsent(namespaces)) {
                causes.add(Cause.forbidden(path, "may not specify both ipBlock and another peer"));
            }
        } else if (isAbsent(pods) && isAbsent(namespaces)) {
            causes.add(Cause.required(path, "must specify a peer"));
        }
    }

    private void aggregation() {
        JsonNode rule = object.path("aggregationRule");
        if (!isAbsent(rule) && rule.path("clusterRoleSelectors").isEmpty()) {
            causes.add(Cause.required(
                    "aggregationRule.clusterRoleSelectors",
                    "at least one clusterRoleSelector required if aggregationRule is non-nil"));
        }
    }

    private void storageClass() {
        requireText("provisioner", object, "provisioner");
        forEach(
                "allowedTopologies",
                object.path("allowedTopologies"),
                (path, term) -> forEach(
                        path + ".matchLabelExpressions", term.path("matchLabelExpressions"), (place, requirement) -> {
                            if (requirement.path("values").isEmpty()) {
                                causes.add(Cause.required(place + ".values", ""));
                            }
                            qualifiedName(place + ".key", Json.text(requirement, "key"));
                        }));
    }

    /** Events of the old group must only belong to the namespace of their object. */
    private void event() {
        String about = Json.text(object, "involvedObject", "namespace");
        String namespace = Json.text(object, "metadata", "namespace");
        boolean isNew = !Json.text(object, "eventTime").isEmpty();
        boolean right = about.isEmpty()
                ? namespace.equals("default") || (isNew && namespace.equals("kube-system"))
                : isNew || about.equals(namespace);
        if (!right) {
            causes.add(Cause.invalid("involvedObject.namespace", about, "does not match event.namespace"));
        }
        if (isNew) {
            if (requireText("reportingController", object, "reportingComponent")) {
                qualifiedName("reportingController", Json.text(object, "reportingComponent"));
            }
            requireText("reportingInstance", object, "reportingInstance");
            requireText("action", object, "action");
            requireText("reason", object, "reason");
        }
    }

    private void limit(String path, JsonNode limit) {
        String type = Json.text(limit, "type");
        if (type.isEmpty()) {
            qualifiedName(path + ".type", type);
        } else if (!type.contains("/")
                && !List.of("Pod", "Container", "PersistentVolumeClaim").contains(type)) {
            causes.add(Cause.invalid(path + ".type", type, "must be a standard limit type or fully qualified"));
        }
    }

    private void taint(String path, JsonNode taint) {
        qualifiedName(path + ".key", Json.text(taint, "key"));
        if (requireText(path + ".effect", taint, "effect")) {
            unsupported(
                    path + ".effect",
                    Json.text(taint, "effect"),
                    List.of("NoSchedule", "PreferNoSchedule", "NoExecute"));
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
        notNegative("spec.leaseTransitions", spec.path("leaseTransitions"));
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
            } else if (value.isTextual() && !value.asText().matches("[0-9]+%")) {
                causes.add(Cause.invalid(
                        "spec." + field,
                        value.asText(),
                        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
                                + " regex used for validation is '[0-9]+%')"));
            }
        }
        selector("spec.selector", spec.path("selector"));
    }

    private void rule(String path, JsonNode rule) {
        if (rule.path("verbs").isEmpty()) {
            causes.add(Cause.required(path + ".verbs", "verbs must contain at least one value"));
        }
        if (!rule.path("nonResourceURLs").isEmpty()) {
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
        unsupported("roleRef.kind", Json.text(object, "roleRef", "kind"), kinds);
        requireText("roleRef.name", object.path("roleRef"), "name");
        forEach("subjects", object.path("subjects"), (path, subject) -> {
            requireText(path + ".name", subject, "name");
            String kind = Json.text(subject, "kind");
            unsupported(path + ".kind", kind, List.of("ServiceAccount", "User", "Group"));
            if (kind.equals("ServiceAccount") && kinds.size() == 1) {
                requireText(path + ".namespace", subject, "namespace");
            }
        });
    }

    private void priorityClass() {
        if (object.path("value").asLong() > HIGHEST_USER_PRIORITY
                && !Json.text(object, "metadata", "name").startsWith("system-")) {
            causes.add(Cause.forbidden(
                    "value", "maximum allowed value of a user defined priority is " + HIGHEST_USER_PRIORITY));
        }
    }

    private void nodeDriver(String path, JsonNode driver) {
        driverName(path + ".name", driver, "name");
        requireText(path + ".nodeID", driver, "nodeID");
        notNegative(path + ".allocatable.count", driver.path("allocatable").path("count"));
    }

    private void driverName(String path, JsonNode parent, String field) {
        String name = Json.text(parent, field);
        if (name.isEmpty()) {
            causes.add(Cause.required(path, ""));
        }
        subdomain(path, name.toLowerCase(Locale.ROOT));
    }

    private void attachment() {
        requireText("spec.attacher", spec, "attacher");
        JsonNode source = spec.path("source");
        if (isAbsent(source.path("persistentVolumeName")) && isAbsent(source.path("inlineVolumeSpec"))) {
            causes.add(Cause.required(
                    "spec.source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName"));
        }
        subdomain("spec.nodeName", Json.text(spec, "nodeName"));
        driverName("spec.attacher", spec, "attacher");
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
        notNegative("spec", spec, "replicas", "minReadySeconds", "revisionHistoryLimit");
        JsonNode selector = spec.path("selector");
        if (isAbsent(selector)) {
            if (isSelectorRequired) {
                causes.add(Cause.required("spec.selector", ""));
            }
        } else if (!selector.isObject()
                || (isEmpty(selector, "matchLabels") && isEmpty(selector, "matchExpressions"))) {
            String value = ComponentChange.MAPS_AS_JSON.in(release)
                    ? selector.toString()
                    : "v1.LabelSelector{MatchLabels:map[string]string(nil), "
                            + "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}";
            causes.add(new Cause(
                    "spec.selector",
                    "FieldValueInvalid",
                    "Invalid value: " + value + ": empty selector is invalid for " + kind));
        }
        int before = causes.size();
        selector("spec.selector", selector);
        if (causes.size() > before) {
            return;
        }
        boolean matches = !isAbsent(selector) && matches(selector);
        template(TEMPLATE, spec.path("template"), matches);
        restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
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
        notNegative(
                path,
                job,
                "parallelism",
                "completions",
                "activeDeadlineSeconds",
                "backoffLimit",
                "ttlSecondsAfterFinished");
        if (Json.text(job, "completionMode").equals("Indexed") && isAbsent(job.path("completions"))) {
            causes.add(Cause.required(path + ".completions", "when completion mode is Indexed"));
        }
        template(path + ".template", job.path("template"), true);
        restartPolicy(path + ".template.spec.restartPolicy", job.path("template"), List.of("OnFailure", "Never"));
    }

    private void cronJob() {
        if (Json.text(spec, "schedule").isEmpty()) {
            causes.add(Cause.required("spec.schedule", ""));
        }
        notNegative("spec", spec, "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit");
        job("spec.jobTemplate.spec", spec.path("jobTemplate").path("spec"));
    }

    private void template(String path, JsonNode template, boolean matchesSelector) {
        if (!matchesSelector) {
            JsonNode labels = template.path("metadata").path("labels");
            causes.add(new Cause(
                    path + ".metadata.labels",
                    "FieldValueInvalid",
                    "Invalid value: " + map(labels) + ": `selector` does not match template `labels`"));
        }
        JsonNode podSpec = template.path("spec");
        if (!podSpec.path("containers").isArray() || podSpec.path("containers").isEmpty()) {
            causes.add(Cause.required(path + ".spec.containers", ""));
            return;
        }
        if (podSpec instanceof ObjectNode) {
            ObjectNode pod = Json.object();
            pod.set("spec", podSpec);
            for (Cause cause : PodValidation.check(pod)) {
                if (!cause.field().equals("spec.restartPolicy")) {
                    causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
                }
            }
            for (Cause cause : PodValidation.checkScheduling(podSpec, release)) {
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
        if (supported.size() > 1 && ComponentChange.RESTART_POLICY_IS_REQUIRED.in(release)) {
            causes.add(Cause.required(path, "valid values: " + values));
            return;
        }
        causes.add(new Cause(
                path, "FieldValueNotSupported", "Unsupported value: \"" + policy + "\": supported values: " + values));
    }

    private void volume() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", ""));
        }
        if (spec.path("capacity").isEmpty()) {
            causes.add(Cause.required("spec.capacity", ""));
        }
        if (!isAbsent(spec.path("local")) && isAbsent(spec.path("nodeAffinity"))) {
            causes.add(Cause.required("spec.nodeAffinity", "Local volume requires node affinity"));
        }
        source("spec", spec);
        if (!isAbsent(spec.path("local"))) {
            requireText("spec.local.path", spec.path("local"), "path");
        }
        if (!isAbsent(spec.path("csi"))) {
            driverName("spec.csi.driver", spec.path("csi"), "driver");
            requireText("spec.csi.volumeHandle", spec.path("csi"), "volumeHandle");
        }
        boolean hasSource = spec.properties().stream().anyMatch(field -> !NOT_A_SOURCE.contains(field.getKey()));
        if (!hasSource) {
            causes.add(Cause.required("spec", "must specify a volume type"));
        }
    }

    private void claim() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", "at least 1 access mode is required"));
        }
        if (isAbsent(spec.path("resources").path("requests").path("storage"))) {
            causes.add(Cause.required("spec.resources[storage]", ""));
        }
        selector("spec.selector", spec.path("selector"));
    }

    private void service() {
        boolean needsPorts = !Json.text(spec, "clusterIP").equals("None")
                && !Json.text(spec, "type").equals("ExternalName");
        if (needsPorts && spec.path("ports").isEmpty()) {
            causes.add(Cause.required("spec.ports", ""));
        }
        ports("spec.ports", spec.path("ports"), true);
        if (Json.text(spec, "type").equals("ExternalName")) {
            requireText("spec.externalName", spec, "externalName");
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

        static List<Cause> check(ObjectNode pod) {
            List<Cause> causes = new ArrayList<>();
            JsonNode spec = pod.path("spec");
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
                mounts(path + ".volumeMounts", container.path("volumeMounts"), spec.path("volumes"), causes);
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

        private static void mounts(String path, JsonNode mounts, JsonNode volumes, List<Cause> causes) {
            forEach(path, mounts, (place, mount) -> {
                String name = Json.text(mount, "name");
                if (name.isEmpty()) {
                    causes.add(Cause.required(place + ".name", ""));
                }
                boolean exists = false;
                for (JsonNode volume : volumes) {
                    exists |= Json.text(volume, "name").equals(name);
                }
                if (!exists) {
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
                validation.selector(path + ".labelSelector", constraint.path("labelSelector"));
            });
            return validation.causes;
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
