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
import io.policyscheduler.engine.reader.protobuf.PodMessages;
import io.policyscheduler.engine.reader.protobuf.ProtobufParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random pods are the same pods in JSON and in protobuf. {@code -Dworlds=2000} tries more, {@code -Dseed=N} one world. */
class ProtobufPodsTest {
    private static final int WORLDS = Integer.getInteger("worlds", 30);
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
        int last = System.getProperty("seed") == null ? WORLDS : first;
        int compared = 0;
        for (FeatureGates gates :
                List.of(FeatureGates.defaults(), FeatureGates.defaults().at(Release.NEWEST))) {
            ObjectReader reader = new ObjectReader(gates, true, unknown::add);
            for (int seed = first; seed <= last; seed++) {
                ObjectNode world = NewerWorld.scenario(seed);
                for (String part : List.of("cluster", "pending")) {
                    for (JsonNode object : world.path(part)) {
                        if (object.path("kind").asText().equals("Pod")) {
                            byte[] bytes = ProtobufObjects.pod(object);
                            assertEquals(fromJson(object, reader), fromProtobuf(bytes, reader), "seed " + seed);
                            compared++;
                        }
                    }
                }
            }
        }
        assertTrue(compared > 2 * (last - first), compared + " pods");
        assertEquals(List.of(), unknown);
    }
}
