package io.policyscheduler.tests.refusals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.refusals.RefusedObjects.Asking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Changes of objects, some of them invalid, with the responses of kube-apiservers of two releases. */
final class RefusedChanges {
    private static final String MERGE = "application/merge-patch+json";
    /** Values in messages have the syntax of the server's language. */
    private static final Pattern VALUE = Pattern.compile("Invalid value: .*: (?=[a-z])");

    private RefusedChanges() {}

    /** Creates and changes each object. Returns the result of each request, one per line. */
    static List<String> answers(String release, Asking server) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JsonNode document : new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(
                        RefusedObjects.FOLDER.resolve("changes.yaml").toFile())
                .readAll()) {
            if (document.path("since").asText(release).compareTo(release) > 0) {
                continue;
            }
            JsonNode object = document.path("object");
            String path = RefusedObjects.path(object);
            String name = object.path("kind").asText() + " " + RefusedObjects.key(object);
            lines.add(name + ": " + server.ask("POST", path, "application/json", object));
            for (JsonNode change : document.path("changes")) {
                String place = path + "/" + object.path("metadata").path("name").asText();
                lines.add(name + " " + change + ": " + text(server.ask("PATCH", place, MERGE, change)));
            }
        }
        return lines;
    }

    /** Removes values and everything after the first line, which prints both objects. */
    private static String text(String answer) {
        return VALUE.matcher(answer.lines().findFirst().orElse("")).replaceAll("Invalid value: ");
    }

    /** Returns the recorded responses, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return RefusedObjects.FOLDER.resolve("changes-" + release + ".txt");
    }
}
