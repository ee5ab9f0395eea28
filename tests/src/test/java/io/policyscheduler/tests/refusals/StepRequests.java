package io.policyscheduler.tests.refusals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.refusals.RefusedObjects.Answer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Requests of all kinds one after the other: lists with pages and versions, updates, patches, deletions with preconditions, binding,
 * eviction, scale, status, and watches; with the responses of a kube-apiserver.
 */
final class StepRequests {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final String url;
    private final HttpClient client;
    private final String token;
    /** Values of earlier responses by name. */
    private final Map<String, String> kept = new TreeMap<>();

    StepRequests(String url, HttpClient client, String token) {
        this.url = url;
        this.client = client;
        this.token = token;
    }

    /** Sends each request. Returns one line per request, with the response. */
    List<String> answers() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JsonNode step : new YAMLMapper()
                .readTree(RefusedObjects.FOLDER.resolve("steps.yaml").toFile())) {
            JsonNode request = step.path("send");
            String line = request.path(0).asText() + " " + request.path(1).asText()
                    + (request.has(2) ? " " + request.path(2) : "")
                    + (request.has(3) ? " " + request.path(3).asText() : "");
            HttpResponse<byte[]> response = send(request);
            lines.add(line + ": "
                    + (step.has("watch") && response.statusCode() < 300
                            ? events(response.body())
                            : text(step, response)));
        }
        return lines;
    }

    private HttpResponse<byte[]> send(JsonNode request) throws IOException, InterruptedException {
        JsonNode body = request.path(2);
        String text = body.isTextual() ? body.asText() : body.isMissingNode() ? "" : body.toString();
        HttpRequest.Builder builder = HttpRequest.newBuilder(
                        URI.create(url + filled(request.path(1).asText())))
                .header("Authorization", "Bearer " + token)
                .method(request.path(0).asText(), HttpRequest.BodyPublishers.ofString(filled(text)));
        if (!body.isMissingNode()) {
            builder.header("Content-Type", request.path(3).asText("application/json"));
        }
        return client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private String filled(String text) {
        String result = text;
        for (Map.Entry<String, String> value : kept.entrySet()) {
            result = result.replace("$" + value.getKey(), value.getValue());
        }
        return result;
    }

    private String text(JsonNode step, HttpResponse<byte[]> response) {
        JsonNode body;
        try {
            body = JSON.readTree(response.body());
        } catch (IOException e) {
            body = JsonNodeFactory.instance.missingNode();
        }
        for (Map.Entry<String, JsonNode> value : step.path("keep").properties()) {
            kept.put(value.getKey(), body.at(value.getValue().asText()).asText());
        }
        if (body.isMissingNode()) {
            return response.statusCode() + " " + new String(response.body(), StandardCharsets.UTF_8).strip();
        }
        StringBuilder line = new StringBuilder(KindRequests.text(new Answer(response.statusCode(), body)));
        for (JsonNode pointer :
                response.statusCode() < 300 ? step.path("show") : JsonNodeFactory.instance.arrayNode()) {
            line.append(' ').append(pointer.asText()).append('=').append(shown(body, pointer.asText()));
        }
        return hidden(line.toString());
    }

    private static String shown(JsonNode body, String pointer) {
        int star = pointer.indexOf("/*");
        if (star < 0) {
            return sorted(body.at(pointer));
        }
        List<String> parts = new ArrayList<>();
        body.at(pointer.substring(0, star)).forEach(element -> parts.add(shown(element, pointer.substring(star + 2))));
        return parts.toString();
    }

    /** Prints a value with the fields of each object in order. */
    private static String sorted(JsonNode node) {
        if (node.isObject()) {
            return node.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(field -> field.getKey() + ":" + sorted(field.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (node.isArray()) {
            List<String> parts = new ArrayList<>();
            node.forEach(element -> parts.add(sorted(element)));
            return parts.toString();
        }
        return node.asText();
    }

    /** Replaces what differs between two runs. */
    private String hidden(String line) {
        String result = TIME.matcher(line).replaceAll("TIME");
        for (Map.Entry<String, String> value : kept.entrySet()) {
            if (value.getKey().startsWith("rv") || value.getKey().startsWith("name")) {
                result = result.replaceAll("\\b" + Pattern.quote(value.getValue()) + "\\b", value.getKey());
            }
        }
        return UID.matcher(result).replaceAll("UID");
    }

    private static String events(byte[] body) throws IOException {
        List<String> events = new ArrayList<>();
        try (MappingIterator<JsonNode> all = JSON.readerFor(JsonNode.class).readValues(body)) {
            while (all.hasNext()) {
                JsonNode event = all.next();
                JsonNode object = event.path("object");
                events.add(event.path("type").asText() + " "
                        + object.path("kind").asText() + " "
                        + object.at("/metadata/name").asText()
                        + (object.has("message") ? object.path("message").asText() : ""));
            }
        } catch (JsonProcessingException e) {
            events.add("no JSON");
        }
        return "200 " + inOrder(events);
    }

    /** Sorts consecutive added objects, because a watch begins with the stored ones in any order. */
    private static List<String> inOrder(List<String> events) {
        List<String> result = new ArrayList<>();
        List<String> added = new ArrayList<>();
        for (String event : events) {
            if (!event.startsWith("ADDED ")) {
                added.stream().sorted().forEach(result::add);
                added.clear();
                result.add(event);
            } else {
                added.add(event);
            }
        }
        added.stream().sorted().forEach(result::add);
        return result;
    }

    /** Returns the recorded responses, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return RefusedObjects.FOLDER.resolve("steps-" + release + ".txt");
    }
}
