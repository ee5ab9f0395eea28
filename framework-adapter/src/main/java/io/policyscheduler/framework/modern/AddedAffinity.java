package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Node affinity that a profile adds to every pod's own: {@code addedAffinity} of NodeAffinityArgs.
 *
 * @param required null = no constraint
 * @param preferred empty when none
 */
record AddedAffinity(@Nullable List<NodeSelectorTerm> required, List<Affinity.PreferredNodeTerm> preferred) {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    AddedAffinity {
        required = required == null ? null : List.copyOf(required);
        preferred = List.copyOf(preferred);
    }

    /** Reads the arguments of a profile, which have been validated. */
    static AddedAffinity of(JsonNode args) {
        JsonNode added = args.path("addedAffinity");
        @Nullable List<NodeSelectorTerm> required = null;
        if (added.path(REQUIRED).isObject()) {
            required = new ArrayList<>();
            for (JsonNode term : added.path(REQUIRED).path("nodeSelectorTerms")) {
                required.add(term(term));
            }
        }
        List<Affinity.PreferredNodeTerm> preferred = new ArrayList<>();
        for (JsonNode term : added.path(PREFERRED)) {
            preferred.add(new Affinity.PreferredNodeTerm(term.path("weight").asInt(), term(term.path("preference"))));
        }
        return new AddedAffinity(required, preferred);
    }

    private static NodeSelectorTerm term(JsonNode term) {
        return new NodeSelectorTerm(
                requirements(term.path("matchExpressions")), requirements(term.path("matchFields")));
    }

    private static List<LabelRequirement> requirements(JsonNode list) {
        List<LabelRequirement> requirements = new ArrayList<>();
        for (JsonNode item : list) {
            List<String> values = new ArrayList<>();
            item.path("values").forEach(value -> values.add(value.asText()));
            requirements.add(LabelRequirement.ofNodeSelector(
                    item.path("key").asText(), item.path("operator").asText(), values));
        }
        return requirements;
    }
}
