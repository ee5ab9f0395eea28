package io.policyscheduler.framework.config.setting;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.Shape;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One setting of a scheduler: where a KubeSchedulerConfiguration has it, the flag and the variable of the environment, its
 * type, range and defaults.
 *
 * @param field path in the file
 * @param shape type of the value
 * @param first the first version of the file that has it
 * @param last the last version of the file that has it
 * @param fileDefault what a file means that leaves it out; empty for nothing
 * @param fileDefaultBefore {@code fileDefault} of the versions before {@code v1beta1}
 * @param zeroIsDefault whether an empty or zero value in the file counts as left out
 * @param flag of {@code run}, empty for none
 * @param flagDefault what holds if neither flag nor variable nor file says it
 * @param description one line for {@code --help}, empty where the flag describes itself
 * @param range the values it may have, null for all
 */
public record Setting(
        String field,
        Shape shape,
        ConfigVersion first,
        ConfigVersion last,
        String fileDefault,
        String fileDefaultBefore,
        boolean zeroIsDefault,
        String flag,
        String flagDefault,
        String description,
        @Nullable Range range) {
    /** What every variable begins with. */
    public static final String PREFIX = "POLICY_SCHEDULER_";

    /**
     * The numbers that a setting may be.
     *
     * @param error what Kubernetes says about another one
     */
    public record Range(long least, long most, String error) {}

    static Setting of(String field, Shape shape) {
        return new Setting(field, shape, ConfigVersion.V1ALPHA1, ConfigVersion.V1, "", "", false, "", "", "", null);
    }

    Setting since(ConfigVersion version) {
        return new Setting(
                field,
                shape,
                version,
                last,
                fileDefault,
                fileDefaultBefore,
                zeroIsDefault,
                flag,
                flagDefault,
                description,
                range);
    }

    Setting until(ConfigVersion version) {
        return new Setting(
                field,
                shape,
                first,
                version,
                fileDefault,
                fileDefaultBefore,
                zeroIsDefault,
                flag,
                flagDefault,
                description,
                range);
    }

    /** The default of files. */
    Setting byDefault(String value) {
        return byDefault(value, value);
    }

    /** The default of files, and another one before {@code v1beta1}. */
    Setting byDefault(String value, String before) {
        return new Setting(
                field, shape, first, last, value, before, zeroIsDefault, flag, flagDefault, description, range);
    }

    Setting zeroIsDefault(String value, String before) {
        return new Setting(field, shape, first, last, value, before, true, flag, flagDefault, description, range);
    }

    Setting flag(String name, String value, String text) {
        return new Setting(
                field, shape, first, last, fileDefault, fileDefaultBefore, zeroIsDefault, name, value, text, range);
    }

    Setting range(long least, long most, String error) {
        return new Setting(
                field,
                shape,
                first,
                last,
                fileDefault,
                fileDefaultBefore,
                zeroIsDefault,
                flag,
                flagDefault,
                description,
                new Range(least, most, error));
    }

    /** The variable of a flag: {@code POLICY_SCHEDULER_LEADER_ELECT} of {@code --leader-elect}. */
    public static String variable(String flag) {
        return PREFIX
                + Ascii.toUpperCase(
                        flag.replaceFirst("^--", "").replace('-', '_').replace('.', '_'));
    }

    /** The variable of the environment, empty where there is no flag. */
    public String variable() {
        return flag.isEmpty() ? "" : variable(flag);
    }

    /** Whether a version of the file has it. */
    public boolean isIn(ConfigVersion version) {
        return version.atLeast(first) && last.atLeast(version);
    }

    /** What a file of a version means that leaves it out; empty for nothing. */
    public String fileDefault(ConfigVersion version) {
        return version.atLeast(ConfigVersion.V1BETA1) ? fileDefault : fileDefaultBefore;
    }

    /** The value in a decoded file or the default of its version; missing when there is neither. */
    public JsonNode value(JsonNode tree, ConfigVersion version) {
        JsonNode given = given(tree);
        String replacement = fileDefault(version);
        boolean missing = given.isMissingNode() || (zeroIsDefault && isZero(given));
        return !missing || replacement.isEmpty() ? given : parse(replacement);
    }

    private JsonNode given(JsonNode tree) {
        JsonNode node = tree;
        for (String key : Splitter.on('.').split(field)) {
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

    private JsonNode parse(String text) {
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

    /** What is wrong with a number, in the words that follow the value; empty if nothing is. */
    public Optional<String> problem(long value) {
        return range == null || (value >= range.least() && value <= range.most())
                ? Optional.empty()
                : Optional.of(range.error());
    }
}
