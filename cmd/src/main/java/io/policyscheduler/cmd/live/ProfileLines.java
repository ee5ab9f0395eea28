package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What is in effect, for programs. */
public final class ProfileLines {
    private ProfileLines() {}

    /**
     * An element for each profile: {@code schedulerName, source, composition, generation, lines} with {@code kind, name, weight,
     * origin} each.
     *
     * @param generation of the profiles
     */
    public static ArrayNode json(List<ProfileSettings> profiles, long generation) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (ProfileSettings profile : profiles) {
            ObjectNode json = all.addObject()
                    .put("schedulerName", profile.schedulerName())
                    .put("source", profile.origin())
                    .put("composition", profile.composition())
                    .put("generation", generation);
            ArrayNode lines = json.putArray("lines");
            for (AlgorithmLine line : lines(profile)) {
                lines.addObject()
                        .put("kind", line.kind())
                        .put("name", line.name())
                        .put("weight", line.weight())
                        .put("origin", line.origin());
            }
        }
        return all;
    }

    private static List<AlgorithmLine> lines(ProfileSettings profile) {
        List<AlgorithmLine> known = profile.source().lines();
        return known.isEmpty()
                ? profile.algorithms().stream()
                        .map(name -> new AlgorithmLine("plugin", name, 0, ""))
                        .toList()
                : known;
    }
}
