package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.framework.devices.cel.AttributeReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Makes a dump that can be shown around, and by which pods are decided as by the one that it was made of. */
final class Anonymizer {
    private final Set<String> kept;
    private final Consumer<String> warnings;

    /**
     * @param kept texts that stay as they are, such as those that a policy names
     * @param warnings is told of what is left out, and of what stays although it may tell of the cluster
     */
    Anonymizer(Set<String> kept, Consumer<String> warnings) {
        this.kept = kept;
        this.warnings = warnings;
    }

    /** Copies of all objects of a dump, in the same order. */
    List<ObjectNode> anonymous(List<ObjectNode> objects) {
        Set<String> selectors = new TreeSet<>();
        objects.forEach(object -> selectors.addAll(AnonymousDevices.selectors(object)));
        Pseudonyms names = new Pseudonyms(kept);
        AnonymousObjects copies = new AnonymousObjects(names, objects, AttributeReads.of(selectors));
        Set<String> unknown = new TreeSet<>();
        for (ObjectNode object : objects) {
            if (copies.copy(object) == null) {
                unknown.add(object.path("kind").asText());
            }
        }
        unknown.forEach(kind -> warnings.accept(
                "W155 objects of kind " + kind + " are omitted, because their fields may identify the cluster"));
        if (!selectors.isEmpty()) {
            warnings.accept(
                    "W155 device selectors, and the attribute strings that they read, are not anonymized; check them"
                            + " before you share the dump");
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
}
