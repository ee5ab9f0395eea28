package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What claims of volumes are called: those of ephemeral volumes after their pod and its volume. */
final class ClaimNames {
    private final AnonymousTexts texts;
    /** Pod and volume of claims that belong to one, by namespace/name. */
    private final Map<String, String[]> ephemeral = new HashMap<>();

    ClaimNames(AnonymousTexts texts, List<ObjectNode> objects) {
        this.texts = texts;
        for (ObjectNode object : objects) {
            if (!object.path("kind").asText().equals("Pod")) {
                continue;
            }
            String pod = object.path("metadata").path("name").asText();
            for (JsonNode volume : object.path("spec").path("volumes")) {
                if (volume.has("ephemeral")) {
                    String name = volume.path("name").asText();
                    String namespace = object.path("metadata").path("namespace").asText();
                    ephemeral.put(namespace + "/" + pod + "-" + name, new String[] {pod, name});
                }
            }
        }
    }

    /** The other name of a claim. */
    String name(String namespace, String claim) {
        String[] parts = ephemeral.get(namespace + "/" + claim);
        return parts == null ? texts.name(claim) : texts.name(parts[0]) + "-" + texts.name(parts[1]);
    }
}
