package io.policyscheduler.framework.config;

import static io.policyscheduler.engine.document.ShapeDecoder.Shape.field;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.list;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.document.InputDocument.Content;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.ShapeDecoder;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentPlace;
import io.policyscheduler.engine.document.ShapeDecoder.DocumentRules;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.TypeMeta;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException.ConfigurationProblemCode;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a KubeSchedulerConfiguration, YAML or JSON, of any version. {@code v1alpha1} drops unknown keys with a warning, later
 * versions reject them. Checks only the types of values; {@link ConfigurationValidator} checks the rest.
 *
 * <p>Mirrors {@code loadConfig} of {@code cmd/kube-scheduler/app/options}.
 */
public final class ConfigurationReader {
    private final Function<ConfigVersion, Release> releases;

    /** A reader for the newest release. */
    public ConfigurationReader() {
        this(Release.NEWEST);
    }

    /** @param release the release whose default plugins and semantics apply */
    public ConfigurationReader(Release release) {
        this(version -> release);
    }

    private ConfigurationReader(Function<ConfigVersion, Release> releases) {
        this.releases = releases;
    }

    /** A reader for the release of {@link ConfigVersion#decidingIn} in a cluster. */
    public static ConfigurationReader inCluster(Release cluster) {
        return new ConfigurationReader(version -> version.decidingIn(cluster));
    }

    /**
     * Reads a configuration and applies the defaults of its version.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws ConfigurationException with every problem, if the release of the version would reject the text
     */
    public SchedulerConfiguration read(String text, String file) throws ConfigurationException {
        SourceDocument document;
        try {
            document = SourceDocument.parse(text);
        } catch (DocumentException e) {
            throw reject(Problem.at(
                    ConfigurationProblemCode.DECODE, e.text() + SourceDocument.hint(text, e), file, e.position()));
        }
        InputDocument input = input(document, text, file);
        if (SourceDocument.isFlat(input.text())) {
            throw reject(Problem.at(
                    ConfigurationProblemCode.DECODE,
                    SourceDocument.FLAT,
                    input.origin(),
                    input.root().position()));
        }
        return read(input.root(), document.moreDocuments(), input.origin());
    }

    /** The document of a file that is the configuration. {@link #version} reports documents of other kinds. */
    private static InputDocument input(SourceDocument document, String text, String file)
            throws ConfigurationException {
        List<InputDocument> inputs = InputDocument.in(document, text, file);
        Optional<InputDocument> found = InputDocument.find(inputs, Content.CONFIGURATION);
        InputDocument only = inputs.size() == 1 ? inputs.get(0) : null;
        if (found.isEmpty() && only != null && only.error() == null) {
            return only;
        }
        return found.orElseThrow(() -> reject(Problem.at(
                ConfigurationProblemCode.KIND,
                InputDocument.whyNone(inputs, Content.CONFIGURATION),
                file,
                document.root().position())));
    }

    private SchedulerConfiguration read(SourceNode root, boolean moreDocuments, String file)
            throws ConfigurationException {
        ConfigVersion version = version(root, file);
        Release release = releases.apply(version);
        ConfigurationReading reading = new ConfigurationReading(file, version, release);
        DecodedObject tree = ShapeDecoder.decode(root, ConfigurationShapes.of(version, release), reading);
        if (!reading.problems().isEmpty()) {
            throw new ConfigurationException(reading.problems(), reading.message());
        }
        List<Warning> warnings = new ArrayList<>(reading.warnings());
        if (tree.string("apiVersion").equals(ConfigVersion.COMPONENTCONFIG)) {
            warnings.add(new Warning(
                    ConfigurationWarningCode.OLD_GROUP,
                    ConfigVersion.COMPONENTCONFIG + " (1.9 to 1.11) is read as " + version.apiVersion(),
                    "write apiVersion: " + version.apiVersion(),
                    tree.position("apiVersion")));
            tree.tree().put("apiVersion", version.apiVersion());
        }
        if (moreDocuments) {
            warnings.add(new Warning(
                    ConfigurationWarningCode.MORE_DOCUMENTS,
                    "only the YAML document with the configuration is read; the others are ignored",
                    SourcePosition.UNKNOWN));
        }
        return new ConfigurationAssembler(version, release, file, warnings).configuration(tree);
    }

    private static ConfigVersion version(SourceNode root, String file) throws ConfigurationException {
        TypeMeta meta;
        try {
            meta = TypeMeta.of(root, false);
        } catch (DocumentException e) {
            throw reject(Problem.at(ConfigurationProblemCode.DECODE, e.text(), file, e.position()));
        }
        if (meta.kind().isEmpty() || meta.apiVersion().isEmpty()) {
            String missing = meta.kind().isEmpty() ? "Kind" : "apiVersion";
            String message = "Object '" + missing + "' is missing" + elsewhere(root);
            throw reject(Problem.at(ConfigurationProblemCode.KIND, message, file, root.position())
                    .suggesting("kind: " + ConfigVersion.KIND + ", apiVersion: " + ConfigVersion.V1.apiVersion()));
        }
        boolean kindFits = meta.kind().equals(ConfigVersion.KIND);
        Optional<ConfigVersion> version = ConfigVersion.of(meta.apiVersion());
        if (kindFits && version.isPresent()) {
            return version.get();
        }
        String nearest = meta.apiVersion().startsWith(ConfigVersion.V1.apiVersion())
                ? ConfigVersion.V1.apiVersion()
                : Suggestions.nearest(meta.apiVersion(), ConfigVersion.apiVersions());
        String message = TypeMeta.notRegistered(meta.kind(), meta.apiVersion()) + (kindFits ? "" : elsewhere(root));
        SourcePosition blamed = kindFits ? meta.versionPosition() : meta.kindPosition();
        throw reject(Problem.at(ConfigurationProblemCode.KIND, message, file, blamed)
                .suggesting(kindFits ? nearest : Suggestions.nearest(meta.kind(), List.of(ConfigVersion.KIND))));
    }

    /** The command that reads a document of another kind. */
    private static String elsewhere(SourceNode root) {
        boolean other = InputDocument.content(root) == Content.POLICY || InputDocument.content(root) == Content.OTHER;
        return other ? "; the document is " + InputDocument.describe(root) : "";
    }

    private static ConfigurationException reject(Problem problem) {
        return new ConfigurationException(List.of(problem));
    }

    /** Decodes a document with the error messages of {@code sigs.k8s.io/json}. {@code v1alpha1} is not strict. */
    static final class ConfigurationReading implements DocumentRules {
        private static final String STRICT = "strict decoding error: ";
        private static final BigDecimal SMALLEST_NANOS = BigDecimal.valueOf(1_000_000);

        private final String file;
        private final ConfigVersion version;
        private final ArgumentShapes arguments;
        private final Set<String> unknown = new HashSet<>();
        private final List<Problem> problems = new ArrayList<>();
        private final List<Warning> warnings = new ArrayList<>();
        private final DecodingMessage message = new DecodingMessage();

        /**
         * The location of plugin arguments: the entry that contains them and the prefix that Kubernetes puts before errors in them.
         */
        private record ArgumentsPlace(String entry, String plugin) {
            static @Nullable ArgumentsPlace around(DocumentPlace place) {
                DocumentPlace parent = place.parent();
                if (parent == null) {
                    return null;
                }
                return isArguments(place)
                        ? new ArgumentsPlace(
                                parent.path(), place.shape().goType().replaceFirst("Args$", ""))
                        : around(parent);
            }

            String prefix() {
                return "decoding ." + entry + ": decoding args for plugin " + plugin + ": ";
            }

            String strictPrefix() {
                return "decoding ." + entry + ": " + STRICT + "decoding args for plugin " + plugin + ": " + STRICT;
            }

            /** A path relative to the arguments. */
            String inside(String path) {
                return path.substring(entry.length() + ".args.".length());
            }
        }

        ConfigurationReading(String file, ConfigVersion version, Release release) {
            this.file = file;
            this.version = version;
            this.arguments = ArgumentShapes.of(version, release);
        }

        /** The decoding errors, in file order. */
        List<Problem> problems() {
            return problems;
        }

        /** The message of kube-scheduler for the errors, of which there must be at least one. */
        String message() {
            return message.text();
        }

        /** The warnings, in file order. */
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
            String moved = object.path().isEmpty()
                    ? ConfigurationShapes.MOVED.get(member.key())
                    : shape.goType().equals("Plugins") ? pluginsKey(member.key()) : null;
            report(
                    ConfigurationProblemCode.UNKNOWN_FIELD,
                    ConfigurationWarningCode.UNKNOWN_FIELD,
                    "unknown field " + quoted(object, path),
                    member,
                    object,
                    moved == null ? Suggestions.nearest(member.key(), shape.keys()) : moved);
            return null;
        }

        /** The hint for a plugin list without an extension point, or an extension point of another version; null for other keys. */
        private @Nullable String pluginsKey(String key) {
            return switch (key) {
                case "enabled", "disabled" ->
                    (version.atLeast(ConfigVersion.V1BETA2) ? "multiPoint." : "an extension point such as score.")
                            + key;
                case "postFilter" -> "preScore";
                case "unreserve" -> "reserve";
                default -> null;
            };
        }

        @Override
        public void again(SourceNode.Member member, Shape.Field field, DocumentPlace object) {
            if (!object.shape().loose()) {
                duplicate(member, object, object.pathOf(member.key()));
            }
        }

        private void duplicate(SourceNode.Member member, DocumentPlace object, String path) {
            report(
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

        private void report(
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
            String expectedKind = place.shape().goType();
            String kind = args.path("kind").asText("");
            String apiVersion = args.path("apiVersion").asText("");
            String group = apiVersion.contains("/") ? apiVersion.substring(0, apiVersion.indexOf('/')) : "";
            boolean otherKind = !kind.isEmpty() && !kind.equals(expectedKind);
            boolean otherGroup = !apiVersion.isEmpty() && !group.equals(ConfigVersion.GROUP);
            if (within != null && (otherKind || otherGroup)) {
                String found = (kind.isEmpty() ? expectedKind : kind) + "."
                        + (apiVersion.isEmpty() ? ConfigVersion.GROUP : group);
                SourcePosition position = source.members().stream()
                        .filter(member -> member.key().equals(otherKind ? "kind" : "apiVersion"))
                        .map(member -> member.value().position())
                        .reduce(source.position(), (earlier, later) -> later);
                reject(
                        "decoding ." + within.entry() + ": args for plugin " + within.plugin() + " were not of type "
                                + expectedKind + "." + ConfigVersion.GROUP + ", got " + found,
                        "",
                        true,
                        position,
                        otherKind ? expectedKind : arguments.apiVersion());
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
                        : "json: cannot unmarshal " + value.kind().goName() + " into " + target(place)
                                + " of type string";
                better = number ? durationOf(value.text()) : null;
            } else if (shape.kind() == Shape.Kind.BYTES && text) {
                message = "illegal base64 data in " + place.path();
            } else {
                boolean integer = shape.kind() == Shape.Kind.INT32 || shape.kind() == Shape.Kind.INT64;
                String found = value.kind().goName() + (number && integer ? " " + value.text() : "");
                message = "json: cannot unmarshal " + found + " into " + target(place) + " of type " + shape.goType();
            }
            reject(prefix + message, TypeMeta.booleanHint(shape, value), within != null, value.position(), better);
        }

        /** @param hint an addition for users, not part of the message of kube-scheduler */
        private void reject(
                String what, String hint, boolean inArguments, SourcePosition position, @Nullable String better) {
            message.misfit(what, inArguments);
            problem(ConfigurationProblemCode.DECODE, what + hint, position, better);
        }

        private static String durationError(String text) {
            try {
                GoDuration.parse(text);
                return "";
            } catch (DateTimeException e) {
                return String.valueOf(e.getMessage());
            }
        }

        /** A suggested duration for a bare number: large numbers are most likely nanoseconds, small ones seconds. */
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

        /** The keys from the document or the arguments to a value, and the struct that contains it. */
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
         * The message of kube-scheduler for a document that cannot be decoded. It is the first value of a wrong type, with those in
         * arguments last. If all types are correct, it is one strict error that lists all unknown and duplicate fields. Mirrors
         * {@code codec.Decode} of {@code apimachinery/pkg/runtime/serializer/versioning} and {@code DecodeNestedObjects} of the
         * configuration.
         */
        private static final class DecodingMessage {
            private @Nullable String misfit;
            private @Nullable String misfitInArguments;
            /** Strict errors by the prefix of their object; those of the document itself come first. */
            private final Map<String, Set<String>> strict = new LinkedHashMap<>(Map.of("", new LinkedHashSet<>()));

            /** Records a value of a wrong type. */
            void misfit(String message, boolean inArguments) {
                if (inArguments) {
                    misfitInArguments = misfitInArguments == null ? message : misfitInArguments;
                } else {
                    misfit = misfit == null ? message : misfit;
                }
            }

            /** Records an unknown or duplicate field. */
            void strict(String prefix, String what) {
                strict.computeIfAbsent(prefix, p -> new LinkedHashSet<>()).add(what);
            }

            /** The message; requires at least one error. */
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

    /** The fields of each version of the configuration. Mirrors {@code staging/src/k8s.io/kube-scheduler/config}. */
    static final class ConfigurationShapes {
        /** The new location of fields that are no longer at the top level. */
        static final Map<String, String> MOVED = ImmutableMap.<String, String>builder()
                .put("algorithmSource", "profiles[].plugins")
                .put("schedulerName", "profiles[].schedulerName")
                .put("plugins", "profiles[].plugins")
                .put("pluginConfig", "profiles[].pluginConfig")
                .put("disablePreemption", "profiles[].plugins.postFilter.disabled: [{name: DefaultPreemption}]")
                .put("bindTimeoutSeconds", "bindTimeoutSeconds in the args of VolumeBinding")
                .put("hardPodAffinitySymmetricWeight", "hardPodAffinityWeight in the args of InterPodAffinity")
                .put("healthzBindAddress", "the flags --bind-address and --secure-port")
                .put("metricsBindAddress", "the flags --bind-address and --secure-port")
                .buildOrThrow();

        private final ConfigVersion version;
        private final Release release;

        private ConfigurationShapes(ConfigVersion version, Release release) {
            this.version = version;
            this.release = release;
        }

        static Shape of(ConfigVersion version, Release release) {
            return new ConfigurationShapes(version, release).configuration();
        }

        private Shape configuration() {
            List<Shape.Field> fields = new ArrayList<>();
            fields.add(field("kind", Shape.STRING));
            fields.add(field("apiVersion", Shape.STRING));
            fields.add(field("leaderElection", object("LeaderElectionConfiguration", settings("leaderElection."))));
            fields.add(
                    field("clientConnection", object("ClientConnectionConfiguration", settings("clientConnection."))));
            fields.addAll(settings(""));
            if (version.atLeast(ConfigVersion.V1ALPHA2)) {
                fields.add(field("profiles", list(profile())));
                boolean old = !version.atLeast(ConfigVersion.V1BETA1);
                fields.add(field("extenders", list(old ? ExtenderReader.OF_POLICY : ExtenderReader.OF_CONFIGURATION)));
            } else {
                fields.add(field("algorithmSource", algorithmSource()));
                fields.add(field("plugins", plugins()));
                fields.add(field("pluginConfig", pluginConfig()));
            }
            return object(ConfigVersion.KIND, fields);
        }

        /** The settings directly under a path. */
        private List<Shape.Field> settings(String prefix) {
            List<Shape.Field> fields = new ArrayList<>();
            for (Setting setting : Settings.all()) {
                boolean here =
                        setting.field().startsWith(prefix) && setting.field().indexOf('.', prefix.length()) < 0;
                if (here && setting.isIn(version)) {
                    fields.add(field(setting.field().substring(prefix.length()), setting.shape()));
                }
            }
            return fields;
        }

        private static Shape algorithmSource() {
            Shape file = object("SchedulerPolicyFileSource", field("path", Shape.STRING));
            Shape configMap = object(
                    "SchedulerPolicyConfigMapSource", field("namespace", Shape.STRING), field("name", Shape.STRING));
            return object(
                    "SchedulerAlgorithmSource",
                    field(
                            "policy",
                            object("SchedulerPolicySource", field("file", file), field("configMap", configMap))),
                    field("provider", Shape.STRING));
        }

        private Shape profile() {
            List<Shape.Field> fields = new ArrayList<>(List.of(
                    field("schedulerName", Shape.STRING),
                    field("plugins", plugins()),
                    field("pluginConfig", pluginConfig())));
            if (version.atLeast(ConfigVersion.V1) && SchedulerChange.PERCENTAGE_OF_PROFILES.in(release)) {
                fields.add(field(Settings.PERCENTAGE.field(), Settings.PERCENTAGE.shape()));
            }
            return object("KubeSchedulerProfile", fields);
        }

        private Shape plugins() {
            Shape plugin = object("Plugin", field("name", Shape.STRING), field("weight", Shape.INT32));
            Shape set = object("PluginSet", field("enabled", list(plugin)), field("disabled", list(plugin)));
            List<String> keys = new ArrayList<>(List.of("queueSort", "preFilter", "filter"));
            if (version != ConfigVersion.V1ALPHA2) {
                keys.add("postFilter");
            }
            keys.addAll(List.of("score", "reserve", "permit", "preBind", "bind", "postBind"));
            if (version.atLeast(ConfigVersion.V1ALPHA2)) {
                keys.add("preScore");
            }
            if (!version.atLeast(ConfigVersion.V1BETA1)) {
                keys.add("unreserve");
            }
            if (version.atLeast(ConfigVersion.V1BETA2) && SchedulerChange.PRE_ENQUEUE_POINT.in(release)) {
                keys.add("preEnqueue");
            }
            if (version.atLeast(ConfigVersion.V1BETA2) && SchedulerChange.MULTI_POINT.in(release)) {
                keys.add("multiPoint");
            }
            if (version == ConfigVersion.V1 && SchedulerChange.PLACEMENT_POINTS.in(release)) {
                keys.add("placementGenerate");
                keys.add("placementScore");
            }
            List<Shape.Field> fields = keys.stream().map(key -> field(key, set)).toList();
            return object("Plugins", fields);
        }

        private static Shape pluginConfig() {
            return list(object("PluginConfig", field("name", Shape.STRING), field("args", Shape.ARGUMENTS)));
        }
    }

    /** Codes of warnings about an accepted configuration. */
    static final class ConfigurationWarningCode {
        /** A key that v1alpha1 drops in lenient decoding. */
        public static final String UNKNOWN_FIELD = "W201";
        /** A duplicate key in v1alpha1; the last value applies. */
        public static final String DUPLICATE_FIELD = "W202";
        /** Documents after the first, which are ignored. */
        public static final String MORE_DOCUMENTS = "W203";
        /** {@code disabled} lists of v1alpha1, which v1.17 ignores. */
        public static final String DISABLED_IGNORED = "W204";
        /** Both {@code provider} and {@code policy}; v1.17 takes the provider. */
        public static final String POLICY_IGNORED = "W205";
        /** A bind address that cannot be parsed; the default applies. */
        public static final String BIND_ADDRESS = "W206";

        /** A resource in the arguments of a plugin that no node has. */
        public static final String UNKNOWN_RESOURCE = "W207";
        /** A plugin with weight 0, which means 1. */
        public static final String WEIGHT_ZERO = "W208";

        /** The apiVersion of 1.9 to 1.11. */
        public static final String OLD_GROUP = "W209";

        private ConfigurationWarningCode() {}
    }

    /** A configuration that is rejected, with every problem of the stage that rejected it. */
    public static final class ConfigurationException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient ImmutableList<Problem> problems;

        /** @param problems at least one */
        public ConfigurationException(List<Problem> problems) {
            this(problems, aggregate(problems.stream().map(Problem::message).toList()));
        }

        /**
         * Problems with the message of kube-scheduler, which may mention fewer of them.
         *
         * @param problems at least one
         * @param message the message of kube-scheduler
         */
        ConfigurationException(List<Problem> problems, String message) {
            super(message);
            this.problems = ImmutableList.copyOf(problems);
        }

        /** All problems, one line each; the message may contain only the first, as in kube-scheduler. */
        public List<Problem> problems() {
            return problems;
        }

        /** Combines messages as Kubernetes aggregates errors: a single message unchanged, several distinct ones in brackets. */
        static String aggregate(List<String> messages) {
            Set<String> different = new LinkedHashSet<>(messages);
            String joined = String.join(", ", different);
            return different.size() == 1 ? joined : "[" + joined + "]";
        }

        /** Codes of configuration errors. */
        static final class ConfigurationProblemCode {
            /** The file cannot be parsed, or a value has the wrong type. */
            public static final String DECODE = "C001";
            /** kind or apiVersion is not one of a scheduler configuration. */
            public static final String KIND = "C002";
            /** A field that the version does not have. */
            public static final String UNKNOWN_FIELD = "C003";
            /** A key that occurs twice in one object. */
            public static final String DUPLICATE_FIELD = "C004";
            /** A value that fails validation. */
            public static final String INVALID = "C005";
            /** Plugins from which no profile can be built. */
            public static final String PLUGINS = "C006";

            private ConfigurationProblemCode() {}
        }
    }
}
