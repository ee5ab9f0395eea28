package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.base.Ascii;
import com.google.common.base.CaseFormat;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One setting of a scheduler: its location in a KubeSchedulerConfiguration, its flag and environment variable, its type, range and
 * defaults. Help, documentation and validation are generated from this row.
 *
 * @param shape type of the value
 * @param file its location in the file, null if the file does not have it
 * @param spelled its command-line form, null if it has none
 * @param range the valid numbers, null for all
 * @param description one or two sentences, without the default
 * @param unit of the number, empty if it has none or its text contains it
 */
public record Setting(
        Shape shape,
        @Nullable FileField file,
        @Nullable SettingFlag spelled,
        @Nullable Range range,
        String description,
        String unit) {
    /** The prefix of environment variables. */
    public static final String PREFIX = "POLICY_SCHEDULER_";

    /**
     * The valid numbers of a setting.
     *
     * @param error the message of Kubernetes about an invalid one
     */
    public record Range(long least, long most, String error) {}

    /** A builder for a setting of the file. */
    static SettingBuilder of(String field, Shape shape) {
        return new SettingBuilder(field, null, shape);
    }

    /** A builder for a setting that exists only as flag and environment variable. */
    public static SettingBuilder ofFlag(String flag, Shape shape) {
        return new SettingBuilder(null, flag, shape);
    }

    /** The path in the file, empty if the file does not have it. */
    public String field() {
        return file == null ? "" : file.path();
    }

    /** The flag, empty if there is none. */
    public String flag() {
        return spelled == null ? "" : spelled.name();
    }

    /**
     * The flag and its metadata.
     *
     * @throws IllegalStateException if there is none
     */
    public SettingFlag requireFlag() {
        if (spelled == null) {
            throw new IllegalStateException(field() + " has no flag");
        }
        return spelled;
    }

    /** Whether the value is a list, to which each occurrence of the flag adds. */
    public boolean isList() {
        return shape.kind() == Shape.Kind.LIST || (spelled != null && spelled.repeatable());
    }

    /** The value if flag, variable and file do not set it; empty for none. */
    public String flagDefault(Compat compat) {
        return spelled == null ? "" : spelled.byDefault(compat);
    }

    /** The same with {@link Compat#NONE}. */
    public String flagDefault() {
        return flagDefault(Compat.NONE);
    }

    /** The environment variable of a flag: {@code POLICY_SCHEDULER_LEADER_ELECT} for {@code --leader-elect}. */
    public static String variable(String flag) {
        return PREFIX
                + Ascii.toUpperCase(
                        flag.replaceFirst("^--?", "").replace('-', '_').replace('.', '_'));
    }

    /** The environment variable, empty if there is none. */
    public String variable() {
        return spelled == null || !spelled.hasVariable() ? "" : variable(spelled.name());
    }

    /** The name in messages about its value: the field, or the flag in the syntax of a field. */
    public String name() {
        return file == null
                ? CaseFormat.LOWER_HYPHEN.to(CaseFormat.LOWER_CAMEL, flag().replaceFirst("^--?", ""))
                : file.path();
    }

    /** The first version of the file that has it. */
    public Optional<ConfigVersion> first() {
        return Optional.ofNullable(file).map(FileField::first);
    }

    /** The last version of the file that has it. */
    public Optional<ConfigVersion> last() {
        return Optional.ofNullable(file).map(FileField::last);
    }

    /** Whether a version of the file has it. */
    public boolean isIn(ConfigVersion version) {
        return file != null && file.isIn(version);
    }

    /** The value if a file of this version does not set it; empty for none. */
    public String fileDefault(ConfigVersion version) {
        return file == null ? "" : file.byDefault(version);
    }

    /** The value in a decoded file or the default of its version; missing if there is neither. */
    public JsonNode value(JsonNode tree, ConfigVersion version) {
        JsonNode given = given(tree);
        String replacement = fileDefault(version);
        boolean zeroIsDefault = file != null && file.zeroIsDefault();
        boolean missing = given.isMissingNode() || (zeroIsDefault && isZero(given));
        return !missing || replacement.isEmpty() ? given : node(replacement);
    }

    private JsonNode given(JsonNode tree) {
        JsonNode node = tree;
        for (String key : Splitter.on('.').split(field())) {
            node = node.path(key);
        }
        return node;
    }

    private boolean isZero(JsonNode value) {
        if (shape.kind() == Shape.Kind.DURATION) {
            return value.asText().isEmpty() || GoDuration.parse(value.asText()).isZero();
        }
        return value.isNumber() ? value.asDouble() == 0 : value.asText().isEmpty();
    }

    /** Converts a text to a value in the syntax of the file. */
    public JsonNode node(String text) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (shape.kind()) {
            case BOOL -> nodes.booleanNode(Boolean.parseBoolean(text));
            case INT32, INT64 -> nodes.numberNode(Long.parseLong(text));
            case FLOAT -> nodes.numberNode(Double.parseDouble(text));
            default -> nodes.textNode(text);
        };
    }

    /** A duration in a decoded file or the default of its version. */
    public Duration duration(JsonNode tree, ConfigVersion version) {
        String text = value(tree, version).asText();
        return text.isEmpty() ? Duration.ZERO : GoDuration.parse(text);
    }

    /** A value in the syntax of a flag. */
    public String text(JsonNode value) {
        boolean duration =
                shape.kind() == Shape.Kind.DURATION && !value.asText().isEmpty();
        return duration ? GoDuration.format(GoDuration.parse(value.asText())) : value.asText();
    }

    /**
     * Parses a value: a Boolean, Integer, Long, Double, Duration, String or List of String.
     *
     * @throws IllegalArgumentException if it is invalid; the message is for users and follows the name of the flag
     */
    public Object parse(String text) {
        return SettingText.parse(this, text);
    }

    /** Formats a value of {@link #parse} in the syntax of a flag. */
    public static String format(Object value) {
        return SettingText.format(value);
    }

    /** The problem of a number, as a text that follows the value; empty if it is valid. */
    public Optional<String> problem(long value) {
        return range == null || (value >= range.least() && value <= range.most())
                ? Optional.empty()
                : Optional.of(range.error());
    }

    /** Builds a setting: its location in a file, its flag, and its valid values. */
    public static final class SettingBuilder {
        private final Shape shape;
        private final @Nullable String field;
        private ConfigVersion first = ConfigVersion.V1ALPHA1;
        private ConfigVersion last = ConfigVersion.V1;
        private String fileDefault = "";
        private String fileDefaultBefore = "";
        private boolean zeroIsDefault;
        private Setting.@Nullable Range range;

        private @Nullable String flag;
        private List<String> others = List.of();
        private String label = "";
        private String flagDefault = "";
        private @Nullable String in117;
        private String displayedDefault = "";
        private String description = "";
        private String unit = "";
        private List<String> choices = List.of();
        private @Nullable FlagGroup group;
        private boolean repeatable;
        private boolean hasVariable = true;
        private String noEffect = "";
        private String code = "";
        private List<String> harmless = List.of();

        SettingBuilder(@Nullable String field, @Nullable String flag, Shape shape) {
            this.field = field;
            this.flag = flag;
            this.shape = shape;
        }

        SettingBuilder since(ConfigVersion version) {
            first = version;
            return this;
        }

        SettingBuilder until(ConfigVersion version) {
            last = version;
            return this;
        }

        /** The default in files. */
        SettingBuilder byDefault(String value) {
            fileDefault = value;
            fileDefaultBefore = value;
            return this;
        }

        /** The default in files, also used for an empty or zero value; versions before {@code v1beta1} have another one. */
        SettingBuilder zeroIsDefault(String value, String before) {
            fileDefault = value;
            fileDefaultBefore = before;
            zeroIsDefault = true;
            return this;
        }

        /**
         * Adds the flag.
         *
         * @param value its default, empty for none
         */
        SettingBuilder flag(String name, String value) {
            flag = name;
            flagDefault = value;
            return this;
        }

        /** The group of the flag in the help. */
        public SettingBuilder in(FlagGroup flags) {
            group = flags;
            return this;
        }

        /** The value if not set, empty for none. */
        public SettingBuilder standard(String value) {
            flagDefault = value;
            return this;
        }

        /** The value if not set with the defaults of kube-scheduler 1.17. */
        public SettingBuilder in117(String value) {
            in117 = value;
            return this;
        }

        /** Aliases of the flag. */
        public SettingBuilder also(String... spellings) {
            others = List.of(spellings);
            return this;
        }

        /** The placeholder of the value in the help; by default derived from the type. */
        public SettingBuilder label(String text) {
            label = text;
            return this;
        }

        /** The description in the help: one or two sentences, without the default. */
        public SettingBuilder text(String... lines) {
            description = String.join(" ", lines);
            return this;
        }

        /** The default as shown in the help, if it differs from the value. */
        public SettingBuilder displayedDefault(String text) {
            displayedDefault = text;
            return this;
        }

        /** The unit of the number. */
        public SettingBuilder unit(String text) {
            unit = text;
            return this;
        }

        /** The valid words, in any case. */
        public SettingBuilder choices(String... words) {
            choices = List.of(words);
            return this;
        }

        /** Occurrences add up. */
        public SettingBuilder repeatable() {
            repeatable = true;
            return this;
        }

        /** The setting has no environment variable. */
        public SettingBuilder withoutVariable() {
            hasVariable = false;
            return this;
        }

        /**
         * The flag is accepted but has no effect.
         *
         * @param warning code of the warning
         * @param reason the reason, and what to do instead
         */
        public SettingBuilder noEffect(String warning, String reason) {
            code = warning;
            noEffect = reason;
            return this;
        }

        /** Values of a flag without effect that cause no warning because they match the actual behavior. */
        public SettingBuilder harmless(String... values) {
            harmless = List.of(values);
            return this;
        }

        /** The valid numbers, and the message about an invalid one. */
        public SettingBuilder range(long least, long most, String error) {
            range = new Setting.Range(least, most, error);
            return this;
        }

        /**
         * Builds the setting.
         *
         * @throws IllegalStateException if no flag can have values of its type, a default has another type, or a flag has no group
         */
        public Setting row() {
            FileField file = field == null
                    ? null
                    : new FileField(field, first, last, fileDefault, fileDefaultBefore, zeroIsDefault);
            if ((flag == null) != (group == null)) {
                throw new IllegalStateException(field + " " + flag + ": a flag has a group, and nothing else has");
            }
            SettingFlag given = flag == null || group == null
                    ? null
                    : new SettingFlag(
                            flag,
                            group,
                            others,
                            label.isEmpty() ? SettingText.label(shape) : label,
                            flagDefault,
                            in117 == null ? flagDefault : in117,
                            displayedDefault,
                            choices,
                            repeatable,
                            hasVariable,
                            noEffect,
                            code,
                            harmless);
            Setting setting = new Setting(shape, file, given, range, description, unit);
            if (given != null) {
                SettingText.requireFlag(setting);
            }
            return setting;
        }
    }

    /**
     * The command-line form of a setting, and its environment variable.
     *
     * @param name with its dashes, e.g. {@code --leader-elect}
     * @param group the section of the help
     * @param others aliases of the flag
     * @param label the placeholder of the value in the help, e.g. {@code FILE}
     * @param byDefault the value if flag, variable and file do not set it; empty for none
     * @param in117 {@code byDefault} with the defaults of kube-scheduler 1.17
     * @param displayedDefault the default as shown in the help; empty to show the value
     * @param choices the valid words, in any case; empty for any
     * @param repeatable whether occurrences add up; otherwise the last one applies
     * @param hasVariable whether the setting has an environment variable
     * @param noEffect why it is accepted without effect, and what to do instead; empty for a flag that is honored
     * @param code of the warning with {@code noEffect}; empty if that is
     * @param harmless values of a flag without effect that cause no warning because they match the actual behavior
     */
    public record SettingFlag(
            String name,
            FlagGroup group,
            List<String> others,
            String label,
            String byDefault,
            String in117,
            String displayedDefault,
            List<String> choices,
            boolean repeatable,
            boolean hasVariable,
            String noEffect,
            String code,
            List<String> harmless) {
        public SettingFlag {
            others = ImmutableList.copyOf(others);
            choices = ImmutableList.copyOf(choices);
            harmless = ImmutableList.copyOf(harmless);
        }

        /** Every spelling, the preferred one first. */
        public List<String> spellings() {
            return ImmutableList.<String>builder().add(name).addAll(others).build();
        }

        /** The value if not set. */
        public String byDefault(Compat compat) {
            return compat == Compat.V1_17 ? in117 : byDefault;
        }
    }

    /** Parses and formats values of flags and variables. Mirrors {@code github.com/spf13/pflag} for booleans and lists. */
    static final class SettingText {
        private static final Set<String> TRUE_WORDS = Set.of("1", "t", "true");
        private static final Set<String> FALSE_WORDS = Set.of("0", "f", "false");

        private SettingText() {}

        /** The default placeholder of a type. */
        static String label(Shape shape) {
            return switch (shape.kind()) {
                case BOOL -> "BOOL";
                case INT32, INT64, FLOAT -> "N";
                case DURATION -> "DURATION";
                case LIST -> "TEXT,...";
                default -> "TEXT";
            };
        }

        /** Fails if a flag has a type that cannot be parsed, or an invalid default. */
        static void requireFlag(Setting setting) {
            Shape shape = setting.shape();
            boolean texts =
                    shape.kind() == Shape.Kind.LIST && shape.elementShape().kind() == Shape.Kind.STRING;
            boolean scalar = switch (shape.kind()) {
                case STRING, BOOL, INT32, INT64, FLOAT, DURATION -> true;
                default -> false;
            };
            if (!texts && !scalar) {
                throw new IllegalStateException(
                        setting.flag() + ": no flag can have values of the type " + shape.goType());
            }
            for (Compat compat : Compat.values()) {
                String value = setting.flagDefault(compat);
                try {
                    if (!value.isEmpty()) {
                        parse(setting, value);
                    }
                } catch (IllegalArgumentException e) {
                    throw new IllegalStateException(
                            setting.flag() + ": its default is no value of it: " + e.getMessage(), e);
                }
            }
        }

        /**
         * Parses a value: a Boolean, Integer, Long, Double, Duration, String or List of String.
         *
         * @throws IllegalArgumentException if it is invalid; the message is for users and follows the name of the flag
         */
        static Object parse(Setting setting, String text) {
            return switch (setting.shape().kind()) {
                case BOOL -> setting.requireFlag().choices().contains(text) || bool(text);
                case INT32 -> required(Ints.tryParse(plain(text)), text, "an int");
                case INT64 -> required(Longs.tryParse(plain(text)), text, "an int");
                case FLOAT -> number(text);
                case DURATION -> duration(text);
                case LIST ->
                    ImmutableList.copyOf(Splitter.on(',').omitEmptyStrings().split(text));
                default -> setting.isList() ? ImmutableList.of(text) : word(setting, text);
            };
        }

        private static String plain(String number) {
            return number.startsWith("+") ? number.substring(1) : number;
        }

        private static <T> T required(@Nullable T value, String text, String type) {
            if (value == null) {
                throw new IllegalArgumentException("'" + text + "' is not " + type);
            }
            return value;
        }

        private static boolean bool(String text) {
            String word = text.toLowerCase(Locale.ROOT);
            if (!TRUE_WORDS.contains(word) && !FALSE_WORDS.contains(word)) {
                throw new IllegalArgumentException("'" + text + "' is not a boolean");
            }
            return TRUE_WORDS.contains(word);
        }

        private static double number(String text) {
            try {
                double value = Double.parseDouble(text);
                if (Double.isFinite(value)) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // Reported below with a message of this program.
            }
            throw new IllegalArgumentException("'" + text + "' is not a number");
        }

        private static Duration duration(String text) {
            try {
                Duration duration = GoDuration.parse(text);
                if (!duration.isNegative()) {
                    return duration;
                }
            } catch (DateTimeException e) {
                // Reported below with a message of this program.
            }
            throw new IllegalArgumentException("'" + text + "' is not a duration (such as 15s, 1m30s or 500ms)");
        }

        private static String word(Setting setting, String text) {
            List<String> choices = setting.requireFlag().choices();
            if (choices.isEmpty()) {
                return text;
            }
            String expected = text.replace('_', '-');
            return choices.stream()
                    .filter(choice -> choice.equalsIgnoreCase(expected))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("expected one of "
                            + choices.stream().collect(Collectors.joining(", ", "[", "]"))
                            + " (case-insensitive) but was '" + text + "'"));
        }

        /** Formats a value in the syntax of a flag. */
        static String format(Object value) {
            if (value instanceof Duration duration) {
                return GoDuration.format(duration);
            }
            if (value instanceof List<?> list) {
                return list.stream().map(String::valueOf).collect(Collectors.joining(","));
            }
            boolean whole = value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15;
            return whole ? String.valueOf(((Double) value).longValue()) : String.valueOf(value);
        }
    }

    /**
     * The location of a setting in a KubeSchedulerConfiguration.
     *
     * @param path keys from the top, joined by dots
     * @param first the first version that has it
     * @param last the last version that has it
     * @param byDefault the value if not set; empty for none
     * @param before {@code byDefault} of the versions before {@code v1beta1}
     * @param zeroIsDefault whether an empty or zero value counts as not set
     */
    public record FileField(
            String path,
            ConfigVersion first,
            ConfigVersion last,
            String byDefault,
            String before,
            boolean zeroIsDefault) {

        /** Whether a version of the file has it. */
        public boolean isIn(ConfigVersion version) {
            return version.atLeast(first) && last.atLeast(version);
        }

        /** The value if a file of this version does not set it; empty for none. */
        public String byDefault(ConfigVersion version) {
            return version.atLeast(ConfigVersion.V1BETA1) ? byDefault : before;
        }
    }

    /** Groups of flags, in the order of the help. */
    public enum FlagGroup {
        CONFIGURATION("Configuration"),
        POLICY("Policy"),
        PROFILES("Profiles and plugins"),
        CLUSTER("Cluster"),
        SCHEDULING("Scheduling"),
        LEADER_ELECTION("Leader election"),
        PLAIN_STATUS("Status port (HTTP)"),
        SECURE_STATUS("Status port (HTTPS)"),
        STATUS_READERS("Authentication and authorization of the HTTPS port"),
        LOG("Log"),
        IGNORED_LOG("kube-scheduler log flags without effect"),
        IGNORED("Other kube-scheduler flags without effect");

        private final String heading;

        FlagGroup(String heading) {
            this.heading = heading;
        }

        /** The heading in the help. */
        public String heading() {
            return heading;
        }
    }

    /** The source of defaults of flags that are not set. */
    public enum Compat {
        /** The defaults of this program: optional features are disabled. */
        NONE(""),
        /** The defaults of kube-scheduler 1.17, so that its command lines keep their meaning. */
        V1_17("1.17");

        private final String text;

        Compat(String text) {
            this.text = text;
        }

        /** The value of {@code --compat}. */
        public String text() {
            return text;
        }
    }
}
