package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads single objects from JSON text, in which single quotes may stand for double ones. */
final class Reading {
    private static final JsonFactory JSON = new JsonFactory();

    private Reading() {}

    static JsonParser parser(String text) throws IOException {
        JsonParser parser = JSON.createParser(text.replace('\'', '"'));
        parser.nextToken();
        return parser;
    }

    /** A new object with the defaults that a pod gets in any cluster. */
    static @Nullable ClusterObject manifest(JsonParser parser, String kind, FeatureGates gates) throws IOException {
        ObjectNode tree = new ObjectMapper().readTree(parser);
        if (kind.equals("Pod")) {
            new ObjectCreation(Rules.of(gates), Objects.NONE, null).defaultPod(tree);
        }
        return new ObjectReader(gates, false).readTree(kind, tree);
    }

    static @Nullable ClusterObject object(@Nullable String kind, String text) throws IOException {
        try (JsonParser parser = parser(text)) {
            return new ObjectReader(FeatureGates.defaults(), false).read(parser, kind);
        }
    }

    /** An object of a known kind. */
    static <T extends ClusterObject> T read(Class<T> type, String kind, String text) throws IOException {
        return assertInstanceOf(type, object(kind, text));
    }

    /** Returns the one-line reason why an object is rejected. */
    static String refusal(@Nullable String kind, String text) {
        return String.valueOf(assertThrows(MalformedObjectException.class, () -> object(kind, text))
                .getMessage());
    }
}
