package io.policyscheduler.engine.policy;

import static io.policyscheduler.engine.document.ShapeDecoder.Shape.field;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.list;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.document.InputDocument.Content;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.ShapeDecoder;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.document.TypeMeta;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricFields;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Policy file, JSON or YAML, leniently as any release from 1.0 to 1.22 accepted it, or strictly as v1.17 did:
 * case-sensitive outside of extenders and without unknown fields. Finds a policy in a ConfigMap, a List, or one of several YAML
 * documents ({@link InputDocument}). Rejects an empty document, or one without a field of a policy.
 *
 * <p>Mirrors {@code runtime.DecodeInto} with the serializers of the scheduler's scheme, which were strict in v1.17.
 */
public final class PolicyReader {
    private static final String GROUP = "kubescheduler.config.k8s.io";
    private static final String REJECTED = "invalid policy: ";

    private final boolean strict;
    private final boolean emptyAllowed;

    /** A lenient reader. */
    public PolicyReader() {
        this(false);
    }

    /** @param strictV117 whether to reject what v1.17 rejects */
    public PolicyReader(boolean strictV117) {
        this(strictV117, strictV117);
    }

    private PolicyReader(boolean strictV117, boolean emptyAllowed) {
        this.strict = strictV117;
        this.emptyAllowed = emptyAllowed;
    }

    /** A copy that reads an empty text as DefaultProvider, as v1.17 did. */
    public PolicyReader allowingEmpty() {
        return new PolicyReader(strict, true);
    }

    /**
     * Reads a Policy.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws PolicyException if no release accepts the text, or in strict mode if v1.17 does not
     */
    public Policy read(String text, String file) throws PolicyException {
        try {
            SourceDocument document = parse(text);
            if (!strict) {
                InputDocument input = input(document, text, file);
                if (SourceDocument.isFlat(input.text())) {
                    throw error(Problem.at(
                            PolicyProblemCode.DECODE,
                            SourceDocument.FLAT,
                            input.origin(),
                            input.root().position()));
                }
                return read(document, input)
                        .withWarnings(unreadConfiguration(InputDocument.in(document, text, file)))
                        .withWarnings(undecoded(text));
            }
            TypeMeta meta = TypeMeta.of(document.root(), true);
            if (meta.kind().equals("ConfigMap") && meta.apiVersion().equals("v1")) {
                return read(configMapValue(document.root(), file), file + "[" + InputDocument.POLICY_KEY + "]");
            }
            return read(document, document.root(), text, file);
        } catch (DocumentException e) {
            throw undecodable(e, text, file);
        }
    }

    /** W037 for a configuration next to the policy, such as under another key of the ConfigMap. */
    private static List<Warning> unreadConfiguration(List<InputDocument> inputs) {
        return inputs.stream()
                .filter(input -> input.content() == Content.CONFIGURATION)
                .map(input -> new Warning(
                        PolicyWarningCode.CONFIGURATION_BESIDES,
                        "the KubeSchedulerConfiguration"
                                + (input.key().isEmpty() ? "" : " under " + input.key())
                                + " is not read together with the policy",
                        "pass it with --config (run) or as config:FILE",
                        input.key().isEmpty() ? input.root().position() : SourcePosition.UNKNOWN))
                .toList();
    }

    /** W038 for bytes that are not UTF-8, which Go replaces in JSON. */
    private static List<Warning> undecoded(String text) {
        return TextInput.hasUndecoded(text)
                ? List.of(new Warning(
                        PolicyWarningCode.NOT_UTF8,
                        "the file is not UTF-8; U+FFFD replaces other bytes, as in v1.17",
                        "save the file as UTF-8",
                        SourcePosition.UNKNOWN))
                : List.of();
    }

    /** The document of a file that is the policy. */
    private static InputDocument input(SourceDocument document, String text, String file) throws PolicyException {
        List<InputDocument> inputs = InputDocument.in(document, text, file);
        InputDocument only = inputs.size() == 1 ? inputs.get(0) : null;
        if (only != null && (only.key().isEmpty() || only.content() != Content.OTHER)) {
            return only;
        }
        return InputDocument.find(inputs, Content.POLICY)
                .orElseThrow(() -> error(Problem.at(
                        PolicyProblemCode.KIND,
                        InputDocument.whyNone(inputs, Content.POLICY),
                        file,
                        document.root().position())));
    }

    private Policy read(SourceDocument document, InputDocument input) throws PolicyException {
        try {
            if (input.error() != null) {
                // The text of a value of a ConfigMap, with its own positions.
                parse(input.text());
            }
            Policy policy = read(document, input.root(), input.text(), input.origin());
            if (input.key().isEmpty() || input.key().equals(InputDocument.POLICY_KEY)) {
                return policy;
            }
            return policy.withWarnings(List.of(new Warning(
                    PolicyWarningCode.OTHER_KEY,
                    "kube-scheduler reads only the key " + InputDocument.POLICY_KEY + " of a ConfigMap, not "
                            + input.key(),
                    "rename the key to " + InputDocument.POLICY_KEY,
                    SourcePosition.UNKNOWN)));
        } catch (DocumentException e) {
            throw undecodable(e, input.text(), input.origin());
        }
    }

    private Policy read(SourceDocument document, SourceNode root, String text, String file)
            throws PolicyException, DocumentException {
        if (!strict && root.kind() == SourceNode.Kind.ARRAY) {
            throw error(Problem.at(
                    PolicyProblemCode.DECODE,
                    "a policy must be an object, found " + InputDocument.describe(root)
                            + SourceDocument.hint(text, "", root.position()),
                    file,
                    root.position()));
        }
        TypeMeta meta = TypeMeta.of(root, true);
        PolicyDecoder reading = new PolicyDecoder(text, file, strict, isInternal(meta, root, file));
        DecodedObject policy = ShapeDecoder.decode(root, PolicyShapes.POLICY, reading);
        if (!emptyAllowed) {
            requireContent(root, reading, file);
        }
        reading.check(root);
        return new PolicyAssembler(file)
                .policy(policy, tables(root, file), warnings(root, document.moreDocuments(), reading, policy));
    }

    /** Rejects a document without scheduling content: kube-scheduler up to 1.16 used DefaultProvider for it. */
    private void requireContent(SourceNode root, PolicyDecoder reading, String file) throws PolicyException {
        if (root.members().isEmpty()) {
            throw error(Problem.at(
                    PolicyProblemCode.NO_CONTENT,
                    "the policy is empty; for the predicates and priorities of DefaultProvider, write kind: Policy"
                            + " and apiVersion: v1, or use --provider DefaultProvider (run: --algorithm-provider)",
                    file,
                    SourcePosition.UNKNOWN));
        }
        SourceNode.Member first = root.members().stream()
                .filter(member -> HistoricFields.find(member.key()).isEmpty())
                .findFirst()
                .orElse(null);
        boolean onlyKind = first == null && PolicyDecoder.hasKind(root);
        boolean library = !PolicyDecoder.hasKind(root) && !InputDocument.hasPolicyKey(root) && reading.hasFields();
        if (onlyKind || (reading.hasFields() && !library) || reading.hasProblems()) {
            return;
        }
        throw error(Problem.at(
                PolicyProblemCode.NO_CONTENT,
                (library ? "no predicates, priorities, or extenders: " : "no field of a policy: ")
                        + InputDocument.describeFields(root),
                file,
                first == null ? root.position() : first.keyPosition(),
                first == null ? "" : first.key()));
    }

    /**
     * Reads a rule library: a document with a list {@code rules} and an object {@code tables}, as in a Policy.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws PolicyException if the text is not such a document
     */
    public RuleLibrary readLibrary(String text, String file) throws PolicyException {
        try {
            SourceDocument document = parse(text);
            PolicyDecoder reading = new PolicyDecoder(text, file, true, false);
            DecodedObject library = ShapeDecoder.decode(document.root(), PolicyShapes.LIBRARY, reading);
            reading.check(document.root());
            return new RuleLibrary(new PolicyAssembler(file).rules(library), tables(document.root(), file));
        } catch (DocumentException e) {
            throw error(Problem.at(PolicyProblemCode.DECODE, e.plainText(), file, e.position()));
        }
    }

    private static Map<String, TableDefinition> tables(SourceNode document, String file) throws PolicyException {
        TableDeclarations.Declarations found = TableDeclarations.of(document, file);
        if (!found.problems().isEmpty()) {
            throw new PolicyException(found.problems().get(0).message(), found.problems());
        }
        return found.tables();
    }

    private static SourceDocument parse(String text) throws DocumentException {
        try {
            return SourceDocument.parse(text);
        } catch (DocumentException e) {
            throw SourceDocument.isJson(text)
                    ? new DocumentException(TypeMeta.ERROR + e.text(), "invalid JSON: " + e.text(), e.position())
                    : e;
        }
    }

    /** The error of a malformed text. JSON has no comments, but many files have some. */
    private PolicyException undecodable(DocumentException e, String text, String file) {
        String hint = SourceDocument.hint(text, e);
        return new PolicyException(
                REJECTED + e.text(),
                List.of(Problem.at(
                        PolicyProblemCode.DECODE, (strict ? e.text() : e.plainText()) + hint, file, e.position())));
    }

    private static String configMapValue(SourceNode configMap, String file) throws PolicyException {
        for (SourceNode.Member member : configMap.members()) {
            if (!member.key().equals("data")) {
                continue;
            }
            for (SourceNode.Member entry : member.value().members()) {
                if (entry.key().equals(InputDocument.POLICY_KEY)
                        && entry.value().kind() == SourceNode.Kind.STRING) {
                    return entry.value().text();
                }
            }
        }
        String message = "missing policy config map value at key " + GoText.quote(InputDocument.POLICY_KEY);
        throw new PolicyException(
                message, List.of(Problem.at(PolicyProblemCode.DECODE, message, file, configMap.position())));
    }

    /** Whether kind and apiVersion select the internal type, as missing ones do; else they select v1. */
    private boolean isInternal(TypeMeta meta, SourceNode root, String file) throws DocumentException, PolicyException {
        String apiVersion = meta.apiVersion().equals("/") ? "" : meta.apiVersion();
        String[] parts = apiVersion.split("/", -1);
        if (parts.length > 2) {
            throw new DocumentException(
                    "unexpected GroupVersion string: " + apiVersion,
                    "apiVersion " + GoText.quote(apiVersion) + " is not VERSION or GROUP/VERSION",
                    meta.lastPosition());
        }
        String group = parts.length == 2 ? parts[0] : "";
        String version = parts[parts.length - 1];
        String kind = meta.kind().isEmpty() ? "Policy" : meta.kind();
        boolean ourGroup = group.isEmpty() || group.equals(GROUP);
        if (version.isEmpty() && ourGroup) {
            version = "__internal";
            group = GROUP;
        }
        boolean internal = version.equals("__internal");
        if (kind.equals("Policy") && ourGroup && (internal || version.equals("v1"))) {
            return internal;
        }
        boolean configuration =
                kind.equals("KubeSchedulerConfiguration") && group.equals(GROUP) && version.equals("v1alpha1");
        String message = configuration
                ? "converting (v1alpha1.KubeSchedulerConfiguration) to (config.Policy): Predicates not present in src"
                : TypeMeta.notRegistered(kind, group.isEmpty() ? version : group + "/" + version);
        boolean misspelled = !kind.equals("Policy") && Suggestions.nearest(kind, List.of("Policy")) != null;
        boolean resemblesPolicy = misspelled || InputDocument.hasPolicyKey(root);
        String plain = "kind " + GoText.quote(meta.kind()) + " with apiVersion " + GoText.quote(apiVersion)
                + " is not a policy" + (resemblesPolicy ? "" : ": " + InputDocument.describe(root));
        Problem problem = Problem.at(
                        PolicyProblemCode.KIND,
                        strict ? message : plain,
                        file,
                        meta.lastPosition(),
                        meta.kind() + " " + apiVersion)
                .suggesting(strict || resemblesPolicy ? "kind: Policy, apiVersion: v1" : null);
        throw new PolicyException(REJECTED + message, List.of(problem));
    }

    private List<Warning> warnings(
            SourceNode root, boolean moreDocuments, PolicyDecoder reading, DecodedObject policy) {
        List<Warning> warnings = new ArrayList<>();
        if (!strict) {
            List<String> missing = new ArrayList<>(List.of("kind", "apiVersion"));
            missing.removeIf(key -> !policy.string(key).isEmpty());
            // An empty document needs no version.
            if (reading.hasFields() && missing.contains("apiVersion")) {
                warnings.add(new Warning(
                        PolicyWarningCode.FORM,
                        "without " + String.join(" and ", missing)
                                + ", the file is read as kind: Policy, apiVersion: v1;" + " v1.17 requires apiVersion",
                        "",
                        policy.position()));
            }
        }
        warnings.addAll(reading.warnings());
        if (root.members().isEmpty()) {
            warnings.add(new Warning(
                    PolicyWarningCode.SAYS_NOTHING,
                    "the policy is empty, so the predicates and priorities of DefaultProvider apply",
                    "check that this is the right file; for the defaults, write kind: Policy and apiVersion: v1",
                    SourcePosition.UNKNOWN));
        }
        if (moreDocuments) {
            warnings.add(new Warning(
                    PolicyWarningCode.MORE_DOCUMENTS,
                    "only the YAML document with the policy is read; the others are ignored",
                    "write one document per file",
                    SourcePosition.UNKNOWN));
        }
        return warnings;
    }

    private static PolicyException error(Problem problem) {
        return new PolicyException(REJECTED + problem.message(), List.of(problem));
    }

    /**
     * The content of a library.
     *
     * @param rules that entries refer to, in file order
     * @param tables that rules read, by name
     */
    public record RuleLibrary(List<RuleDefinition> rules, Map<String, TableDefinition> tables) {
        public RuleLibrary {
            rules = ImmutableList.copyOf(rules);
            tables = ImmutableSortedMap.copyOf(tables);
        }
    }

    /** The shapes of a Policy. The Go names are the keys of the internal type, which v1.17 expects in a file without apiVersion. */
    static final class PolicyShapes {
        /** Kind and apiVersion, which have the same keys in both types. */
        static final String TYPE_META = "TypeMeta: ";

        static final Shape RULE = rule(field("use", "Use", Shape.STRING));
        private static final Shape NAMED_RULE = rule(field("name", "Name", Shape.STRING));

        static final Shape POLICY = object(
                "Policy",
                field("kind", TYPE_META + "Kind", Shape.STRING),
                field("apiVersion", TYPE_META + "APIVersion", Shape.STRING),
                field("predicates", "Predicates", list(predicatePolicy())),
                field("priorities", "Priorities", list(priorityPolicy())),
                field("extenders", "Extenders", list(ExtenderReader.OF_POLICY)),
                field("hardPodAffinitySymmetricWeight", "HardPodAffinitySymmetricWeight", Shape.INT32),
                field("rules", "Rules", list(NAMED_RULE)),
                field("tables", "Tables", Shape.ANY),
                field("alwaysCheckAllPredicates", "AlwaysCheckAllPredicates", Shape.BOOL));

        /** A file of shared rules. */
        static final Shape LIBRARY = object(
                "RuleLibrary",
                field("kind", TYPE_META + "Kind", Shape.STRING),
                field("apiVersion", TYPE_META + "APIVersion", Shape.STRING),
                field("rules", "Rules", list(NAMED_RULE)),
                field("tables", "Tables", Shape.ANY));

        private PolicyShapes() {}

        /** A rule; not part of v1.17. One of a library has a name; one of an entry can refer to a library. */
        private static Shape rule(Shape.Field first) {
            List<Shape.Field> fields = new ArrayList<>();
            fields.add(first);
            fields.add(field("expression", "Expression", Shape.STRING));
            fields.add(field("when", "When", Shape.STRING));
            fields.add(field("params", "Params", Shape.ANY));
            fields.add(field("reason", "Reason", Shape.STRING));
            fields.add(field("resolvable", "Resolvable", Shape.BOOL));
            fields.add(field("normalize", "Normalize", Shape.STRING));
            fields.add(field("onError", "OnError", Shape.STRING));
            return object("Rule", fields);
        }

        private static Shape predicatePolicy() {
            Shape labels = list(Shape.STRING);
            Shape argument = object(
                    "PredicateArgument",
                    field(
                            "serviceAffinity",
                            "ServiceAffinity",
                            object("ServiceAffinity", field("labels", "Labels", labels))),
                    field(
                            "labelsPresence",
                            "LabelsPresence",
                            object(
                                    "LabelsPresence",
                                    field("labels", "Labels", labels),
                                    field("presence", "Presence", Shape.BOOL))),
                    field("rule", "Rule", RULE));
            return object(
                    "PredicatePolicy", field("name", "Name", Shape.STRING), field("argument", "Argument", argument));
        }

        private static Shape priorityPolicy() {
            Shape antiAffinity = object("ServiceAntiAffinity", field("label", "Label", Shape.STRING));
            Shape preference = object(
                    "LabelPreference",
                    field("label", "Label", Shape.STRING),
                    field("presence", "Presence", Shape.BOOL));
            Shape point = object(
                    "UtilizationShapePoint",
                    field("utilization", "Utilization", Shape.INT32),
                    field("score", "Score", Shape.INT32));
            Shape resource =
                    object("ResourceSpec", field("name", "Name", Shape.STRING), field("weight", "Weight", Shape.INT64));
            Shape ratio = object(
                    "RequestedToCapacityRatioArguments",
                    field("shape", "Shape", list(point)),
                    field("resources", "Resources", list(resource)));
            Shape argument = object(
                    "PriorityArgument",
                    field("serviceAntiAffinity", "ServiceAntiAffinity", antiAffinity),
                    field("labelPreference", "LabelPreference", preference),
                    field("requestedToCapacityRatioArguments", "RequestedToCapacityRatioArguments", ratio),
                    field("rule", "Rule", RULE));
            return object(
                    "PriorityPolicy",
                    field("name", "Name", Shape.STRING),
                    field("weight", "Weight", Shape.INT64),
                    field("argument", "Argument", argument));
        }
    }

    /** Converts decoded structs to the records of a Policy. */
    static final class PolicyAssembler {
        private final String file;
        private final List<Warning> notes = new ArrayList<>();

        PolicyAssembler(String file) {
            this.file = file;
        }

        Policy policy(DecodedObject raw, Map<String, TableDefinition> tables, List<Warning> warnings) {
            List<PredicatePolicy> predicates = entries(raw, "predicates", this::predicate);
            List<PriorityPolicy> priorities = entries(raw, "priorities", this::priority);
            List<Warning> all = new ArrayList<>(warnings);
            all.addAll(notes);
            return new Policy(
                    file,
                    predicates,
                    priorities,
                    ExtenderReader.read(raw),
                    (int) raw.number("hardPodAffinitySymmetricWeight"),
                    raw.position("hardPodAffinitySymmetricWeight"),
                    raw.bool("alwaysCheckAllPredicates"),
                    raw.position("alwaysCheckAllPredicates"),
                    rules(raw),
                    tables,
                    all);
        }

        private PredicatePolicy predicate(DecodedObject raw) {
            return new PredicatePolicy(
                    raw.string("name"), predicateArgument(raw.string("name"), raw.object("argument")), raw.position());
        }

        private @Nullable PredicateArgument predicateArgument(String name, @Nullable DecodedObject raw) {
            if (raw == null) {
                return null;
            }
            DecodedObject affinity = raw.object("serviceAffinity");
            DecodedObject presence = raw.object("labelsPresence");
            if (presence != null && !presence.has("presence")) {
                notes.add(new Warning(
                        PolicyWarningCode.NO_PRESENCE,
                        "labelsPresence without presence requires nodes without the labels "
                                + String.join(", ", presence.strings("labels")),
                        "set presence: true to require the labels, or presence: false",
                        presence.position()));
            }
            return new PredicateArgument(
                    affinity == null ? null : new PredicateArgument.ServiceAffinity(affinity.strings("labels")),
                    presence == null
                            ? null
                            : new PredicateArgument.LabelsPresence(
                                    presence.strings("labels"), presence.bool("presence")),
                    rule(name, raw.object("rule")));
        }

        private PriorityPolicy priority(DecodedObject raw) {
            return new PriorityPolicy(
                    raw.string("name"),
                    raw.number("weight"),
                    priorityArgument(raw.string("name"), raw.object("argument")),
                    raw.position());
        }

        private @Nullable PriorityArgument priorityArgument(String name, @Nullable DecodedObject raw) {
            if (raw == null) {
                return null;
            }
            DecodedObject antiAffinity = raw.object("serviceAntiAffinity");
            DecodedObject preference = raw.object("labelPreference");
            if (preference != null && !preference.has("presence")) {
                notes.add(new Warning(
                        PolicyWarningCode.NO_PRESENCE,
                        "labelPreference without presence prefers nodes without the label "
                                + preference.string("label"),
                        "set presence: true to prefer nodes with the label, or presence: false",
                        preference.position()));
            }
            DecodedObject ratio = raw.object("requestedToCapacityRatioArguments");
            return new PriorityArgument(
                    antiAffinity == null
                            ? null
                            : new PriorityArgument.ServiceAntiAffinity(antiAffinity.string("label")),
                    preference == null
                            ? null
                            : new PriorityArgument.LabelPreference(
                                    preference.string("label"), preference.bool("presence")),
                    ratio == null ? null : ratio(ratio),
                    rule(name, raw.object("rule")));
        }

        private @Nullable RuleDefinition rule(String name, @Nullable DecodedObject raw) {
            if (raw == null) {
                return null;
            }
            SourcePosition position = raw.has("expression") ? raw.position("expression") : raw.position();
            return new RuleDefinition(
                    name,
                    raw.string("use"),
                    raw.string("expression"),
                    raw.has("when") ? raw.string("when") : null,
                    params(raw.any("params")),
                    raw.has("reason") ? raw.string("reason") : null,
                    raw.has("resolvable") ? raw.bool("resolvable") : null,
                    raw.has("normalize") ? raw.string("normalize") : null,
                    raw.has("onError") ? raw.string("onError") : null,
                    new RuleDefinition.Place(file, position.line(), position.column()));
        }

        /** The rules of a {@code rules} list. */
        List<RuleDefinition> rules(DecodedObject raw) {
            List<RuleDefinition> rules = new ArrayList<>();
            for (DecodedObject one : raw.objects("rules")) {
                RuleDefinition rule = rule(one.string("name"), one);
                if (rule != null) {
                    rules.add(rule);
                }
            }
            return rules;
        }

        /** Unsupported values (null, objects) remain JsonNodes, which the rule compiler rejects with their name. */
        private static Map<String, Object> params(@Nullable JsonNode raw) {
            Map<String, Object> params = new TreeMap<>();
            if (raw instanceof ObjectNode object) {
                object.properties().forEach(param -> params.put(param.getKey(), param(param.getValue())));
            } else if (raw != null) {
                params.put("", raw);
            }
            return params;
        }

        private static Object param(JsonNode value) {
            if (value.isArray()) {
                List<Object> items = new ArrayList<>();
                value.forEach(item -> items.add(param(item)));
                return items;
            }
            if (value.isBoolean()) {
                return value.asBoolean();
            }
            if (value.isNumber()) {
                return value.asDouble();
            }
            return value.isTextual() ? value.asText() : value;
        }

        private PriorityArgument.RatioArguments ratio(DecodedObject raw) {
            for (DecodedObject resource : raw.objects("resources")) {
                if (resource.has("weight") && resource.number("weight") == 0) {
                    notes.add(new Warning(
                            PolicyWarningCode.WEIGHT_ZERO,
                            "weight 0 of resource " + resource.string("name") + " means 1",
                            "use a weight of 1 or more, or remove the resource",
                            resource.position()));
                }
            }
            return new PriorityArgument.RatioArguments(
                    raw.objects("shape").stream()
                            .map(point -> new PriorityArgument.ShapePoint(
                                    (int) point.number("utilization"), (int) point.number("score")))
                            .toList(),
                    raw.objects("resources").stream()
                            .map(resource -> new PriorityArgument.ResourceWeight(
                                    resource.string("name"), resource.number("weight"), resource.position()))
                            .toList());
        }

        /** Null if the list is missing or null. */
        private static <T> @Nullable List<T> entries(DecodedObject raw, String name, Function<DecodedObject, T> make) {
            List<DecodedObject> items = raw.objectsOrNull(name);
            return items == null ? null : items.stream().map(make).toList();
        }
    }
}
