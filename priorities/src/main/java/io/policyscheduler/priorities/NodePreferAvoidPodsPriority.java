package io.policyscheduler.priorities;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.priorities.NodePreferAvoidPodsPriority.AvoidedController;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * 0 for a node whose annotation lists this pod's ReplicationController or ReplicaSet, else 100. Mirrors
 * {@code algorithm/priorities/node_prefer_avoid_pods.go}.
 */
public final class NodePreferAvoidPodsPriority implements Priority {
    /** The node annotation with the controllers to avoid. */
    public static final String ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods";

    @Override
    public String name() {
        return "NodePreferAvoidPodsPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        OwnerReference controller = context.pod().controller();
        if (controller == null
                || !(controller.kind().equals("ReplicationController")
                        || controller.kind().equals("ReplicaSet"))) {
            return new ConstantScorer(MAX_SCORE);
        }
        AvoidedController avoided = new AvoidedController(controller.kind(), controller.uid());
        return node -> avoids(node, avoided) ? 0 : MAX_SCORE;
    }

    /** Parses the annotation without a cache, because hardly any node has it. */
    private static boolean avoids(NodeInfo node, AvoidedController controller) {
        String text = node.node().annotations().getOrEmpty(ANNOTATION);
        return !text.isEmpty() && AvoidPodsAnnotation.parse(text).contains(controller);
    }

    /** A controller in an annotation. */
    record AvoidedController(String kind, String uid) {}

    /**
     * Parses the annotation preferAvoidPods as Go's {@code encoding/json} parses {@code v1.AvoidPods}: case-insensitive field names,
     * unknown fields ignored, null allowed; a wrong type or a bad timestamp anywhere makes the whole annotation invalid.
     */
    private static final class AvoidPodsAnnotation {
        private static final JsonFactory JSON = new JsonFactory();
        private static final Pattern RFC_3339 = Pattern.compile(
                "(\\d{4}-\\d{2}-\\d{2})T(\\d{1,2}):(\\d{2}):(\\d{2})(?:\\.0*\\d{1,9})?(?:Z|[+-]\\d{2}:\\d{2})");

        private final JsonParser json;
        private final List<AvoidedController> controllers = new ArrayList<>();

        private AvoidPodsAnnotation(JsonParser json) {
            this.json = json;
        }

        /** The controllers in the annotation, in order; empty if there are none or {@code text} is invalid. */
        static List<AvoidedController> parse(String text) {
            try (JsonParser json = JSON.createParser(text)) {
                AvoidPodsAnnotation reader = new AvoidPodsAnnotation(json);
                json.nextToken();
                reader.readObject(reader::readRootField);
                return json.nextToken() == null ? List.copyOf(reader.controllers) : List.of();
            } catch (IOException unreadable) {
                return List.of();
            }
        }

        /** Parses the value of a known field, or returns false without moving. */
        private interface FieldReader {
            boolean read(String name) throws IOException;
        }

        private void readObject(FieldReader fields) throws IOException {
            if (json.currentToken() == JsonToken.VALUE_NULL) {
                return;
            }
            expect(JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName().toLowerCase(Locale.ROOT);
                json.nextToken();
                if (!fields.read(name)) {
                    json.skipChildren();
                }
            }
        }

        private boolean readRootField(String name) throws IOException {
            if (!name.equals("preferavoidpods")) {
                return false;
            }
            controllers.clear();
            if (json.currentToken() != JsonToken.VALUE_NULL) {
                expect(JsonToken.START_ARRAY);
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    Entry entry = new Entry();
                    readObject(entry::readField);
                    if (entry.hasController) {
                        controllers.add(new AvoidedController(entry.kind, entry.uid));
                    }
                }
            }
            return true;
        }

        /** One element of the list. Duplicate fields of an object are merged. */
        private final class Entry {
            boolean hasController;
            String kind = "";
            String uid = "";

            boolean readField(String name) throws IOException {
                switch (name) {
                    case "podsignature" -> readObject(this::readSignatureField);
                    case "evictiontime" -> readTime();
                    case "reason", "message" -> readString("");
                    default -> {
                        return false;
                    }
                }
                return true;
            }

            private boolean readSignatureField(String name) throws IOException {
                if (!name.equals("podcontroller")) {
                    return false;
                }
                hasController = json.currentToken() != JsonToken.VALUE_NULL;
                if (!hasController) {
                    kind = "";
                    uid = "";
                }
                readObject(this::readControllerField);
                return true;
            }

            private boolean readControllerField(String name) throws IOException {
                switch (name) {
                    case "kind" -> kind = readString(kind);
                    case "uid" -> uid = readString(uid);
                    case "apiversion", "name" -> readString("");
                    case "controller", "blockownerdeletion" -> readBoolean();
                    default -> {
                        return false;
                    }
                }
                return true;
            }
        }

        private String readString(String unchanged) throws IOException {
            if (json.currentToken() == JsonToken.VALUE_NULL) {
                return unchanged;
            }
            expect(JsonToken.VALUE_STRING);
            return json.getText();
        }

        private void readBoolean() throws IOException {
            JsonToken token = json.currentToken();
            if (token != JsonToken.VALUE_NULL && token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
                throw new IOException("not a boolean");
            }
        }

        private void readTime() throws IOException {
            if (json.currentToken() == JsonToken.VALUE_NULL) {
                return;
            }
            expect(JsonToken.VALUE_STRING);
            if (!isTime(json.getText())) {
                throw new IOException("not a time");
            }
        }

        private void expect(@Nullable JsonToken token) throws IOException {
            if (json.currentToken() != token) {
                throw new IOException("expected " + token);
            }
        }

        private static boolean isTime(String text) {
            Matcher matcher = RFC_3339.matcher(text);
            if (!matcher.matches()
                    || Integer.parseInt(matcher.group(2)) > 23
                    || Integer.parseInt(matcher.group(3)) > 59
                    || Integer.parseInt(matcher.group(4)) > 59) {
                return false;
            }
            try {
                LocalDate.parse(matcher.group(1));
                return true;
            } catch (DateTimeException noSuchDay) {
                return false;
            }
        }
    }
}
