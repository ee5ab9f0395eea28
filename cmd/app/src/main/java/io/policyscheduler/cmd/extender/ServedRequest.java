package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.MalformedObjectException;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter or prioritize request as a scheduler sends it ({@code ExtenderArgs}).
 *
 * @param pod the pod to place
 * @param names names of the nodes, when the scheduler counts on our cache; else null
 * @param nodes the node objects otherwise
 */
record ServedRequest(PodInfo pod, @Nullable List<String> names, List<SentNode> nodes) {
    /** A node object of a request, and its JSON for the answer. */
    record SentNode(Node node, JsonNode json) {}

    /** Reads a request. */
    static ServedRequest read(InputStream in, FeatureGates gates) throws IOException, MalformedRequestException {
        try (JsonParser parser = ClusterFile.jsonFactory().createParser(in)) {
            parser.setCodec(new ObjectMapper());
            return read(parser, new ObjectReader(gates, false));
        } catch (JacksonException e) {
            throw new MalformedRequestException(
                    e.getOriginalMessage().lines().findFirst().orElse("malformed JSON"));
        } catch (MalformedObjectException e) {
            throw new MalformedRequestException(String.valueOf(e.getMessage()));
        }
    }

    private static ServedRequest read(JsonParser parser, ObjectReader reader)
            throws IOException, MalformedRequestException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedRequestException("expected an object with Pod and Nodes or NodeNames");
        }
        @Nullable PodInfo pod = null;
        @Nullable List<String> names = null;
        List<SentNode> nodes = new ArrayList<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equalsIgnoreCase("Pod") && value == JsonToken.START_OBJECT) {
                pod = reader.read(parser, "Pod") instanceof PodInfo read ? read : null;
            } else if (field.equalsIgnoreCase("NodeNames") && value == JsonToken.START_ARRAY) {
                names = names(parser);
            } else if (field.equalsIgnoreCase("Nodes") && value == JsonToken.START_OBJECT) {
                nodes(parser, reader, nodes);
            } else {
                parser.skipChildren();
            }
        }
        if (pod == null) {
            throw new MalformedRequestException("the request has no Pod");
        }
        return new ServedRequest(pod, names, nodes);
    }

    private static List<String> names(JsonParser parser) throws IOException, MalformedRequestException {
        List<String> names = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() != JsonToken.VALUE_STRING) {
                throw new MalformedRequestException("NodeNames contains a value that is not a string");
            }
            names.add(parser.getText());
        }
        return names;
    }

    private static void nodes(JsonParser parser, ObjectReader reader, List<SentNode> nodes)
            throws IOException, MalformedRequestException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean items = parser.currentName().equalsIgnoreCase("items");
            if (parser.nextToken() != JsonToken.START_ARRAY || !items) {
                parser.skipChildren();
                continue;
            }
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                JsonNode json = parser.readValueAsTree();
                nodes.add(new SentNode(node(json, reader), json));
            }
            if (parser.currentToken() != JsonToken.END_ARRAY) {
                throw new MalformedRequestException("Nodes contains a value that is not a node");
            }
        }
    }

    private static Node node(JsonNode json, ObjectReader reader) throws IOException, MalformedRequestException {
        try (JsonParser parser = json.traverse()) {
            parser.nextToken();
            ClusterObject object = reader.read(parser, "Node");
            if (object instanceof Node node) {
                return node;
            }
            throw new MalformedRequestException("Nodes contains a value that is not a node");
        }
    }

    /** A request to our extender that cannot be understood; the message says why. */
    static final class MalformedRequestException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedRequestException(String message) {
            super(message);
        }
    }
}
