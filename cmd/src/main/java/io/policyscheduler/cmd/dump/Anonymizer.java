package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Makes a dump that can be shown around, and by which pods are decided as by the one that it was made of. */
final class Anonymizer {
    private final Set<String> kept;
    private final Consumer<String> warnings;

    /**
     * @param kept texts that stay as they are, such as those that a policy names
     * @param warnings is told of kinds that are left out
     */
    Anonymizer(Set<String> kept, Consumer<String> warnings) {
        this.kept = kept;
        this.warnings = warnings;
    }

    /** Copies of all objects of a dump, in the same order. */
    List<ObjectNode> anonymous(List<ObjectNode> objects) {
        Pseudonyms names = new Pseudonyms(kept);
        AnonymousObjects copies = new AnonymousObjects(names, ephemeralClaims(objects));
        Set<String> unknown = new TreeSet<>();
        for (ObjectNode object : objects) {
            if (copies.copy(object) == null) {
                unknown.add(object.path("kind").asText());
            }
        }
        unknown.forEach(kind -> warnings.accept(
                "W155 objects of kind " + kind + " are left out: it is not known here what they tell of a cluster"));
        boolean claims = objects.stream()
                .anyMatch(object -> !object.path("spec").path("resourceClaims").isEmpty());
        if (claims) {
            warnings.accept("W155 resource claims of pods are left out, since devices would tell of the cluster:"
                    + " such pods are decided as if they asked for none");
        }
        names.assign();
        List<ObjectNode> anonymous = new ArrayList<>();
        for (ObjectNode object : objects) {
            ObjectNode copy = copies.copy(object);
            if (copy != null) {
                anonymous.add(copy);
            }
        }
        return anonymous;
    }

    private static Map<String, String[]> ephemeralClaims(List<ObjectNode> objects) {
        Map<String, String[]> claims = new HashMap<>();
        for (ObjectNode object : objects) {
            if (!object.path("kind").asText().equals("Pod")) {
                continue;
            }
            String pod = object.path("metadata").path("name").asText();
            for (JsonNode volume : object.path("spec").path("volumes")) {
                if (volume.has("ephemeral")) {
                    String name = volume.path("name").asText();
                    String namespace = object.path("metadata").path("namespace").asText();
                    claims.put(namespace + "/" + pod + "-" + name, new String[] {pod, name});
                }
            }
        }
        return claims;
    }
}
