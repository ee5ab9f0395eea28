package io.policyscheduler.tests.refusals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.refusals.RefusedObjects.Answer;
import io.policyscheduler.tests.refusals.RefusedObjects.Asking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Requests to create an object of each kind, valid and invalid, with the responses of a kube-apiserver: the code, the reason, and each
 * cause with its field, reason, and message. The requests are dry runs, so that none depends on another one.
 */
final class KindRequests {
    /** The releases that are recorded. */
    static final List<String> RELEASES = List.of("1.20", "1.34", "1.36");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REFUSED = 300;
    private static final int MALFORMED = 400;
    /** The decoder of releases before 1.23 quotes the bytes around a value, and prints the address of its type. */
    private static final Pattern DECODED = Pattern.compile("( cannot be handled as an? [A-Za-z]+: ).*");

    /** Values of structures, lists, maps, and pointers in messages have the syntax of Go. */
    private static final Pattern VALUE =
            Pattern.compile("((?:Invalid|Duplicate|Unsupported) value: )(?![\"\\d-])(?:null|.*?[}\\])])(?=: |$)");
    /** The patched object, and the message of the decoder. */
    private static final Pattern PATCHED = Pattern.compile("(patch FieldValueInvalid ).*");

    /** The random suffix of a generated name. */
    private static final Pattern GENERATED = Pattern.compile("(\"Not a name!)[a-z0-9]{5}(?=\")");

    /** The address of a service, which the API server has allocated. */
    private static final Pattern ADDRESS = Pattern.compile("\"10(\\.\\d+){3}\"(?=: expected)");

    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private KindRequests() {}

    /** Sends each request of a release. Returns one line per request: the path, the change of the object, and the response. */
    static List<String> answers(String release, Asking server) throws IOException, InterruptedException {
        Set<String> lines = new LinkedHashSet<>();
        for (JsonNode document : new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(
                        RefusedObjects.FOLDER.resolve("kinds.yaml").toFile())
                .readAll()) {
            // From 1.25 on, all these kinds have version v1 only.
            String version = Release.parse(release).atLeast(25) ? "v1" : "v1beta1";
            String path = document.path("path").asText().replace("v1beta1", version);
            ObjectNode object = (ObjectNode) document.path("object");
            object.put("apiVersion", object.path("apiVersion").asText().replace("v1beta1", version));
            List<JsonNode> changes = new ArrayList<>(List.of(JsonNodeFactory.instance.objectNode()));
            document.path("changes").forEach(changes::add);
            List<Mutation> all = new ArrayList<>();
            for (JsonNode change : changes) {
                all.add(new Mutation(change.toString(), (ObjectNode) merge(object.deepCopy(), change)));
            }
            String place =
                    path + (document.has("note") ? " (" + document.path("note").asText() + ")" : "");
            if (!document.has("note")) {
                all.addAll(mutations(object));
            }
            List<Mutation> decoded = new ArrayList<>();
            for (Mutation mutation : all) {
                Answer answer = send(server, "POST", path + "?dryRun=All", mutation.object());
                lines.add("create " + place + " " + mutation.name() + ": " + text(answer));
                if (answer.code() != MALFORMED) {
                    decoded.add(mutation);
                }
            }
            lines.addAll(updates(server, path, place, object, decoded));
        }
        return List.copyOf(lines);
    }

    /** Creates the object, and then updates it to each variant that can be decoded. */
    private static List<String> updates(
            Asking server, String path, String shown, ObjectNode object, List<Mutation> variants)
            throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        Answer created = send(server, "POST", path, object);
        String place = path + "/" + object.at("/metadata/name").asText();
        String version = created.body().at("/metadata/resourceVersion").asText();
        for (Mutation variant : variants) {
            ObjectNode update = variant.object().deepCopy();
            if (update.path("metadata") instanceof ObjectNode metadata) {
                metadata.put("resourceVersion", version);
            }
            Answer answer = send(server, "PUT", place + "?dryRun=All", update);
            lines.add("update " + shown + " " + variant.name() + ": " + text(answer));
        }
        send(server, "DELETE", place, JsonNodeFactory.instance.objectNode());
        return lines;
    }

    private static Answer send(Asking server, String method, String path, JsonNode body)
            throws IOException, InterruptedException {
        return server.send(method, path, "application/json", JSON.writeValueAsBytes(body));
    }

    /** Returns the code, the reason, and the causes of a response; the message if it has no causes. */
    static String text(Answer answer) {
        JsonNode status = answer.body();
        if (answer.code() < REFUSED) {
            return Integer.toString(answer.code());
        }
        StringBuilder line =
                new StringBuilder(answer.code() + " " + status.path("reason").asText());
        JsonNode causes = status.path("details").path("causes");
        if (causes.isEmpty()) {
            line.append(' ').append(status.path("message").asText());
        }
        // Validation iterates over maps in any order, and some kinds are validated twice.
        Set<String> texts = new TreeSet<>();
        for (JsonNode cause : causes) {
            String message = VALUE.matcher(
                            cause.path("message").asText().lines().findFirst().orElse(""))
                    .replaceAll("$1...");
            String text =
                    cause.path("field").asText() + " " + cause.path("reason").asText() + " " + message;
            texts.add("; " + PATCHED.matcher(text).replaceAll("$1..."));
        }
        texts.forEach(line::append);
        String text = DECODED.matcher(line.toString().replace("\n", "\\n")).replaceAll("$1...");
        return UID.matcher(ADDRESS.matcher(GENERATED.matcher(text).replaceAll("$1*"))
                        .replaceAll("ADDRESS"))
                .replaceAll("UID");
    }

    private record Mutation(String name, ObjectNode object) {}

    /** Returns copies of an object without one of its fields, or with another value in it. */
    private static List<Mutation> mutations(ObjectNode object) {
        List<Mutation> mutations = new ArrayList<>();
        collect(object, object, "", mutations);
        return mutations;
    }

    private static void collect(ObjectNode root, JsonNode place, String pointer, List<Mutation> mutations) {
        List<String> names = new ArrayList<>();
        if (place.isArray()) {
            names.add("0");
        } else {
            place.fieldNames().forEachRemaining(names::add);
        }
        for (String name : names) {
            String path = pointer + "/" + name;
            JsonNode value = root.at(path);
            if (value.isMissingNode() || path.equals("/kind") || path.equals("/apiVersion")) {
                continue;
            }
            for (JsonNode other : others(value)) {
                ObjectNode copy = root.deepCopy();
                set(copy.at(pointer), name, other);
                mutations.add(new Mutation(path + "=" + (other.isMissingNode() ? "" : other), copy));
            }
            if (value.isContainerNode()) {
                collect(root, value, path, mutations);
            }
        }
    }

    private static void set(JsonNode parent, String name, JsonNode value) {
        if (parent instanceof ObjectNode object) {
            if (value.isMissingNode()) {
                object.remove(name);
            } else {
                object.set(name, value);
            }
        } else if (parent instanceof ArrayNode list) {
            if (value.isMissingNode()) {
                list.remove(0);
            } else {
                list.set(0, value);
            }
        }
    }

    private static List<JsonNode> others(JsonNode value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        List<JsonNode> others = new ArrayList<>(List.of(nodes.missingNode()));
        if (value.isTextual()) {
            others.addAll(List.of(nodes.textNode(""), nodes.textNode("Not a name!"), nodes.numberNode(7)));
        } else if (value.isNumber()) {
            others.addAll(
                    List.of(nodes.numberNode(-1), nodes.numberNode(0), nodes.numberNode(70_000), nodes.textNode("x")));
        } else if (value.isArray()) {
            others.addAll(List.of(nodes.arrayNode(), nodes.objectNode()));
        } else if (value.isObject()) {
            others.addAll(List.of(nodes.objectNode(), nodes.arrayNode()));
        } else {
            others.add(nodes.textNode("x"));
        }
        return others;
    }

    /** Applies a JSON merge patch. */
    private static JsonNode merge(ObjectNode object, JsonNode change) {
        change.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                object.remove(field.getKey());
            } else if (field.getValue() instanceof ObjectNode && object.get(field.getKey()) instanceof ObjectNode old) {
                merge(old, field.getValue());
            } else {
                object.set(field.getKey(), field.getValue());
            }
        });
        return object;
    }

    /** Returns the recorded responses, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return RefusedObjects.FOLDER.resolve("kinds-" + release + ".txt");
    }
}
