package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.DocumentPlace;
import io.policyscheduler.engine.document.DocumentRules;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.historic.HistoricFields;
import io.policyscheduler.engine.policy.historic.HistoricName;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How one document becomes a policy, strictly as v1.17 took it or in the way of releases that were less strict: keys in any
 * case, the last of several equal keys, fields that say nothing left out. What is most likely a slip stays a problem. What
 * v1.17 says about the document comes out of the same pass.
 */
final class PolicyReading implements DocumentRules {
    private final String text;
    private final String file;
    private final boolean strict;
    private final boolean internal;
    private final V117Words words;

    private final List<Warning> warnings = new ArrayList<>();
    private final List<Problem> slips = new ArrayList<>();
    private final List<Problem> misfits = new ArrayList<>();
    private boolean saysAnything;

    private final List<Problem> strictMisfits = new ArrayList<>();
    private final List<Problem> strictUnknown = new ArrayList<>();
    /** By the place in a document with sorted keys, which is the order in which v1.17 meets them. */
    private final TreeMap<String, String> strictUnknownTexts = new TreeMap<>();

    private final Set<String> unseenByV117 = new HashSet<>();

    /**
     * @param strict refuse what v1.17 refuses
     * @param internal the document has no apiVersion, so that v1.17 wants the names of Go fields for keys
     */
    PolicyReading(String text, String file, boolean strict, boolean internal) {
        this.text = text;
        this.file = file;
        this.strict = strict;
        this.internal = internal;
        this.words = new V117Words(internal);
    }

    /** What was taken that v1.17 refuses or never looks at, in file order. */
    List<Warning> warnings() {
        return warnings;
    }

    /** Whether the document has any field beside kind and apiVersion. */
    boolean saysAnything() {
        return saysAnything;
    }

    /** Throws what is wrong with the document. */
    void check(SourceNode document) throws PolicyException {
        PolicyException v117 = refusalOfV117(document);
        if (strict && v117 != null) {
            throw v117;
        }
        List<Problem> problems = slips.isEmpty() ? misfits : slips;
        if (!strict && !problems.isEmpty()) {
            String message = v117 == null ? "invalid policy: " + problems.get(0).message() : v117.v117Message();
            throw new PolicyException(message, problems);
        }
    }

    private @Nullable PolicyException refusalOfV117(SourceNode document) {
        if (!strictMisfits.isEmpty()) {
            // The message for users goes on with the place.
            String message = strictMisfits.get(0).message();
            return new PolicyException(
                    "invalid policy: " + message.substring(0, message.lastIndexOf("; ")), strictMisfits);
        }
        List<Problem> duplicates = new ArrayList<>();
        findDuplicates(document, duplicates);
        if (!duplicates.isEmpty()) {
            String lines =
                    duplicates.stream().map(problem -> "  " + problem.message()).collect(Collectors.joining("\n"));
            return refusal("yaml: unmarshal errors:\n" + lines, duplicates);
        }
        return strictUnknown.isEmpty()
                ? null
                : refusal(strictUnknownTexts.firstEntry().getValue(), strictUnknown);
    }

    private PolicyException refusal(String message, List<Problem> problems) {
        return new PolicyException("invalid policy: strict decoder error for " + text + ": " + message, problems);
    }

    /** Problems whose message is one line of go-yaml's strict mode, in its order. */
    private void findDuplicates(SourceNode node, List<Problem> duplicates) {
        Set<String> seen = new HashSet<>();
        for (SourceNode.Member member : node.members()) {
            findDuplicates(member.value(), duplicates);
            if (!seen.add(member.key())) {
                duplicates.add(Problem.at(
                        PolicyProblemCode.DUPLICATE_KEY,
                        "line " + member.value().position().line() + ": key " + GoText.quote(member.key())
                                + " already set in map",
                        file,
                        member.keyPosition(),
                        member.key()));
            }
        }
        node.items().forEach(item -> findDuplicates(item, duplicates));
    }

    @Override
    public Shape.@Nullable Field field(SourceNode.Member member, DocumentPlace object) {
        Shape.Field ofV117 = fieldOfV117(member, object);
        Shape.Field field = strict || ofV117 != null ? ofV117 : fieldOfAnyRelease(member, object);
        if (field != null && ofV117 == null) {
            unseenByV117.add(object.child(field).path());
        }
        if (field != null && object.parent() == null && !field.goName().startsWith(PolicyShapes.TYPE_META)) {
            saysAnything = true;
        }
        return field;
    }

    private Shape.@Nullable Field fieldOfV117(SourceNode.Member member, DocumentPlace object) {
        Shape shape = object.shape();
        if (shape.loose() && !internal) {
            return shape.fieldInAnyCase(member.key());
        }
        Shape.Field found = shape.fields().stream()
                .filter(field -> keyInV117(field).equals(member.key()))
                .findFirst()
                .orElse(null);
        if (found == null && seenByV117(object)) {
            Problem problem =
                    unknown(member, shape.fields().stream().map(this::keyInV117).toList());
            // Without apiVersion the keys are the Go names, which nobody means.
            boolean ofV1 = internal && PolicyShapes.POLICY.field(member.key()) != null;
            strictUnknown.add(ofV1 ? problem.suggesting("apiVersion: v1\" beside \"" + member.key()) : problem);
            strictUnknownTexts.put(sorted(object.pathOf(member.key())), words.unknown(object, member.key()));
        }
        return found;
    }

    private String keyInV117(Shape.Field field) {
        return internal && !field.goName().startsWith(PolicyShapes.TYPE_META) ? field.goName() : field.key();
    }

    private boolean seenByV117(DocumentPlace place) {
        for (DocumentPlace around = place; around != null; around = around.parent()) {
            if (unseenByV117.contains(around.path())) {
                return false;
            }
        }
        return true;
    }

    /** Items in the order of their numbers. */
    private static String sorted(String path) {
        return path.replaceAll("\\[(\\d)\\]", "[0$1]").replaceAll("\\[(\\d\\d)\\]", "[0$1]");
    }

    /** The field that a key stood for in any release, null when it is left out. */
    private Shape.@Nullable Field fieldOfAnyRelease(SourceNode.Member member, DocumentPlace object) {
        Shape shape = object.shape();
        Shape.Field exact = shape.field(member.key());
        if (exact != null) {
            return exact;
        }
        if (shape.goType().equals(PolicyShapes.RULE.goType())) {
            slips.add(unknown(member, shape.keys()));
            return null;
        }
        Shape.Field near = shape.fieldInAnyCase(member.key());
        if (near != null) {
            if (!shape.loose()) {
                warn(PolicyWarningCode.FORM, member.key() + " is read as " + near.key(), member.keyPosition());
            }
            return near;
        }
        Optional<HistoricName> historic = HistoricFields.find(general(object.pathOf(member.key())));
        if (historic.isPresent()) {
            warn(PolicyWarningCode.NAME_CHANGED, historic.get().describe(), member.keyPosition());
            List<String> successors = historic.get().successors();
            return successors.isEmpty() ? null : shape.field(successors.get(0));
        }
        Problem problem = unknown(member, shape.keys());
        if (problem.suggestion() == null || shape.loose()) {
            String meant = problem.suggestion() == null ? "" : " (did you mean \"" + problem.suggestion() + "\"?)";
            warn(
                    PolicyWarningCode.LEFT_OUT,
                    "field " + member.key() + " does not exist here in any release; it is ignored" + meant,
                    member.keyPosition());
        } else {
            slips.add(problem);
        }
        return null;
    }

    private Problem unknown(SourceNode.Member member, List<String> known) {
        return Problem.at(
                        PolicyProblemCode.UNKNOWN_FIELD,
                        "found unknown field: " + member.key(),
                        file,
                        member.keyPosition(),
                        member.key())
                .suggesting(Suggestions.nearest(member.key(), known));
    }

    @Override
    public void again(SourceNode.Member member, Shape.Field field, DocumentPlace object) {
        warn(
                PolicyWarningCode.DUPLICATE_KEY,
                general(object.pathOf(field.key())) + " is set twice; the last value applies",
                member.keyPosition());
    }

    /** A duration as configurations have it since 1.19; another text stays and is refused by its type. */
    @Override
    public SourceNode value(SourceNode value, DocumentPlace place) {
        boolean duration = place.shape().equals(Shape.NANOSECONDS) && value.kind() == SourceNode.Kind.STRING;
        if (!duration || strict) {
            return value;
        }
        long nanoseconds;
        try {
            nanoseconds = GoDuration.parse(value.text()).toNanos();
        } catch (DateTimeException e) {
            return value;
        }
        if (seenByV117(place)) {
            strictMisfits.add(v117Problem(value, place));
        }
        warn(
                PolicyWarningCode.FORM,
                general(place.path()) + " \"" + value.text() + "\" is read as " + nanoseconds
                        + " nanoseconds, the unit of policies",
                value.position());
        return SourceNode.scalar(SourceNode.Kind.NUMBER, String.valueOf(nanoseconds), value.position());
    }

    @Override
    public void misfit(SourceNode value, DocumentPlace place) {
        misfits.add(Problem.at(
                PolicyProblemCode.DECODE, requirement(place) + ", found " + found(value), file, value.position(), ""));
        if (seenByV117(place)) {
            strictMisfits.add(v117Problem(value, place));
        }
    }

    /** The problem in the words of v1.17. */
    private Problem v117Problem(SourceNode value, DocumentPlace place) {
        String message = words.misfit(value, place) + "; " + requirement(place);
        return Problem.at(PolicyProblemCode.DECODE, message, file, value.position(), "");
    }

    private static String requirement(DocumentPlace place) {
        String required = switch (place.shape().kind()) {
            case LIST -> "a list";
            case OBJECT -> "an object";
            case BOOL -> "true or false";
            case INT32, INT64 -> "an integer of " + (place.shape().kind() == Shape.Kind.INT32 ? 32 : 64) + " bits";
            case BYTES -> "a string in base64";
            default -> "a string";
        };
        return (place.path().isEmpty() ? "a policy" : place.path()) + " must be " + required;
    }

    private static String found(SourceNode value) {
        return switch (value.kind()) {
            case OBJECT -> "an object";
            case ARRAY -> "a list";
            case STRING -> GoText.quote(value.text());
            case NUMBER, BOOL, NULL -> value.text();
        };
    }

    private static String general(String path) {
        return path.replaceAll("\\[\\d+\\]", "[]");
    }

    private void warn(String code, String message, SourcePosition position) {
        warnings.add(new Warning(code, message, position));
    }
}
