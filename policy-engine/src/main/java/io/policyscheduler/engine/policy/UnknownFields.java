package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds every unknown and every duplicate key of a document, where v1.17 names only the first. */
final class UnknownFields {
    private final String file;
    private final List<PolicyProblem> unknown = new ArrayList<>();
    private final List<PolicyProblem> duplicates = new ArrayList<>();

    UnknownFields(String file) {
        this.file = file;
    }

    static List<PolicyProblem> of(JsonNode document, TypeShape shape, String file) {
        UnknownFields finder = new UnknownFields(file);
        finder.findUnknown(document, shape);
        return finder.unknown;
    }

    /** Problems whose message is one line of go-yaml's strict mode, in its order. */
    static List<PolicyProblem> duplicates(JsonNode document, String file) {
        UnknownFields finder = new UnknownFields(file);
        finder.findDuplicates(document);
        return finder.duplicates;
    }

    private void findDuplicates(JsonNode node) {
        Set<String> seen = new LinkedHashSet<>();
        for (JsonNode.Member member : node.members()) {
            findDuplicates(member.value());
            if (!seen.add(member.key())) {
                duplicates.add(PolicyProblem.at(
                        PolicyProblem.DUPLICATE_KEY,
                        "line " + member.value().position().line() + ": key " + GoText.quote(member.key())
                                + " already set in map",
                        file,
                        member.keyPosition(),
                        member.key()));
            }
        }
        for (JsonNode item : node.items()) {
            findDuplicates(item);
        }
    }

    private void findUnknown(JsonNode node, TypeShape shape) {
        if (shape.kind() == TypeShape.Kind.LIST) {
            for (JsonNode item : node.items()) {
                findUnknown(item, shape.elementType());
            }
            return;
        }
        if (shape.kind() != TypeShape.Kind.STRUCT || shape.standardDecoding()) {
            return;
        }
        for (JsonNode.Member member : node.members()) {
            TypeShape.Field field = shape.field(member.key());
            if (field != null) {
                findUnknown(member.value(), field.type());
                continue;
            }
            List<String> known =
                    shape.fields().stream().map(TypeShape.Field::key).toList();
            unknown.add(PolicyProblem.at(
                            PolicyProblem.UNKNOWN_FIELD,
                            "found unknown field: " + member.key(),
                            file,
                            member.keyPosition(),
                            member.key())
                    .suggesting(Suggestions.nearest(member.key(), known)));
        }
    }
}
