package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.SourceNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which fields of a node or pod may stand outside of the section they belong to, and which there are. */
enum ShortForm {
    NODE(
            "a node",
            "name labels annotations creationTimestamp",
            "taints unschedulable",
            "allocatable images conditions",
            "",
            "configSource externalID podCIDR podCIDRs providerID taints unschedulable",
            "addresses allocatable capacity conditions config daemonEndpoints declaredFeatures features images nodeInfo"
                    + " phase runtimeHandlers volumesAttached volumesInUse"),
    POD("a pod", Fields.POD_METADATA, Fields.POD_SPEC, "", "requests", "", ""),
    RUNNING("a pod on a node", Fields.POD_METADATA, Fields.POD_SPEC, "", "requests count", "", "");

    /** What pods have in common. */
    private static final class Fields {
        static final String POD_METADATA =
                "name namespace labels annotations creationTimestamp ownerReferences deletionTimestamp";
        static final String POD_SPEC = "affinity containers hostNetwork initContainers nodeName nodeSelector overhead"
                + " priority priorityClassName schedulerName serviceAccountName tolerations topologySpreadConstraints volumes";
        static final String METADATA = "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp"
                + " finalizers generateName generation labels managedFields name namespace ownerReferences"
                + " resourceVersion selfLink uid";
    }

    private final String what;
    private final List<String> metadata;
    private final List<String> spec;
    private final List<String> status;
    private final List<String> keys;
    /** All fields of the sections; empty where reading the object finds those that do not exist. */
    private final List<String> wholeSpec;

    private final List<String> wholeStatus;

    ShortForm(
            String what,
            String metadata,
            String spec,
            String status,
            String own,
            String wholeSpec,
            String wholeStatus) {
        this.what = what;
        this.metadata = words(metadata);
        this.spec = words(spec);
        this.status = words(status);
        this.wholeSpec = words(wholeSpec);
        this.wholeStatus = words(wholeStatus);
        this.keys = ImmutableList.<String>builder()
                .addAll(this.metadata)
                .addAll(this.spec)
                .addAll(this.status)
                .addAll(words(own))
                .add("apiVersion", "kind", "metadata", "spec", "status")
                .build();
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    /**
     * The whole object; {@code count} stays outside of its sections.
     *
     * @param source null for an object of which nothing is said
     */
    ObjectNode expand(@Nullable SourceNode source, CaseProblems problems) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        if (source == null) {
            return object;
        }
        CaseObject given = new CaseObject(source, what, keys, problems);
        section("metadata", words(Fields.METADATA), given, object, problems);
        section("spec", wholeSpec, given, object, problems);
        section("status", wholeStatus, given, object, problems);
        for (String key : given.keys()) {
            SourceNode value = given.any(key);
            String section = metadata.contains(key)
                    ? "metadata"
                    : spec.contains(key) ? "spec" : status.contains(key) ? "status" : "";
            if (value == null) {
                continue;
            }
            if (key.equals("count")) {
                object.set(key, CaseObjects.tree(value));
            } else if (key.equals("requests")) {
                requests(value, object, problems);
            } else if (!section.isEmpty()) {
                put(object.withObject("/" + section), key, value, section, problems);
            }
        }
        return object;
    }

    private static void section(
            String name, List<String> known, CaseObject given, ObjectNode object, CaseProblems problems) {
        SourceNode section = given.any(name);
        if (section == null) {
            return;
        }
        if (section.kind() != SourceNode.Kind.OBJECT) {
            problems.add(section.position(), name + " is " + CaseObject.shown(section) + ", expected an object");
            return;
        }
        if (!known.isEmpty()) {
            new CaseObject(section, name, known, problems);
        }
        object.set(name, CaseObjects.tree(section));
    }

    private static void put(ObjectNode into, String key, SourceNode value, String section, CaseProblems problems) {
        if (into.has(key)) {
            problems.add(value.position(), key + " is set twice, here and in " + section + "; remove one");
        }
        into.set(key, CaseObjects.tree(value));
    }

    private static void requests(SourceNode value, ObjectNode object, CaseProblems problems) {
        ObjectNode spec = object.withObject("/spec");
        if (spec.has("containers")) {
            problems.add(value.position(), "requests creates a container; remove it or containers");
            return;
        }
        ObjectNode container = spec.putArray("containers").addObject().put("name", "container");
        container.putObject("resources").set("requests", CaseObjects.tree(value));
    }
}
