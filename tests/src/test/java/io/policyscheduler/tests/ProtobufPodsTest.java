package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.reader.PodMessages;
import io.policyscheduler.engine.reader.ProtobufParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random pods are equal whether they are read from JSON or protobuf. {@code -Dsnapshots=2000} tries more, {@code -Dseed=N} only one. */
class ProtobufPodsTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 30);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<String> unknown = new ArrayList<>();

    private static @Nullable ClusterObject fromJson(JsonNode pod, ObjectReader reader) throws IOException {
        try (JsonParser parser = MAPPER.getFactory().createParser(MAPPER.writeValueAsBytes(pod))) {
            parser.nextToken();
            return reader.read(parser, "Pod");
        }
    }

    private static @Nullable ClusterObject fromProtobuf(byte[] bytes, ObjectReader reader) throws IOException {
        try (ProtobufParser parser = new ProtobufParser(PodMessages.pod())) {
            parser.start(bytes, 0, bytes.length);
            parser.nextToken();
            return reader.read(parser, "Pod");
        }
    }

    @Test
    void podsAreTheSameInBothEncodings() throws IOException {
        int first = Integer.getInteger("seed", 1);
        int last = System.getProperty("seed") == null ? SNAPSHOTS : first;
        int compared = 0;
        for (FeatureGates gates :
                List.of(FeatureGates.defaults(), FeatureGates.defaults().at(Release.NEWEST))) {
            ObjectReader reader = new ObjectReader(gates, true, unknown::add);
            for (int seed = first; seed <= last; seed++) {
                ObjectNode input = NewerCluster.scenario(seed);
                for (String part : List.of("cluster", "pending")) {
                    for (JsonNode object : input.path(part)) {
                        if (object.path("kind").asText().equals("Pod")) {
                            compared += compare((ObjectNode) object, gates, reader, new Random(seed));
                        }
                    }
                }
            }
        }
        assertTrue(compared > 2 * (last - first), compared + " pods");
        assertEquals(List.of(), unknown);
    }

    /** Readers cache specs that they saw before, so each pod is read several times, with and without changes. */
    private int compare(ObjectNode pod, FeatureGates gates, ObjectReader reader, Random random) throws IOException {
        int count = 5;
        for (int i = 0; i < count; i++) {
            ObjectReader anew = new ObjectReader(gates, true, unknown::add);
            byte[] bytes = ProtobufObjects.pod(pod);
            assertEquals(fromJson(pod, anew), fromProtobuf(bytes, reader), () -> pod.toString());
            change(pod, random);
        }
        return count;
    }

    private static void change(ObjectNode pod, Random random) {
        ObjectNode spec = pod.withObjectProperty("spec");
        switch (random.nextInt(7)) {
            case 0 -> spec.put("nodeName", "n" + random.nextInt(3));
            case 1 -> spec.remove("nodeName");
            case 2 -> spec.put("priority", random.nextInt(3));
            case 3 -> pod.withObjectProperty("metadata").put("name", "other" + random.nextInt(1000));
            case 4 ->
                spec.withArrayProperty("volumes")
                        .removeAll()
                        .addObject()
                        .put("name", "kube-api-access-" + (10_000 + random.nextInt(90_000)))
                        .putObject(random.nextInt(4) == 0 ? "emptyDir" : "projected");
            case 5 -> {
                ObjectNode status = pod.withObjectProperty("status")
                        .withArrayProperty("containerStatuses")
                        .removeAll()
                        .addObject();
                JsonNode container = spec.path("containers").path(0);
                status.put("name", container.path("name").asText());
                JsonNode requests = container.path("resources").path("requests");
                ObjectNode running = status.putObject("resources").putObject("requests");
                if (requests instanceof ObjectNode same && random.nextBoolean()) {
                    running.setAll(same);
                } else {
                    running.put("cpu", random.nextInt(5) + "00m");
                }
            }
            default ->
                pod.withObjectProperty("status")
                        .withArrayProperty("conditions")
                        .removeAll()
                        .addObject()
                        .put("type", "PodResizePending")
                        .put("status", "True")
                        .put("reason", random.nextBoolean() ? "Infeasible" : "Deferred");
        }
    }
}
