package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Builds a node: {@code node("n1").cpu("4").memory("8Gi").label("zone", "a").build()}. Room for 110 pods by default. */
public final class NodeBuilder {
    private final String name;
    private final Map<String, String> labels = new TreeMap<>();
    private final Map<String, String> annotations = new TreeMap<>();
    private final Map<String, Long> scalars = new TreeMap<>();
    private final List<Taint> taints = new ArrayList<>();
    private final List<Node.Image> images = new ArrayList<>();
    private long cpu;
    private long memory;
    private long ephemeralStorage;
    private long pods = 110;
    private boolean unschedulable;
    private long created = PodInfo.NO_TIME;
    private final Map<String, String> conditions = new TreeMap<>();
    private final Map<String, Long> conditionsSince = new TreeMap<>();

    private NodeBuilder(String name) {
        this.name = name;
    }

    public static NodeBuilder node(String name) {
        return new NodeBuilder(name);
    }

    public NodeBuilder cpu(String quantity) {
        cpu = Quantity.milliValue(quantity);
        return this;
    }

    public NodeBuilder memory(String quantity) {
        memory = Quantity.value(quantity);
        return this;
    }

    public NodeBuilder ephemeralStorage(String quantity) {
        ephemeralStorage = Quantity.value(quantity);
        return this;
    }

    public NodeBuilder pods(long count) {
        pods = count;
        return this;
    }

    public NodeBuilder scalar(String resource, long amount) {
        scalars.put(resource, amount);
        return this;
    }

    public NodeBuilder label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    public NodeBuilder annotation(String key, String value) {
        annotations.put(key, value);
        return this;
    }

    public NodeBuilder taint(String key, String value, String effect) {
        taints.add(new Taint(key, value, effect));
        return this;
    }

    public NodeBuilder image(long sizeBytes, String... names) {
        images.add(new Node.Image(List.of(names), sizeBytes));
        return this;
    }

    /** @param since of its last transition, epoch milliseconds */
    public NodeBuilder condition(String type, String status, long since) {
        conditions.put(type, status);
        conditionsSince.put(type, since);
        return this;
    }

    public NodeBuilder created(long epochMillis) {
        created = epochMillis;
        return this;
    }

    public NodeBuilder unschedulable() {
        unschedulable = true;
        return this;
    }

    public Node build() {
        Labels all = Labels.copyOf(labels);
        return new Node(
                name,
                name + "-uid",
                "1",
                all,
                Labels.copyOf(annotations),
                unschedulable,
                taints,
                ResourceVector.of(cpu, memory, ephemeralStorage, pods, scalars),
                images,
                Labels.copyOf(conditions),
                Node.zoneKeyOf(all),
                "",
                created,
                conditionsSince,
                Set.of());
    }
}
