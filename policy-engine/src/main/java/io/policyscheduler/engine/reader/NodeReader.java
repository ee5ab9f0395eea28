package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Builds a node while its fields are read. */
final class NodeReader extends KindReader {
    private boolean unschedulable;
    private final List<Taint> taints = new ArrayList<>(1);
    private final ResourceList allocatable;
    private final List<Node.Image> images = new ArrayList<>();
    private final Map<String, String> conditions = new TreeMap<>();
    private final Map<String, Long> conditionsSince = new TreeMap<>();
    private String kubeletVersion = "";
    private final Set<String> declaredFeatures = new TreeSet<>();

    NodeReader(Arithmetic arithmetic) {
        super(true);
        this.allocatable = new ResourceList(arithmetic);
    }

    @Override
    void body(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "spec" -> cursor.object(this::spec);
            case "status" -> cursor.object(this::status);
            default -> cursor.skip();
        }
    }

    private void spec(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "unschedulable" -> unschedulable = cursor.bool();
            case "taints" -> cursor.array(c -> taints.add(taintOf(c)));
            default -> cursor.skip();
        }
    }

    /** Reads a taint, of a node or of a device. */
    static Taint taintOf(JsonCursor cursor) throws IOException {
        String[] text = {"", "", ""};
        cursor.object((f, c) -> {
            switch (f) {
                case "key" -> text[0] = c.string();
                case "value" -> text[1] = c.string();
                case "effect" -> text[2] = c.string();
                default -> c.skip();
            }
        });
        return new Taint(text[0], text[1], text[2]);
    }

    private void status(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "allocatable" -> allocatable.read(cursor);
            case "images" -> cursor.array(this::image);
            case "conditions" -> cursor.array(this::condition);
            case "declaredFeatures" -> declaredFeatures.addAll(cursor.strings());
            case "nodeInfo" -> cursor.field("kubeletVersion", c -> kubeletVersion = c.string());
            default -> cursor.skip();
        }
    }

    private void image(JsonCursor cursor) throws IOException {
        List<String> names = new ArrayList<>(2);
        long[] size = {0};
        cursor.object((f, c) -> {
            switch (f) {
                case "names" -> names.addAll(c.strings());
                case "sizeBytes" -> size[0] = c.longInteger();
                default -> c.skip();
            }
        });
        images.add(new Node.Image(names, size[0]));
    }

    private void condition(JsonCursor cursor) throws IOException {
        String[] text = {"", ""};
        long[] since = {PodInfo.NO_TIME};
        cursor.object((f, c) -> {
            switch (f) {
                case "type" -> text[0] = c.string();
                case "status" -> text[1] = c.string();
                case "lastTransitionTime" -> since[0] = c.timeOrNone();
                default -> c.skip();
            }
        });
        conditions.put(text[0], text[1]);
        conditionsSince.remove(text[0]);
        if (since[0] != PodInfo.NO_TIME) {
            conditionsSince.put(text[0], since[0]);
        }
    }

    @Override
    Node build() {
        return new Node(
                metadata.name,
                metadata.uid,
                metadata.resourceVersion,
                metadata.labels,
                metadata.annotations,
                unschedulable,
                taints,
                allocatable.toVector(),
                images,
                Labels.copyOf(conditions),
                Node.zoneKeyOf(metadata.labels),
                kubeletVersion,
                metadata.created,
                conditionsSince,
                declaredFeatures);
    }
}
