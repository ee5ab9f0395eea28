package io.policyscheduler.tests.costly;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/** Pods that repeat one kind of entry as often as the size limit of an object allows. */
enum HostilePod {
    /** Different terms that match no pod. */
    AFFINITY_TERMS,
    /** Terms that match every pod, because they have no requirement. */
    AFFINITY_MATCHING,
    /** The same term repeatedly. */
    AFFINITY_EQUAL,
    /** Each term with a topology key of its own. */
    AFFINITY_KEYS,
    ANTI_TERMS,
    ANTI_MATCHING,
    ANTI_EQUAL,
    ANTI_KEYS,
    PREFERRED_TERMS,
    PREFERRED_MATCHING,
    PREFERRED_KEYS,
    PREFERRED_ANTI_TERMS,
    /** One term with requirements that all match. */
    TERM_EXPRESSIONS,
    /** One term with one requirement of many values, none of which matches. */
    TERM_VALUES,
    /** One term in many namespaces. */
    TERM_NAMESPACES,
    /** One anti-affinity term whose last requirement does not match. */
    ANTI_EXPRESSIONS,
    ANTI_VALUES,
    ANTI_NAMESPACES,
    /** Terms with a namespaceSelector. */
    NAMESPACE_SELECTORS,
    NODE_TERMS,
    NODE_EXPRESSIONS,
    NODE_VALUES,
    NODE_FIELDS,
    PREFERRED_NODE_TERMS,
    PREFERRED_NODE_EXPRESSIONS,
    NODE_SELECTOR,
    TOLERATIONS,
    TOLERATIONS_OF_TAINTS,
    CONTAINERS,
    INIT_CONTAINERS,
    SIDECARS,
    PORTS,
    IMAGES,
    RESOURCES,
    CLAIMS,
    GCE_DISKS,
    EBS_DISKS,
    AZURE_DISKS,
    CINDER_DISKS,
    RBD,
    ISCSI,
    INLINE_CSI,
    EPHEMERAL_VOLUMES,
    CONFIG_MAPS,
    SPREAD_CONSTRAINTS,
    SOFT_SPREAD_CONSTRAINTS,
    LABELS,
    ANNOTATIONS,
    OWNERS,
    GATES,
    RESOURCE_CLAIMS,
    OVERHEAD;

    private static final String HOST = "kubernetes.io/hostname";
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final int SAMPLES = 64;

    /** Name in tables. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns a pending pod of about this size as JSON.
     *
     * @param number makes pods of one kind different, also in the repeated entries
     */
    ObjectNode pod(int number, int bytes) {
        int per = Math.max(
                        1,
                        build(number, SAMPLES).toString().length()
                                - build(number, 0).toString().length())
                / SAMPLES;
        return build(number, bytes / (per + 1));
    }

    private ObjectNode build(int number, int times) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode().put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", title() + "-" + number).put("namespace", "hostile").put("uid", title() + "-uid-" + number);
        metadata.putObject("labels").put("app", "hostile").put("serial", "s" + number);
        ObjectNode spec = pod.putObject("spec");
        ObjectNode container =
                spec.putArray("containers").addObject().put("name", "c").put("image", "registry.example.com/hostile:1");
        container.putObject("resources").putObject("requests").put("cpu", "10m").put("memory", "10Mi");
        for (int i = 0; i < times; i++) {
            // At most 500,000 numbers, so that pods differ and their texts have similar lengths.
            say(pod, spec, container, 100_000 + i, number);
        }
        return pod;
    }

    private void say(ObjectNode pod, ObjectNode spec, ObjectNode container, int i, int number) {
        switch (this) {
            case AFFINITY_TERMS -> required(spec, "podAffinity").add(term(HOST, "x" + i, number));
            case AFFINITY_MATCHING -> matching(required(spec, "podAffinity").addObject(), HOST, "x" + i + "-" + number);
            case AFFINITY_EQUAL -> matching(required(spec, "podAffinity").addObject(), HOST, "x" + number);
            case AFFINITY_KEYS -> matching(required(spec, "podAffinity").addObject(), "k" + i, "x" + number);
            case ANTI_TERMS -> required(spec, "podAntiAffinity").add(term(HOST, "x" + i, number));
            case ANTI_MATCHING ->
                matching(required(spec, "podAntiAffinity").addObject(), "none", "x" + i + "-" + number);
            case ANTI_EQUAL -> matching(required(spec, "podAntiAffinity").addObject(), "none", "x" + number);
            case ANTI_KEYS -> matching(required(spec, "podAntiAffinity").addObject(), "k" + i, "x" + number);
            case PREFERRED_TERMS -> preferred(spec, "podAffinity").set("podAffinityTerm", term(HOST, "x" + i, number));
            case PREFERRED_MATCHING ->
                matching(preferred(spec, "podAffinity").putObject("podAffinityTerm"), HOST, "x" + i + "-" + number);
            case PREFERRED_KEYS ->
                matching(preferred(spec, "podAffinity").putObject("podAffinityTerm"), "k" + i, "x" + number);
            case PREFERRED_ANTI_TERMS ->
                preferred(spec, "podAntiAffinity").set("podAffinityTerm", term(HOST, "x" + i, number));
            case TERM_EXPRESSIONS -> expression(one(spec, "podAffinity"), i, number);
            case TERM_VALUES -> value(one(spec, "podAffinity"), "In", i, number);
            case TERM_NAMESPACES -> namespace(one(spec, "podAffinity"), i, number);
            case ANTI_EXPRESSIONS -> expression(one(spec, "podAntiAffinity"), i, number);
            case ANTI_VALUES -> value(one(spec, "podAntiAffinity"), "In", i, number);
            case ANTI_NAMESPACES -> namespace(one(spec, "podAntiAffinity"), i, number);
            case NAMESPACE_SELECTORS -> {
                ObjectNode term = term(HOST, "x" + i, number);
                term.putObject("namespaceSelector").putObject("matchLabels").put("team", "t" + i);
                required(spec, "podAntiAffinity").add(term);
            }
            case NODE_TERMS ->
                nodeTerms(spec)
                        .addObject()
                        .putArray("matchExpressions")
                        .add(requirement("zone", "In", "z" + i + "-" + number));
            case NODE_EXPRESSIONS ->
                firstOf(nodeTerms(spec))
                        .withArray("/matchExpressions")
                        .add(requirement("k" + i, "NotIn", "z" + number));
            case NODE_VALUES -> value(firstOf(nodeTerms(spec)), "NotIn", i, number);
            case NODE_FIELDS ->
                nodeTerms(spec)
                        .addObject()
                        .putArray("matchFields")
                        .add(requirement("metadata.name", "In", "node-" + i));
            case PREFERRED_NODE_TERMS ->
                preferredNode(spec)
                        .addObject()
                        .put("weight", 1 + i % 100)
                        .putObject("preference")
                        .putArray("matchExpressions")
                        .add(requirement("zone", "In", "z" + i + "-" + number));
            case PREFERRED_NODE_EXPRESSIONS -> {
                ArrayNode terms = preferredNode(spec);
                if (terms.isEmpty()) {
                    terms.addObject().put("weight", 1).putObject("preference");
                }
                ((ObjectNode) terms.get(0).get("preference"))
                        .withArray("/matchExpressions")
                        .add(requirement("k" + i, "NotIn", "z" + number));
            }
            case NODE_SELECTOR -> spec.withObject("/nodeSelector").put("k" + i, "v" + number);
            case TOLERATIONS ->
                spec.withArray("/tolerations").addObject().put("key", "t" + i).put("value", "v" + number);
            case TOLERATIONS_OF_TAINTS ->
                spec.withArray("/tolerations")
                        .addObject()
                        .put("key", "taint-" + i % 50)
                        .put("value", "v" + i + number);
            case CONTAINERS ->
                ((ArrayNode) spec.get("containers"))
                        .addObject()
                        .put("name", "c" + i)
                        .put("image", "i" + i + "-" + number);
            case INIT_CONTAINERS ->
                requests(spec.withArray("/initContainers")
                        .addObject()
                        .put("name", "c" + i)
                        .put("image", "i" + number));
            case SIDECARS ->
                requests(spec.withArray("/initContainers")
                        .addObject()
                        .put("name", "c" + i)
                        .put("restartPolicy", "Always"));
            case PORTS ->
                container
                        .withArray("/ports")
                        .addObject()
                        .put("containerPort", 80)
                        .put("hostPort", 1 + (i + number) % 65_000)
                        .put("hostIP", "10.0." + i / 65_000 + "." + number % 250);
            case IMAGES ->
                ((ArrayNode) spec.get("containers"))
                        .addObject()
                        .put("name", "c" + i)
                        .put("image", "registry.example.com/app-" + i % 50 + ":1");
            case RESOURCES -> ((ObjectNode) container.at("/resources/requests")).put("example.com/r" + i, "1");
            case CLAIMS -> volume(spec, i).putObject("persistentVolumeClaim").put("claimName", "claim-" + i);
            case GCE_DISKS -> volume(spec, i).putObject("gcePersistentDisk").put("pdName", "d" + i + "-" + number);
            case EBS_DISKS -> volume(spec, i).putObject("awsElasticBlockStore").put("volumeID", "d" + i + "-" + number);
            case AZURE_DISKS -> volume(spec, i).putObject("azureDisk").put("diskName", "d" + i + "-" + number);
            case CINDER_DISKS -> volume(spec, i).putObject("cinder").put("volumeID", "d" + i + "-" + number);
            case RBD -> {
                ObjectNode rbd = volume(spec, i).putObject("rbd").put("image", "i" + i + "-" + number);
                rbd.putArray("monitors").add("m" + i % 9);
            }
            case ISCSI ->
                volume(spec, i)
                        .putObject("iscsi")
                        .put("iqn", "iqn" + i + "-" + number)
                        .put("targetPortal", "t");
            case INLINE_CSI -> volume(spec, i).putObject("csi").put("driver", "d" + i + ".example.com");
            case EPHEMERAL_VOLUMES ->
                volume(spec, i)
                        .putObject("ephemeral")
                        .putObject("volumeClaimTemplate")
                        .putObject("spec");
            case CONFIG_MAPS -> volume(spec, i).putObject("configMap").put("name", "m" + i);
            case SPREAD_CONSTRAINTS, SOFT_SPREAD_CONSTRAINTS -> {
                ObjectNode constraint = spec.withArray("/topologySpreadConstraints")
                        .addObject()
                        .put("maxSkew", 1000)
                        .put("topologyKey", HOST)
                        .put("whenUnsatisfiable", this == SPREAD_CONSTRAINTS ? "DoNotSchedule" : "ScheduleAnyway");
                constraint
                        .putObject("labelSelector")
                        .putArray("matchExpressions")
                        .add(requirement("app", "NotIn", "x" + i + "-" + number));
            }
            case LABELS -> ((ObjectNode) pod.at("/metadata/labels")).put("k" + i, "v" + number);
            case ANNOTATIONS -> pod.withObject("/metadata/annotations").put("k" + i, "v" + number);
            case OWNERS ->
                ((ObjectNode) pod.get("metadata"))
                        .withArray("/ownerReferences")
                        .addObject()
                        .put("kind", "ReplicaSet")
                        .put("name", "o" + i)
                        .put("uid", "u" + i + "-" + number);
            case GATES -> spec.withArray("/schedulingGates").addObject().put("name", "g" + i);
            case RESOURCE_CLAIMS ->
                spec.withArray("/resourceClaims")
                        .addObject()
                        .put("name", "r" + i)
                        .put("resourceClaimName", "c" + i);
            case OVERHEAD -> spec.withObject("/overhead").put("example.com/o" + i, "1");
        }
    }

    private static ArrayNode required(ObjectNode spec, String kind) {
        return spec.withObject("/affinity/" + kind).withArray("/" + REQUIRED);
    }

    private static ObjectNode preferred(ObjectNode spec, String kind) {
        return spec.withObject("/affinity/" + kind)
                .withArray("/" + PREFERRED)
                .addObject()
                .put("weight", 7);
    }

    private static ArrayNode nodeTerms(ObjectNode spec) {
        return spec.withObject("/affinity/nodeAffinity/" + REQUIRED).withArray("/nodeSelectorTerms");
    }

    private static ArrayNode preferredNode(ObjectNode spec) {
        return spec.withObject("/affinity/nodeAffinity").withArray("/" + PREFERRED);
    }

    private static ObjectNode firstOf(ArrayNode array) {
        return array.isEmpty() ? array.addObject() : (ObjectNode) array.get(0);
    }

    /** Returns a term that matches no pod. */
    private static ObjectNode term(String topologyKey, String value, int number) {
        ObjectNode term = JsonNodeFactory.instance.objectNode().put("topologyKey", topologyKey);
        term.putObject("labelSelector").putObject("matchLabels").put("app", value + "-" + number);
        return term;
    }

    /** Returns a term that matches every pod of all namespaces of the test. */
    private static void matching(ObjectNode term, String topologyKey, String value) {
        term.put("topologyKey", topologyKey);
        term.putArray("namespaces").add("hostile").add("shop");
        term.putObject("labelSelector").putArray("matchExpressions").add(requirement("app", "NotIn", value));
    }

    private static ObjectNode one(ObjectNode spec, String kind) {
        ArrayNode terms = required(spec, kind);
        ObjectNode term = firstOf(terms);
        if (!term.has("topologyKey")) {
            term.put("topologyKey", HOST);
            term.putArray("namespaces").add("hostile").add("shop");
            term.putObject("labelSelector");
        }
        return term;
    }

    private static void expression(ObjectNode term, int i, int number) {
        ((ObjectNode) term.get("labelSelector"))
                .withArray("/matchExpressions")
                .add(requirement("k" + i, "NotIn", "v" + number));
    }

    private static void value(ObjectNode term, String operator, int i, int number) {
        ObjectNode place = term.has("labelSelector") ? (ObjectNode) term.get("labelSelector") : term;
        ArrayNode expressions = place.withArray("/matchExpressions");
        if (expressions.isEmpty()) {
            expressions.addObject().put("key", "app").put("operator", operator).putArray("values");
        }
        ((ArrayNode) expressions.get(0).get("values")).add("v" + i + "-" + number);
    }

    private static void namespace(ObjectNode term, int i, int number) {
        ((ArrayNode) term.get("namespaces")).add("ns" + i + "-" + number);
    }

    private static ObjectNode requirement(String key, String operator, String value) {
        ObjectNode requirement =
                JsonNodeFactory.instance.objectNode().put("key", key).put("operator", operator);
        requirement.putArray("values").add(value);
        return requirement;
    }

    private static ObjectNode volume(ObjectNode spec, int i) {
        return spec.withArray("/volumes").addObject().put("name", "v" + i);
    }

    private static void requests(ObjectNode container) {
        container.putObject("resources").putObject("requests").put("cpu", "1m");
    }
}
