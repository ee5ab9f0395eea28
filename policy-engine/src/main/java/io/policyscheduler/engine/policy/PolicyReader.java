package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.rules.RuleDefinition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reads a Policy file, JSON or YAML, as any release from 1.0 to 1.22 took it, or strictly as v1.17 did: case-sensitive outside
 * of extenders and without a field that it does not know. A ConfigMap object that holds the file under the key {@code
 * policy.cfg} is taken too.
 *
 * <p>Mirrors {@code runtime.DecodeInto} with the serializers of the scheduler's scheme, which were strict in v1.17.
 */
public final class PolicyReader {
    private static final String GROUP = "kubescheduler.config.k8s.io";
    private static final String CONFIG_MAP_KEY = "policy.cfg";
    private static final String SCHEME = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30";
    private static final String META_STRUCT = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
            + " Kind string \"json:\\\"kind,omitempty\\\"\" }";
    private static final String META_ERROR = "couldn't get version/kind; json parse error: ";

    /** A text on its way to a Policy; {@code json} is the text itself, or what YAML was converted to. */
    private record Source(
            String text, String file, JsonNode document, String json, PositionMap positions, boolean more) {}

    /** kind and apiVersion, with the position to blame. */
    private record Meta(String kind, String apiVersion, SourcePosition position) {}

    private final boolean strict;

    /** A reader that takes what any release took. */
    public PolicyReader() {
        this(false);
    }

    /** @param strictV117 refuse what v1.17 refuses */
    public PolicyReader(boolean strictV117) {
        this.strict = strictV117;
    }

    /**
     * Reads a Policy.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws PolicyException if no release would take the text, or in strict mode if v1.17 would not
     */
    public Policy read(String text, String file) throws PolicyException {
        try {
            return read(text, file, strict);
        } catch (PolicyException e) {
            if (strict) {
                throw e;
            }
            throw new PolicyException(v117Message(text, file).orElse(e.v117Message()), e.problems());
        }
    }

    private static Optional<String> v117Message(String text, String file) {
        try {
            read(text, file, true);
            return Optional.empty();
        } catch (PolicyException e) {
            return Optional.of(e.v117Message());
        }
    }

    private static Policy read(String text, String file, boolean strict) throws PolicyException {
        try {
            Source source = parse(text, file);
            Meta meta = meta(source.document());
            if (meta.kind().equals("ConfigMap") && meta.apiVersion().equals("v1")) {
                return read(configMapValue(source), file + "[" + CONFIG_MAP_KEY + "]", strict);
            }
            TypeShape shape = shape(meta, file);
            return strict ? decode(source, strict(source, shape), List.of()) : lenient(source);
        } catch (DocumentException e) {
            throw refuse(e.text(), PolicyProblem.at(PolicyProblem.DECODE, e.text(), file, e.position(), ""));
        }
    }

    /**
     * Reads a library of rules: a document with a list {@code rules}, as a Policy may have it.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws PolicyException when the text is no such document
     */
    public List<RuleDefinition> readRules(String text, String file) throws PolicyException {
        try {
            Source source = parse(text, file);
            return new PolicyAssembler(file).rules(strict(source, PolicyShapes.LIBRARY));
        } catch (DocumentException e) {
            throw refuse(e.text(), PolicyProblem.at(PolicyProblem.DECODE, e.text(), file, e.position(), ""));
        }
    }

    private static Source parse(String text, String file) throws DocumentException {
        if (text.stripLeading().startsWith("{")) {
            byte[] json = text.getBytes(StandardCharsets.UTF_8);
            PositionMap positions = PositionMap.ofText(json);
            try {
                return new Source(text, file, GoJsonParser.parse(json, positions), text, positions, false);
            } catch (DocumentException e) {
                throw new DocumentException(META_ERROR + e.text(), e.position());
            }
        }
        YamlDocument yaml = YamlDocument.parse(text);
        JsonText json = new JsonText(yaml.root());
        return new Source(text, file, yaml.root(), json.text(), json, yaml.moreDocuments());
    }

    /** Keys match in any case here and the last one counts, as Go's encoding/json does it. */
    private static Meta meta(JsonNode document) throws DocumentException {
        if (document.kind() != JsonNode.Kind.OBJECT && document.kind() != JsonNode.Kind.NULL) {
            throw new DocumentException(
                    META_ERROR + "json: cannot unmarshal " + document.kind().goName + " into Go value of type "
                            + META_STRUCT,
                    document.position());
        }
        String kind = "";
        String apiVersion = "";
        SourcePosition position = document.position();
        for (JsonNode.Member member : document.members()) {
            String key = member.key().toLowerCase(Locale.ROOT);
            JsonNode value = member.value();
            boolean wanted = key.equals("kind") || key.equals("apiversion");
            if (!wanted || value.kind() == JsonNode.Kind.NULL) {
                continue;
            }
            if (value.kind() != JsonNode.Kind.STRING) {
                String field = key.equals("kind") ? "kind" : "apiVersion";
                throw new DocumentException(
                        META_ERROR + "json: cannot unmarshal " + value.kind().goName + " into Go struct field ." + field
                                + " of type string",
                        value.position());
            }
            if (key.equals("kind")) {
                kind = value.text();
            } else {
                apiVersion = value.text();
            }
            position = value.position();
        }
        return new Meta(kind, apiVersion, position);
    }

    private static String configMapValue(Source source) throws PolicyException {
        for (JsonNode.Member member : source.document().members()) {
            if (!member.key().equals("data")) {
                continue;
            }
            for (JsonNode.Member entry : member.value().members()) {
                if (entry.key().equals(CONFIG_MAP_KEY) && entry.value().kind() == JsonNode.Kind.STRING) {
                    return entry.value().text();
                }
            }
        }
        String message = "missing policy config map value at key " + GoText.quote(CONFIG_MAP_KEY);
        SourcePosition position = source.document().position();
        throw new PolicyException(
                message, List.of(PolicyProblem.at(PolicyProblem.DECODE, message, source.file(), position, "")));
    }

    /** Finds the type that kind and apiVersion stand for; missing parts are those of the internal type. */
    private static TypeShape shape(Meta meta, String file) throws DocumentException, PolicyException {
        String apiVersion = meta.apiVersion().equals("/") ? "" : meta.apiVersion();
        String[] parts = apiVersion.split("/", -1);
        if (parts.length > 2) {
            throw new DocumentException("unexpected GroupVersion string: " + apiVersion, meta.position());
        }
        String group = parts.length == 2 ? parts[0] : "";
        String version = parts[parts.length - 1];
        String kind = meta.kind().isEmpty() ? "Policy" : meta.kind();
        boolean ourGroup = group.isEmpty() || group.equals(GROUP);
        if (version.isEmpty() && ourGroup) {
            version = "__internal";
            group = GROUP;
        }
        if (kind.equals("Policy") && ourGroup && version.equals("v1")) {
            return PolicyShapes.V1;
        }
        if (kind.equals("Policy") && ourGroup && version.equals("__internal")) {
            return PolicyShapes.INTERNAL;
        }
        String message;
        if (kind.equals("KubeSchedulerConfiguration") && group.equals(GROUP) && version.equals("v1alpha1")) {
            message = "converting (v1alpha1.KubeSchedulerConfiguration) to (config.Policy): Predicates not present in"
                    + " src";
        } else {
            String groupVersion = group.isEmpty() ? version : group + "/" + version;
            message = "no kind " + GoText.quote(kind) + " is registered for version " + GoText.quote(groupVersion)
                    + " in scheme " + GoText.quote(SCHEME);
        }
        PolicyProblem problem =
                PolicyProblem.at(PolicyProblem.KIND, message, file, meta.position(), kind + " " + apiVersion);
        throw refuse(message, problem.suggesting("kind: Policy, apiVersion: v1"));
    }

    private static Policy lenient(Source source) throws DocumentException, PolicyException {
        LenientReading reading = new LenientReading(source.file());
        JsonText json = new JsonText(reading.policy(source.document()));
        if (!reading.problems().isEmpty()) {
            throw refuseStrict(source, reading.problems().get(0).message(), reading.problems());
        }
        RawObject raw = ShapeDecoder.decode(json.text(), PolicyShapes.V1, json, false);
        return decode(source, raw, reading.warnings());
    }

    private static Policy decode(Source source, RawObject raw, List<PolicyWarning> noticed) {
        List<PolicyWarning> warnings = new ArrayList<>(noticed);
        if (source.more()) {
            warnings.add(new PolicyWarning(
                    PolicyWarning.MORE_DOCUMENTS,
                    "only the first YAML document is read, the others are ignored",
                    SourcePosition.UNKNOWN));
        }
        return new PolicyAssembler(source.file()).policy(raw, warnings);
    }

    /** Decodes a document and refuses duplicate and unknown keys. */
    private static RawObject strict(Source source, TypeShape shape) throws DocumentException, PolicyException {
        RawObject raw = ShapeDecoder.decode(source.json(), shape, source.positions(), false);
        List<PolicyProblem> duplicates = UnknownFields.duplicates(source.document(), source.file());
        if (!duplicates.isEmpty()) {
            String lines =
                    duplicates.stream().map(problem -> "  " + problem.message()).collect(Collectors.joining("\n"));
            throw refuseStrict(source, "yaml: unmarshal errors:\n" + lines, duplicates);
        }
        JsonText sorted = new JsonText(source.document());
        try {
            ShapeDecoder.decode(sorted.text(), shape, sorted, true);
        } catch (DocumentException e) {
            throw refuseStrict(source, e.text(), unknownFields(source, shape, e));
        }
        return raw;
    }

    private static List<PolicyProblem> unknownFields(Source source, TypeShape shape, DocumentException cause) {
        List<PolicyProblem> unknown = UnknownFields.of(source.document(), shape, source.file());
        if (unknown.isEmpty()) {
            return List.of(PolicyProblem.at(PolicyProblem.DECODE, cause.text(), source.file(), cause.position(), ""));
        }
        if (!shape.equals(PolicyShapes.INTERNAL)) {
            return unknown;
        }
        // Without apiVersion the keys are the Go names, which nobody means.
        return unknown.stream()
                .map(problem -> PolicyShapes.V1.field(problem.value()) == null
                        ? problem
                        : problem.suggesting("apiVersion: v1\" beside \"" + problem.value()))
                .toList();
    }

    private static PolicyException refuseStrict(Source source, String message, List<PolicyProblem> problems) {
        return new PolicyException(
                "invalid policy: strict decoder error for " + source.text() + ": " + message, problems);
    }

    private static PolicyException refuse(String message, PolicyProblem problem) {
        return new PolicyException("invalid policy: " + message, List.of(problem));
    }
}
