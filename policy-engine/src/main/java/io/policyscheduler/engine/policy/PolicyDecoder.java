package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentPlace;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentRules;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.TypeMeta;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricFields;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import io.policyscheduler.engine.policy.PolicyReader.PolicyShapes;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The decoding rules of a policy document, strict as in v1.17 or lenient as in the releases that accept more: case-insensitive
 * keys, the last of duplicate keys, ignored fields without effect. Likely typos remain problems. The same pass computes the message
 * of v1.17 for the document.
 */
final class PolicyDecoder implements DocumentRules {
    private final String text;
    private final String file;
    private final boolean strict;
    private final boolean internal;
    private final V117Messages messages;

    private final List<Warning> warnings = new ArrayList<>();
    private final List<Problem> slips = new ArrayList<>();
    private final List<Problem> misfits = new ArrayList<>();
    private boolean hasFields;

    private final List<Problem> strictMisfits = new ArrayList<>();
    private final List<Problem> strictUnknown = new ArrayList<>();
    /** By path with sorted keys, which is the order in which v1.17 visits them. */
    private final TreeMap<String, String> strictUnknownTexts = new TreeMap<>();

    private final Set<String> unseenByV117 = new HashSet<>();

    /**
     * @param strict whether to reject what v1.17 rejects
     * @param internal whether the document has no apiVersion, so that v1.17 expects the names of Go fields as keys
     */
    PolicyDecoder(String text, String file, boolean strict, boolean internal) {
        this.text = text;
        this.file = file;
        this.strict = strict;
        this.internal = internal;
        this.messages = new V117Messages(internal);
    }

    /** Warnings about content that v1.17 rejects or ignores, in file order. */
    List<Warning> warnings() {
        return warnings;
    }

    /** Whether the document has any field other than kind and apiVersion. */
    boolean hasFields() {
        return hasFields;
    }

    /** Whether {@link #check} fails. */
    boolean hasProblems() {
        return !slips.isEmpty() || !misfits.isEmpty();
    }

    static boolean hasKind(SourceNode root) {
        return root.members().stream().anyMatch(member -> member.key().equalsIgnoreCase("kind"));
    }

    /** Throws the problems of the document. */
    void check(SourceNode document) throws PolicyException {
        PolicyException v117 = rejectionOfV117(document);
        if (strict && v117 != null) {
            throw v117;
        }
        List<Problem> problems = slips.isEmpty() ? misfits : slips;
        if (!strict && !problems.isEmpty()) {
            String message = v117 == null ? "invalid policy: " + problems.get(0).message() : v117.v117Message();
            throw new PolicyException(message, problems);
        }
    }

    private @Nullable PolicyException rejectionOfV117(SourceNode document) {
        if (!strictMisfits.isEmpty()) {
            // The message for users continues with the position.
            String message = strictMisfits.get(0).message();
            return new PolicyException(
                    "invalid policy: " + message.substring(0, message.lastIndexOf("; ")), strictMisfits);
        }
        List<Problem> duplicates = new ArrayList<>();
        findDuplicates(document, duplicates);
        if (!duplicates.isEmpty()) {
            String lines =
                    duplicates.stream().map(problem -> "  " + problem.message()).collect(Collectors.joining("\n"));
            return error("yaml: unmarshal errors:\n" + lines, duplicates);
        }
        return strictUnknown.isEmpty()
                ? null
                : error(strictUnknownTexts.firstEntry().getValue(), strictUnknown);
    }

    private PolicyException error(String message, List<Problem> problems) {
        return new PolicyException("invalid policy: strict decoder error for " + text + ": " + message, problems);
    }

    /** Problems that are one line of the message of go-yaml's strict mode, in its order. */
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
        if (strict && field == null && object.shape().loose() && !internal) {
            warnIgnored(member, unknown(member, object.shape().keys()));
        }
        if (field != null && object.parent() == null && !field.goName().startsWith(PolicyShapes.TYPE_META)) {
            hasFields = true;
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
            // Without apiVersion the keys are the Go names, which is never intended.
            boolean ofV1 = internal && PolicyShapes.POLICY.field(member.key()) != null;
            strictUnknown.add(ofV1 ? problem.suggesting("apiVersion: v1\" next to \"" + member.key()) : problem);
            strictUnknownTexts.put(sorted(object.pathOf(member.key())), messages.unknown(object, member.key()));
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

    /** A path that sorts items by index. */
    private static String sorted(String path) {
        return path.replaceAll("\\[(\\d)\\]", "[0$1]").replaceAll("\\[(\\d\\d)\\]", "[0$1]");
    }

    /** The field of a key in any release, null if the key is ignored. */
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
        if (shape.goType().equals("ResourceSpec") && member.key().equalsIgnoreCase("resource")) {
            // The proposal of the argument had this key.
            problem = problem.suggesting("name");
        }
        if (member.key().matches(".*[\\p{Zs}\\p{Pi}\\p{Pf}\\p{Cf}&&[^ ]].*")) {
            // In YAML, no-break spaces and typographic quotes from a web page or an editor are part of the key.
            slips.add(Problem.at(
                            PolicyProblemCode.UNKNOWN_FIELD,
                            "found unknown field: " + escaped(member.key())
                                    + "; replace no-break spaces and typographic quotes with ASCII characters",
                            file,
                            member.keyPosition(),
                            member.key())
                    .suggesting(Suggestions.nearest(member.key().replaceAll("[^\\w.]", ""), shape.keys())));
            return null;
        }
        // 1.17 ignores all unknown keys of extenders, so only likely typos are rejected.
        if (problem.suggestion() == null
                || (shape.loose() && !Suggestions.isTypo(member.key(), problem.suggestion()))) {
            warnIgnored(member, problem);
        } else {
            slips.add(problem);
        }
        return null;
    }

    private void warnIgnored(SourceNode.Member member, Problem problem) {
        String meant = problem.suggestion() == null ? "" : " (did you mean \"" + problem.suggestion() + "\"?)";
        warn(
                PolicyWarningCode.LEFT_OUT,
                "field " + member.key() + " does not exist here in any release; it is ignored" + meant,
                member.keyPosition());
    }

    private static String escaped(String key) {
        StringBuilder text = new StringBuilder("\"");
        key.chars().forEach(c -> text.append(c > 126 ? String.format("\\u%04x", c) : String.valueOf((char) c)));
        return text.append('"').toString();
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

    /** Converts a duration string, which configurations have since 1.19; another string remains and fails by its type. */
    @Override
    public SourceNode value(SourceNode value, DocumentPlace place) {
        boolean text = value.kind() == SourceNode.Kind.STRING && !strict;
        Shape.Kind kind = place.shape().kind();
        boolean integer = kind == Shape.Kind.INT32 || kind == Shape.Kind.INT64;
        if (text && integer && value.text().matches("-?[0-9]{1,18}")) {
            if (seenByV117(place)) {
                strictMisfits.add(v117Problem(value, place));
            }
            warn(
                    PolicyWarningCode.FORM,
                    general(place.path()) + " \"" + value.text() + "\" is read as a number; releases before 1.8 accept"
                            + " numbers in quotes",
                    value.position());
            return SourceNode.scalar(SourceNode.Kind.NUMBER, value.text(), value.position());
        }
        if (!text || !place.shape().equals(Shape.NANOSECONDS)) {
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
                PolicyProblemCode.DECODE,
                requirement(place) + ", found " + found(value) + TypeMeta.booleanHint(place.shape(), value),
                file,
                value.position(),
                ""));
        if (seenByV117(place)) {
            strictMisfits.add(v117Problem(value, place));
        }
    }

    /** The problem with the message of v1.17. */
    private Problem v117Problem(SourceNode value, DocumentPlace place) {
        String message = messages.misfit(value, place) + "; " + requirement(place);
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

    /**
     * The messages of v1.17 about values of another type: those of json-iterator in its case-sensitive configuration, and within
     * extenders those of encoding/json. Both end with an excerpt of the text, which is omitted here.
     */
    static final class V117Messages {
        private static final String NOT_A_DIGIT = "unexpected character: \ufffd";

        /** The package of the Go types, with a dot. */
        private final String goPackage;

        private final boolean internal;

        /**
         * @param internal whether the types are those of a file without apiVersion, whose extenders are not decoded by
         *     encoding/json
         */
        V117Messages(boolean internal) {
            this.goPackage = internal ? "config." : "v1.";
            this.internal = internal;
        }

        /** A key that v1.17 does not have. */
        String unknown(DocumentPlace object, String key) {
            return way(object, true) + name(object.shape()) + ".ReadObject: found unknown field: " + key;
        }

        /** A value, not null, that does not have its shape. */
        String misfit(SourceNode value, DocumentPlace place) {
            for (DocumentPlace around : placesTo(place)) {
                if (!internal && around.shape().loose()) {
                    return way(around, true) + "unmarshalerDecoder: " + standard(value, place, around);
                }
            }
            boolean integer =
                    place.shape().kind() == Shape.Kind.INT32 || place.shape().kind() == Shape.Kind.INT64;
            if (integer && value.text().matches("-?[0-9]+[eE].*") && value.kind() == SourceNode.Kind.NUMBER) {
                // The digits are a number, so the character after them is the error.
                int exponent = value.text().toLowerCase(java.util.Locale.ROOT).indexOf('e');
                return way(place, false) + "isObjectEnd: object ended prematurely, unexpected char "
                        + value.text().charAt(exponent);
            }
            return way(place, true) + iterator(value, place.shape());
        }

        /** The types and fields on the path to a value, as json-iterator prints them before an error. */
        private String way(DocumentPlace place, boolean withField) {
            StringBuilder way = new StringBuilder();
            for (DocumentPlace step : placesTo(place)) {
                Shape.Field field = step.field();
                DocumentPlace parent = step.parent();
                if (field != null && parent != null) {
                    way.append(name(parent.shape())).append('.');
                    if (step.equals(place) && !withField) {
                        return way.toString();
                    }
                    way.append(field.goName()).append(": ");
                }
                if (step.shape().kind() == Shape.Kind.LIST) {
                    way.append(name(step.shape())).append(": ");
                }
            }
            return way.toString();
        }

        private static Deque<DocumentPlace> placesTo(DocumentPlace place) {
            Deque<DocumentPlace> places = new ArrayDeque<>();
            for (DocumentPlace step = place; step != null; step = step.parent()) {
                places.addFirst(step);
            }
            return places;
        }

        private String name(Shape shape) {
            return switch (shape.kind()) {
                case LIST -> "[]" + name(shape.elementShape());
                case OBJECT -> goPackage + shape.goType();
                default -> shape.goType();
            };
        }

        /** The message of encoding/json, which starts at an extender and contains the innermost struct only. */
        private String standard(SourceNode value, DocumentPlace place, DocumentPlace extender) {
            Shape shape = place.shape();
            if (shape.kind() == Shape.Kind.BYTES && value.kind() == SourceNode.Kind.STRING) {
                return "illegal base64 data at input byte " + GoText.badBase64(value.text());
            }
            String number = value.kind() == SourceNode.Kind.NUMBER && shape.kind() == Shape.Kind.INT64
                    ? " " + value.text()
                    : "";
            DocumentPlace named = place;
            while (!named.equals(extender) && named.field() == null && named.parent() != null) {
                named = named.parent();
            }
            Shape.Field field = named.field();
            DocumentPlace struct = named.parent();
            String target = named.equals(extender) || field == null || struct == null
                    ? "Go value"
                    : "Go struct field " + struct.shape().goType() + "." + field.key();
            return "json: cannot unmarshal " + value.kind().goName() + number + " into " + target + " of type "
                    + name(shape);
        }

        private static String iterator(SourceNode value, Shape shape) {
            String found = switch (value.kind()) {
                case OBJECT -> "{";
                case ARRAY -> "[";
                case STRING -> "\"";
                default -> value.text().substring(0, 1);
            };
            return switch (shape.kind()) {
                case LIST -> "decode slice: expect [ or n, but found " + found;
                case OBJECT -> "readObjectStart: expect { or n, but found " + found;
                case BOOL -> "ReadBool: expect t or f, but found " + found;
                case INT32 -> integer(value, 32);
                case INT64 -> integer(value, 64);
                case BYTES ->
                    value.kind() == SourceNode.Kind.STRING
                            ? "base64Codec: illegal base64 data at input byte " + GoText.badBase64(value.text())
                            : "ReadString: expects \" or n, but found " + found;
                default -> "ReadString: expects \" or n, but found " + found;
            };
        }

        private static String integer(SourceNode value, int bits) {
            String operation = "readUint" + bits + ": ";
            if (value.kind() != SourceNode.Kind.NUMBER) {
                return operation + NOT_A_DIGIT;
            }
            String digits = value.text().replaceFirst("^-", "").replaceFirst("[^0-9].*", "");
            BigInteger number = new BigInteger(digits);
            if (number.bitLength() > bits) {
                return operation + "overflow";
            }
            return value.text().contains(".")
                    ? "assertInteger: can not decode float as int"
                    : "ReadInt" + bits + ": overflow: " + number;
        }
    }
}
