package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentPlace;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentRules;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How one document becomes a configuration, in the words of {@code sigs.k8s.io/json}; {@code v1alpha1} is not strict. */
final class ConfigurationReading implements DocumentRules {
    private static final String STRICT = "strict decoding error: ";
    private static final BigDecimal SMALLEST_NANOS = BigDecimal.valueOf(1_000_000);

    private final String file;
    private final ConfigVersion version;
    private final ArgumentShapes arguments;
    private final Set<String> unknown = new HashSet<>();
    private final List<Problem> problems = new ArrayList<>();
    private final List<Warning> warnings = new ArrayList<>();
    private final DecodingMessage message = new DecodingMessage();

    /** Arguments of a plugin: the entry they are part of and what Kubernetes says before an error in them. */
    private record ArgumentsPlace(String entry, String plugin) {
        static @Nullable ArgumentsPlace around(DocumentPlace place) {
            DocumentPlace parent = place.parent();
            if (parent == null) {
                return null;
            }
            return isArguments(place)
                    ? new ArgumentsPlace(parent.path(), place.shape().goType().replaceFirst("Args$", ""))
                    : around(parent);
        }

        String prefix() {
            return "decoding ." + entry + ": decoding args for plugin " + plugin + ": ";
        }

        String strictPrefix() {
            return "decoding ." + entry + ": " + STRICT + "decoding args for plugin " + plugin + ": " + STRICT;
        }

        /** A path as seen from the arguments. */
        String inside(String path) {
            return path.substring(entry.length() + ".args.".length());
        }
    }

    ConfigurationReading(String file, ConfigVersion version) {
        this.file = file;
        this.version = version;
        this.arguments = ArgumentShapes.of(version);
    }

    /** Why the document is refused, in file order. */
    List<Problem> problems() {
        return problems;
    }

    /** The problems in the words of kube-scheduler; there must be one. */
    String message() {
        return message.text();
    }

    /** What the document says in vain, in file order. */
    List<Warning> warnings() {
        return warnings;
    }

    private static boolean isArguments(DocumentPlace place) {
        return place.field() != null && place.field().shape().kind() == Shape.Kind.ARGUMENTS;
    }

    @Override
    public Shape.@Nullable Field field(SourceNode.Member member, DocumentPlace object) {
        Shape shape = object.shape();
        Shape.Field field = shape.loose() ? shape.fieldInAnyCase(member.key()) : shape.field(member.key());
        if (field != null) {
            return field;
        }
        String path = object.pathOf(member.key());
        if (!unknown.add(path) && !shape.loose()) {
            duplicate(member, object, path);
        }
        String moved = object.path().isEmpty() ? ConfigurationShapes.MOVED.get(member.key()) : null;
        tell(
                ConfigurationProblemCode.UNKNOWN_FIELD,
                ConfigurationWarningCode.UNKNOWN_FIELD,
                "unknown field " + quoted(object, path),
                member,
                object,
                moved == null ? Suggestions.nearest(member.key(), shape.keys()) : moved);
        return null;
    }

    @Override
    public void again(SourceNode.Member member, Shape.Field field, DocumentPlace object) {
        if (!object.shape().loose()) {
            duplicate(member, object, object.pathOf(member.key()));
        }
    }

    private void duplicate(SourceNode.Member member, DocumentPlace object, String path) {
        tell(
                ConfigurationProblemCode.DUPLICATE_FIELD,
                ConfigurationWarningCode.DUPLICATE_FIELD,
                "duplicate field " + quoted(object, path),
                member,
                object,
                null);
    }

    private static String quoted(DocumentPlace object, String path) {
        ArgumentsPlace within = ArgumentsPlace.around(object);
        return GoText.quote(within == null ? path : within.inside(path));
    }

    private void tell(
            String problemCode,
            String warningCode,
            String what,
            SourceNode.Member member,
            DocumentPlace object,
            @Nullable String better) {
        if (version == ConfigVersion.V1ALPHA1 || object.shape().loose()) {
            String hint = better == null ? "" : " (did you mean \"" + better + "\"?)";
            warnings.add(new Warning(warningCode, what + hint, member.keyPosition()));
            return;
        }
        ArgumentsPlace within = ArgumentsPlace.around(object);
        String prefix = within == null ? "" : within.strictPrefix();
        message.strict(prefix, what);
        problem(problemCode, STRICT + prefix + what, member.keyPosition(), better);
    }

    @Override
    public Shape arguments(String plugin) {
        Shape shape = arguments.of(plugin);
        return shape == null ? Shape.ANY : shape;
    }

    @Override
    public void argumentsRead(ObjectNode args, SourceNode source, DocumentPlace place) {
        ArgumentsPlace within = ArgumentsPlace.around(place);
        String wanted = place.shape().goType();
        String kind = args.path("kind").asText("");
        String apiVersion = args.path("apiVersion").asText("");
        String group = apiVersion.contains("/") ? apiVersion.substring(0, apiVersion.indexOf('/')) : "";
        boolean otherKind = !kind.isEmpty() && !kind.equals(wanted);
        boolean otherGroup = !apiVersion.isEmpty() && !group.equals(ConfigVersion.GROUP);
        if (within != null && (otherKind || otherGroup)) {
            String found =
                    (kind.isEmpty() ? wanted : kind) + "." + (apiVersion.isEmpty() ? ConfigVersion.GROUP : group);
            SourcePosition position = source.members().stream()
                    .filter(member -> member.key().equals(otherKind ? "kind" : "apiVersion"))
                    .map(member -> member.value().position())
                    .reduce(source.position(), (earlier, later) -> later);
            refuse(
                    "decoding ." + within.entry() + ": args for plugin " + within.plugin() + " were not of type "
                            + wanted + "." + ConfigVersion.GROUP + ", got " + found,
                    true,
                    position,
                    otherKind ? wanted : arguments.apiVersion());
        }
        args.remove(List.of("kind", "apiVersion"));
    }

    @Override
    public void misfit(SourceNode value, DocumentPlace place) {
        ArgumentsPlace within = ArgumentsPlace.around(place);
        String prefix = within == null ? "" : within.prefix();
        boolean number = value.kind() == SourceNode.Kind.NUMBER;
        boolean text = value.kind() == SourceNode.Kind.STRING;
        Shape shape = place.shape();
        String message;
        String better = null;
        if (shape.kind() == Shape.Kind.DURATION) {
            message = text
                    ? durationError(value.text())
                    : "json: cannot unmarshal " + value.kind().goName() + " into " + target(place) + " of type string";
            better = number ? durationOf(value.text()) : null;
        } else if (shape.kind() == Shape.Kind.BYTES && text) {
            message = "illegal base64 data in " + place.path();
        } else {
            boolean integer = shape.kind() == Shape.Kind.INT32 || shape.kind() == Shape.Kind.INT64;
            String found = value.kind().goName() + (number && integer ? " " + value.text() : "");
            message = "json: cannot unmarshal " + found + " into " + target(place) + " of type " + shape.goType();
        }
        refuse(prefix + message, within != null, value.position(), better);
    }

    private void refuse(String what, boolean inArguments, SourcePosition position, @Nullable String better) {
        message.misfit(what, inArguments);
        problem(ConfigurationProblemCode.DECODE, what, position, better);
    }

    private static String durationError(String text) {
        try {
            GoDuration.parse(text);
            return "";
        } catch (DateTimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** A bare number is most likely nanoseconds if it is large, and seconds if it is small. */
    private static @Nullable String durationOf(String number) {
        try {
            BigDecimal value = new BigDecimal(number);
            return value.abs().compareTo(SMALLEST_NANOS) < 0
                    ? value.toPlainString() + "s"
                    : GoDuration.format(Duration.ofNanos(value.longValueExact()));
        } catch (ArithmeticException e) {
            return null;
        }
    }

    /** The keys that lead to a value from the document or the arguments, and the struct around it. */
    private static String target(DocumentPlace place) {
        String keys = "";
        String struct = "";
        DocumentPlace step = place;
        while (step.parent() != null && !isArguments(step)) {
            if (step.field() != null) {
                struct = struct.isEmpty() ? step.parent().shape().goType() : struct;
                keys = step.field().key() + (keys.isEmpty() ? "" : "." + keys);
            }
            step = step.parent();
        }
        return keys.isEmpty() ? "Go value" : "Go struct field " + struct + "." + keys;
    }

    private void problem(String code, String message, SourcePosition position, @Nullable String better) {
        problems.add(Problem.at(code, message, file, position).suggesting(better));
    }

    /**
     * What kube-scheduler says of a document that cannot be decoded: the first value that does not fit, those of arguments after all
     * others; where all values fit, every field that should not be there, in one strict error. Mirrors {@code codec.Decode} of
     * {@code apimachinery/pkg/runtime/serializer/versioning} and {@code DecodeNestedObjects} of the configuration.
     */
    private static final class DecodingMessage {
        private @Nullable String misfit;
        private @Nullable String misfitInArguments;
        /** What is said before the fields of one object, to what is said of them; those of the document itself first. */
        private final Map<String, Set<String>> strict = new LinkedHashMap<>(Map.of("", new LinkedHashSet<>()));

        /** A value that does not fit. */
        void misfit(String message, boolean inArguments) {
            if (inArguments) {
                misfitInArguments = misfitInArguments == null ? message : misfitInArguments;
            } else {
                misfit = misfit == null ? message : misfit;
            }
        }

        /** A field that is not known, or there twice. */
        void strict(String prefix, String what) {
            strict.computeIfAbsent(prefix, p -> new LinkedHashSet<>()).add(what);
        }

        /** The message; something must be wrong. */
        String text() {
            if (misfit != null) {
                return misfit;
            }
            if (misfitInArguments != null) {
                return misfitInArguments;
            }
            List<String> parts = new ArrayList<>();
            strict.forEach((prefix, fields) -> {
                if (!fields.isEmpty()) {
                    parts.add(prefix + String.join(", ", fields));
                }
            });
            return "strict decoding error: " + String.join(", ", parts);
        }
    }
}
