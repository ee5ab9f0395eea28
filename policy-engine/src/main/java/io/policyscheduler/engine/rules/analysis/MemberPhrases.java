package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The phrases of members. */
final class MemberPhrases {
    private static final Map<String, Phrase> OWN = own();

    private MemberPhrases() {}

    /** The specific phrase of a member, null for none. */
    static @Nullable Phrase written(Member member) {
        return OWN.get(member.receiver().label() + "." + member.signature());
    }

    /** The members with specific phrases, by type and signature. */
    static Set<String> writtenFor() {
        return OWN.keySet();
    }

    /** The phrase of any member; without a specific one, it consists of the name and the documentation. */
    static Phrase of(Member member) {
        Phrase written = written(member);
        if (written != null) {
            return written;
        }
        String arguments = switch (member.parameters().size()) {
            case 0 -> "";
            case 1 -> " {a}";
            case 2 -> " {a}, {b}";
            default -> " {a}, {b}, {c}";
        };
        String text = member.text().split("[,;]", 2)[0];
        String phrase = member.name() + arguments + " of {r} (" + text + ")";
        return member.result() == RuleType.BOOL
                ? Phrase.clause(phrase + " is true", phrase + " is false")
                : Phrase.noun(phrase);
    }

    private static Map<String, Phrase> own() {
        Map<String, Phrase> own = new LinkedHashMap<>();
        pod(own);
        node(own);
        nodePods(own);
        cluster(own);
        elements(own);
        maps(own);
        time(own);
        owners(own);
        return Collections.unmodifiableMap(own);
    }

    private static void labels(Map<String, Phrase> own, String of) {
        own.put(of + ".labels", Phrase.noun("the labels of {r}"));
        own.put(of + ".label(key)", Phrase.noun("label {a} of {r}"));
        own.put(of + ".label(key, otherwise)", Phrase.noun("label {a} of {r} ({b} without it)"));
        own.put(of + ".hasLabel(key)", Phrase.clause("{r} has {label}", "{r} does not have {label}"));
        own.put(of + ".hasLabel(key, value)", Phrase.clause("{r} has {label}", "{r} does not have {label}"));
    }

    private static void pod(Map<String, Phrase> own) {
        labels(own, "pod");
        own.put("pod.name", Phrase.noun("the name of {r}"));
        own.put("pod.namespace", Phrase.noun("the namespace of {r}"));
        own.put("pod.schedulerName", Phrase.noun("the scheduler name of {r}"));
        own.put("pod.priority", Phrase.noun("the priority of {r}"));
        own.put("pod.ownerKind", Phrase.noun("the kind of the controller of {r}"));
        own.put("pod.ownerName", Phrase.noun("the name of the controller of {r}"));
        own.put("pod.qosClass", Phrase.noun("the QoS class of {r}"));
        own.put("pod.terminating", Phrase.clause("{r} is being deleted", "{r} is not being deleted"));
        own.put("pod.annotations", Phrase.noun("the annotations of {r}"));
        own.put("pod.annotation(key)", Phrase.noun("annotation {a} of {r}"));
        own.put("pod.nodeSelector", Phrase.noun("the node selector of {r}"));
        own.put("pod.nodeSelector(key)", Phrase.noun("entry {a} of the node selector of {r}"));
        own.put("pod.cpu", Phrase.noun("the CPU that {r} requests"));
        own.put("pod.memory", Phrase.noun("the memory that {r} requests"));
        own.put("pod.ephemeralStorage", Phrase.noun("the ephemeral storage that {r} requests"));
        own.put("pod.cpuLimit", Phrase.noun("the CPU limit of {r}"));
        own.put("pod.memoryLimit", Phrase.noun("the memory limit of {r}"));
        own.put("pod.requests", Phrase.noun("the requests of {r}"));
        own.put("pod.request(resource)", Phrase.noun("the amount of {a} that {r} requests"));
        own.put("pod.volumeClaims", Phrase.count("volume claims"));
        own.put("pod.hostPorts", Phrase.count("host ports"));
        own.put(
                "pod.tolerates(key, value, effect)",
                Phrase.clause(
                        "{r} tolerates the taint with key {a}, value {b} and effect {c}",
                        "{r} does not tolerate the taint with key {a}, value {b} and effect {c}"));
        own.put("pod.containers", Phrase.noun("the containers of {r}"));
        own.put("pod.tolerations", Phrase.noun("the tolerations of {r}"));
    }

    private static void node(Map<String, Phrase> own) {
        labels(own, "node");
        own.put("node.name", Phrase.noun("the name of {r}"));
        own.put("node.zone", Phrase.noun("the zone of {r}"));
        own.put("node.region", Phrase.noun("the region of {r}"));
        own.put("node.annotations", Phrase.noun("the annotations of {r}"));
        own.put("node.annotation(key)", Phrase.noun("annotation {a} of {r}"));
        own.put("node.unschedulable", Phrase.clause("{r} is unschedulable", "{r} is not unschedulable"));
        own.put("node.condition(type)", Phrase.noun("the status of condition {a} of {r}"));
        own.put("node.hasImage(name)", Phrase.clause("{r} has image {a}", "{r} does not have image {a}"));
        own.put("node.allocatableCpu", Phrase.noun("the allocatable CPU of {r}"));
        own.put("node.allocatableMemory", Phrase.noun("the allocatable memory of {r}"));
        own.put("node.allocatable", Phrase.noun("the allocatable amounts of {r}"));
        own.put("node.allocatable(resource)", Phrase.noun("the allocatable amount of {a} of {r}"));
        own.put("node.freeCpu", Phrase.noun("the free CPU of {r}"));
        own.put("node.freeMemory", Phrase.noun("the free memory of {r}"));
        own.put("node.free", Phrase.noun("the free amounts of {r}"));
        own.put("node.free(resource)", Phrase.noun("the free amount of {a} of {r}"));
        own.put("node.maxPods", Phrase.noun("the allocatable pods of {r}"));
        own.put("node.taints", Phrase.noun("the taints of {r}"));
    }

    private static void nodePods(Map<String, Phrase> own) {
        own.put("node.requestedCpu", Phrase.noun("the CPU that the pods on {r} request"));
        own.put("node.requestedMemory", Phrase.noun("the memory that the pods on {r} request"));
        own.put("node.requested", Phrase.noun("the amounts that the pods on {r} request"));
        own.put("node.requested(resource)", Phrase.noun("the amount of {a} that the pods on {r} request"));
        own.put("node.podCount", Phrase.count("pods"));
        own.put("node.podsWithLabel(key)", Phrase.count("pods with {label}"));
        own.put("node.podsWithLabel(key, value)", Phrase.count("pods with {label}"));
        own.put("node.podsInNamespace(namespace)", Phrase.count("pods whose namespace is {a}"));
        own.put("node.podsWithImage(image)", Phrase.count("pods with a container whose image is {a}"));
        own.put(
                "node.podsInTopology(topologyKey, key, value)",
                Phrase.noun("the number of pods with {label} on all nodes with the same label {a} as {r}"));
        own.put("node.nodesInTopology(topologyKey)", Phrase.noun("the number of nodes with the same label {a} as {r}"));
        own.put("node.pods", Phrase.noun("the pods on {r}"));
    }

    private static void cluster(Map<String, Phrase> own) {
        own.put("cluster.nodeCount", Phrase.count("nodes"));
        own.put("cluster.nodesWithLabel(key)", Phrase.count("nodes with {label}"));
        own.put("cluster.nodesWithLabel(key, value)", Phrase.count("nodes with {label}"));
        own.put("cluster.podsWithLabel(key)", Phrase.count("placed pods with {label}"));
        own.put("cluster.podsWithLabel(key, value)", Phrase.count("placed pods with {label}"));
        own.put("cluster.topologyCount(topologyKey)", Phrase.count("different values of node label {a}"));
        own.put(
                "cluster.minPodsInTopology(topologyKey, key, value)",
                Phrase.noun("the lowest number of pods with {label} among the values of node label {a}"));
        own.put(
                "cluster.maxPodsInTopology(topologyKey, key, value)",
                Phrase.noun("the highest number of pods with {label} among the values of node label {a}"));
    }

    private static void time(Map<String, Phrase> own) {
        own.put("moment.hour", Phrase.noun("the hour in UTC"));
        own.put("moment.hour(zone)", Phrase.noun("the hour in {a}"));
        own.put("moment.minute", Phrase.noun("the minute of the hour in UTC"));
        own.put("moment.minute(zone)", Phrase.noun("the minute of the hour in {a}"));
        own.put("moment.weekday", Phrase.noun("the day of the week in UTC (1 for Monday)"));
        own.put("moment.weekday(zone)", Phrase.noun("the day of the week in {a} (1 for Monday)"));
        own.put("pod.ageMinutes", Phrase.noun("the age of {r} in minutes"));
        own.put("node.ageMinutes", Phrase.noun("the age of {r} in minutes"));
    }

    private static void owners(Map<String, Phrase> own) {
        own.put("pod.ownerUid", Phrase.noun("the controller of {r}"));
        own.put("node.podsOfOwner(ownerUid)", Phrase.count("pods of {a}"));
        own.put("cluster.podsOfOwner(ownerUid)", Phrase.count("placed pods of {a}"));
        own.put(
                "node.podsOfOwnerInTopology(topologyKey, ownerUid)",
                Phrase.noun("the number of pods of {b} on all nodes with the same label {a} as {r}"));
        own.put(
                "cluster.minPodsOfOwnerInTopology(topologyKey, ownerUid)",
                Phrase.noun("the lowest number of pods of {b} among the values of node label {a}"));
        own.put(
                "cluster.maxPodsOfOwnerInTopology(topologyKey, ownerUid)",
                Phrase.noun("the highest number of pods of {b} among the values of node label {a}"));
    }

    private static void elements(Map<String, Phrase> own) {
        own.put("container.name", Phrase.noun("the name of {r}"));
        own.put("container.image", Phrase.noun("the image of {r}"));
        own.put("container.init", Phrase.clause("{r} is an init container", "{r} is not an init container"));
        for (String of : new String[] {"taint", "toleration"}) {
            own.put(of + ".key", Phrase.noun("the key of {r}"));
            own.put(of + ".value", Phrase.noun("the value of {r}"));
            own.put(of + ".effect", Phrase.noun("the effect of {r}"));
        }
        own.put("port.protocol", Phrase.noun("the protocol of {r}"));
        own.put("condition.status", Phrase.noun("the status of {r}"));
        own.put("toleration.operator", Phrase.noun("the operator of {r}"));
    }

    /** The receiver is a map: "the labels of the pod". */
    private static void maps(Map<String, Phrase> own) {
        String strings = RuleType.LABELS.label();
        own.put(strings + ".get(key)", Phrase.noun("{a} among {r}"));
        own.put(strings + ".getOrDefault(key, otherwise)", Phrase.noun("{a} among {r} ({b} without it)"));
        own.put(strings + ".containsKey(key)", Phrase.clause("{a} is among {r}", "{a} is not among {r}"));
        own.put(strings + ".size()", Phrase.noun("the number of {r}"));
        own.put(strings + ".isEmpty()", Phrase.clause("{r} are empty", "{r} are not empty"));
        own.put(RuleType.AMOUNTS.label() + ".get(resource)", Phrase.noun("{a} among {r}"));
    }

    /**
     * The phrase of a member. In the texts {@code {r}} is the receiver, {@code {a}}, {@code {b}} and {@code {c}} are its arguments,
     * {@code {label}} is a label whose key and value are the last arguments.
     *
     * @param form of the text
     * @param yes the sentence of a {@link Form#CLAUSE}, the counted things of a {@link Form#COUNT}, the name of a {@link Form#NOUN}
     * @param no the negation of a {@link Form#CLAUSE}, else empty
     */
    record Phrase(Form form, String yes, String no) {
        enum Form {
            /** A sentence that is true or false: "the pod is being deleted". */
            CLAUSE,
            /** The counted things: "pods". */
            COUNT,
            /** The name of a value: "the zone of the node". */
            NOUN
        }

        static Phrase clause(String yes, String no) {
            return new Phrase(Form.CLAUSE, yes, no);
        }

        static Phrase count(String what) {
            return new Phrase(Form.COUNT, what, "");
        }

        static Phrase noun(String what) {
            return new Phrase(Form.NOUN, what, "");
        }
    }
}
