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

/** Changes of objects of which some are refused, and what kube-apiservers of two releases have answered to them. */
final class RefusedChanges {
    private static final String MERGE = "application/merge-patch+json";
    /** Servers show values as their language prints them. */
    private static final Pattern VALUE = Pattern.compile("Invalid value: .*: (?=[a-z])");

    private RefusedChanges() {}

    /** Creates each object and changes it again and again; says what came of it, a line for each. */
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
                lines.add(name + " " + change + ": " + told(server.ask("PATCH", place, MERGE, change)));
            }
        }
        return lines;
    }

    /** Without what follows the first line, which shows both objects, and without values. */
    private static String told(String answer) {
        return VALUE.matcher(answer.lines().findFirst().orElse("")).replaceAll("Invalid value: ");
    }

    /** What a real server has answered, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return RefusedObjects.FOLDER.resolve("changes-" + release + ".txt");
    }
}
