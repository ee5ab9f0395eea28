package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings a document into the v1 form that v1.17 reads, the way releases took it that were less strict: keys in any case, the
 * last of several equal keys, fields that say nothing left out. What is most likely a slip stays a problem.
 */
final class LenientReading {
    private static final String RULE = "v1.Rule";
    private static final String EXTENDER = "v1.Extender";

    private final String file;
    private final List<PolicyWarning> warnings = new ArrayList<>();
    private final List<PolicyProblem> problems = new ArrayList<>();

    LenientReading(String file) {
        this.file = file;
    }

    /** What was taken that v1.17 refuses or never looks at, in file order. */
    List<PolicyWarning> warnings() {
        return warnings;
    }

    /** Keys that no release had but that come near to one, in file order. */
    List<PolicyProblem> problems() {
        return problems;
    }

    /** The document in the v1 form. */
    JsonNode policy(JsonNode document) {
        JsonNode read = value(document, PolicyShapes.V1, "", false);
        missingMeta(read);
        return read;
    }

    /** An empty document says nothing that needs a version. */
    private void missingMeta(JsonNode policy) {
        List<String> missing = new ArrayList<>(List.of("kind", "apiVersion"));
        policy.members().stream()
                .filter(member -> !member.value().text().isEmpty())
                .forEach(member -> missing.remove(member.key()));
        boolean anything = policy.members().stream()
                .anyMatch(
                        member -> !member.key().equals("kind") && !member.key().equals("apiVersion"));
        if (anything && missing.contains("apiVersion")) {
            warnings.add(
                    0,
                    new PolicyWarning(
                            PolicyWarning.FORM,
                            "without " + String.join(" and ", missing) + " it is read as kind: Policy, apiVersion: v1;"
                                    + " v1.17 asks for the version",
                            policy.position()));
        }
    }

    private JsonNode value(JsonNode node, TypeShape type, String path, boolean inExtender) {
        if (type.kind() == TypeShape.Kind.LIST && node.kind() == JsonNode.Kind.ARRAY) {
            List<JsonNode> items = node.items().stream()
                    .map(item -> value(item, type.elementType(), path + "[]", inExtender))
                    .toList();
            return new JsonNode(node.kind(), node.text(), List.of(), items, node.offset(), node.position());
        }
        if (type.kind() == TypeShape.Kind.STRUCT && node.kind() == JsonNode.Kind.OBJECT) {
            return struct(node, type, path, inExtender || type.goName().equals(EXTENDER));
        }
        boolean duration = type.goName().equals(TypeShape.DURATION.goName());
        return duration && node.kind() == JsonNode.Kind.STRING ? nanoseconds(node, path) : node;
    }

    private JsonNode struct(JsonNode node, TypeShape type, String path, boolean inExtender) {
        Map<String, JsonNode.Member> members = new LinkedHashMap<>();
        for (JsonNode.Member member : node.members()) {
            TypeShape.Field field = field(member, type, path, inExtender);
            if (field == null) {
                continue;
            }
            String inner = path.isEmpty() ? field.key() : path + "." + field.key();
            JsonNode.Member earlier = members.put(
                    field.key(),
                    new JsonNode.Member(
                            field.key(), member.keyPosition(), value(member.value(), field.type(), inner, inExtender)));
            if (earlier != null) {
                warn(PolicyWarning.DUPLICATE_KEY, inner + " stands twice; the last one counts", member);
            }
        }
        return new JsonNode(
                node.kind(), node.text(), List.copyOf(members.values()), List.of(), node.offset(), node.position());
    }

    /** The field that a key stands for, null when it is left out. */
    private TypeShape.@Nullable Field field(JsonNode.Member member, TypeShape type, String path, boolean inExtender) {
        TypeShape.Field exact = type.field(member.key());
        if (exact != null) {
            return exact;
        }
        if (type.goName().equals(RULE)) {
            problems.add(unknown(member, type));
            return null;
        }
        for (TypeShape.Field candidate : type.fields()) {
            if (candidate.key().equalsIgnoreCase(member.key())) {
                // In extenders v1.17 takes any case, too.
                if (!inExtender) {
                    warn(PolicyWarning.FORM, member.key() + " is read as " + candidate.key(), member);
                }
                return candidate;
            }
        }
        Optional<HistoricName> historic =
                HistoricFields.find(path.isEmpty() ? member.key() : path + "." + member.key());
        if (historic.isPresent()) {
            warn(PolicyWarning.NAME_CHANGED, historic.get().describe(), member);
            List<String> today = historic.get().today();
            return today.isEmpty() ? null : type.field(today.get(0));
        }
        PolicyProblem problem = unknown(member, type);
        if (problem.suggestion() == null || inExtender) {
            String meant = problem.suggestion() == null ? "" : " (did you mean \"" + problem.suggestion() + "\"?)";
            warn(
                    PolicyWarning.LEFT_OUT,
                    "field " + member.key() + " is not one that any release had here; it is left out" + meant,
                    member);
        } else {
            problems.add(problem);
        }
        return null;
    }

    private PolicyProblem unknown(JsonNode.Member member, TypeShape type) {
        List<String> known = type.fields().stream().map(TypeShape.Field::key).toList();
        return PolicyProblem.at(
                        PolicyProblem.UNKNOWN_FIELD,
                        "found unknown field: " + member.key(),
                        file,
                        member.keyPosition(),
                        member.key())
                .suggesting(Suggestions.nearest(member.key(), known));
    }

    /** A duration as configurations have it since 1.19; another text stays and is refused by its type. */
    private JsonNode nanoseconds(JsonNode node, String path) {
        long nanoseconds;
        try {
            nanoseconds = GoDuration.parse(node.text()).toNanos();
        } catch (DateTimeException e) {
            return node;
        }
        warnings.add(new PolicyWarning(
                PolicyWarning.FORM,
                path + " \"" + node.text() + "\" is read as " + nanoseconds + " nanoseconds, the unit of policies",
                node.position()));
        return JsonNode.scalar(JsonNode.Kind.NUMBER, String.valueOf(nanoseconds), node.offset(), node.position());
    }

    private void warn(String code, String message, JsonNode.Member member) {
        warnings.add(new PolicyWarning(code, message, member.keyPosition()));
    }
}
