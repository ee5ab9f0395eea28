package io.policyscheduler.framework.config.setting;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.base.Ascii;
import com.google.common.base.CaseFormat;
import com.google.common.base.Splitter;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.Shape;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One setting of a scheduler: where a KubeSchedulerConfiguration has it, the flag and the variable of the environment, its
 * type, range and defaults. Everything that is said about a setting anywhere is said from this row.
 *
 * @param shape type of the value
 * @param file where the file has it, null if it does not
 * @param spelled how the command line has it, null if it does not
 * @param range the numbers it may be, null for all
 * @param description one or two sentences, without the default
 * @param unit of the number, empty if it has none or its text carries it
 */
public record Setting(
        Shape shape,
        @Nullable FileField file,
        @Nullable SettingFlag spelled,
        @Nullable Range range,
        String description,
        String unit) {
    /** What every variable begins with. */
    public static final String PREFIX = "POLICY_SCHEDULER_";

    /**
     * The numbers that a setting may be.
     *
     * @param error what Kubernetes says about another one
     */
    public record Range(long least, long most, String error) {}

    /** A row of a field of the file. */
    static SettingBuilder of(String field, Shape shape) {
        return new SettingBuilder(field, null, shape);
    }

    /** A row that only the command line and the environment have. */
    public static SettingBuilder ofFlag(String flag, Shape shape) {
        return new SettingBuilder(null, flag, shape);
    }

    /** The path in the file, empty where it has none. */
    public String field() {
        return file == null ? "" : file.path();
    }

    /** The flag, empty where there is none. */
    public String flag() {
        return spelled == null ? "" : spelled.name();
    }

    /**
     * The flag with all that is known of it.
     *
     * @throws IllegalStateException when there is none
     */
    public SettingFlag requireFlag() {
        if (spelled == null) {
            throw new IllegalStateException(field() + " has no flag");
        }
        return spelled;
    }

    /** Whether its value is a list, to which each time that the flag is given adds. */
    public boolean isList() {
        return shape.kind() == Shape.Kind.LIST || (spelled != null && spelled.repeatable());
    }

    /** What holds if neither flag nor variable nor file says it; empty for nothing. */
    public String flagDefault(Compat compat) {
        return spelled == null ? "" : spelled.byDefault(compat);
    }

    /** The same with the defaults of this program. */
    public String flagDefault() {
        return flagDefault(Compat.NONE);
    }

    /** The variable of a flag: {@code POLICY_SCHEDULER_LEADER_ELECT} of {@code --leader-elect}. */
    public static String variable(String flag) {
        return PREFIX
                + Ascii.toUpperCase(
                        flag.replaceFirst("^--?", "").replace('-', '_').replace('.', '_'));
    }

    /** The variable of the environment, empty where there is none. */
    public String variable() {
        return spelled == null || !spelled.hasVariable() ? "" : variable(spelled.name());
    }

    /** What messages about its value call it: the field, or the flag written like one. */
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

    /** What a file of a version means that leaves it out; empty for nothing. */
    public String fileDefault(ConfigVersion version) {
        return file == null ? "" : file.byDefault(version);
    }

    /** The value in a decoded file or the default of its version; missing when there is neither. */
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

    /** A text of this row as a file has it. */
    public JsonNode node(String text) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (shape.kind()) {
            case BOOL -> nodes.booleanNode(Boolean.parseBoolean(text));
            case INT32, INT64 -> nodes.numberNode(Long.parseLong(text));
            case FLOAT -> nodes.numberNode(Double.parseDouble(text));
            default -> nodes.textNode(text);
        };
    }

    /** A duration of a decoded file or the default of its version. */
    public Duration duration(JsonNode tree, ConfigVersion version) {
        String text = value(tree, version).asText();
        return text.isEmpty() ? Duration.ZERO : GoDuration.parse(text);
    }

    /** A value as a flag has it. */
    public String text(JsonNode value) {
        boolean duration =
                shape.kind() == Shape.Kind.DURATION && !value.asText().isEmpty();
        return duration ? GoDuration.format(GoDuration.parse(value.asText())) : value.asText();
    }

    /**
     * The value of a text: a Boolean, Integer, Long, Double, Duration, String or List of String.
     *
     * @throws IllegalArgumentException when it is none; the message is for users and follows the name of the flag
     */
    public Object parse(String text) {
        return SettingText.parse(this, text);
    }

    /** A value that {@link #parse} gave, as a flag has it. */
    public static String format(Object value) {
        return SettingText.format(value);
    }

    /** What is wrong with a number, in the words that follow the value; empty if nothing is. */
    public Optional<String> problem(long value) {
        return range == null || (value >= range.least() && value <= range.most())
                ? Optional.empty()
                : Optional.of(range.error());
    }
}
