package io.policyscheduler.framework.config.setting;

import io.policyscheduler.engine.document.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts a row together: what it is in a file, on the command line, and which values it takes. */
public final class SettingBuilder {
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
    private String shownDefault = "";
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

    /** The default of files. */
    SettingBuilder byDefault(String value) {
        fileDefault = value;
        fileDefaultBefore = value;
        return this;
    }

    /** The default of files, which an empty or zero value means too; another one before {@code v1beta1}. */
    SettingBuilder zeroIsDefault(String value, String before) {
        fileDefault = value;
        fileDefaultBefore = before;
        zeroIsDefault = true;
        return this;
    }

    /**
     * The flag.
     *
     * @param value its default, empty for none
     */
    SettingBuilder flag(String name, String value) {
        flag = name;
        flagDefault = value;
        return this;
    }

    /** Where the help has the flag. */
    public SettingBuilder in(FlagGroup flags) {
        group = flags;
        return this;
    }

    /** What holds if nobody says it, empty for nothing. */
    public SettingBuilder standard(String value) {
        flagDefault = value;
        return this;
    }

    /** What holds instead with the defaults of kube-scheduler 1.17. */
    public SettingBuilder in117(String value) {
        in117 = value;
        return this;
    }

    /** Other spellings of the flag. */
    public SettingBuilder also(String... spellings) {
        others = List.of(spellings);
        return this;
    }

    /** What stands for the value in the help; by default the type has a word for it. */
    public SettingBuilder label(String text) {
        label = text;
        return this;
    }

    /** One or two sentences for the help, without the default. */
    public SettingBuilder text(String... lines) {
        description = String.join(" ", lines);
        return this;
    }

    /** What the help says of the default, where the value alone does not tell. */
    public SettingBuilder shownDefault(String text) {
        shownDefault = text;
        return this;
    }

    /** What the number counts. */
    public SettingBuilder unit(String text) {
        unit = text;
        return this;
    }

    /** The words that are allowed, in any case. */
    public SettingBuilder choices(String... words) {
        choices = List.of(words);
        return this;
    }

    /** May be given several times, which adds up. */
    public SettingBuilder repeatable() {
        repeatable = true;
        return this;
    }

    /** No variable of the environment gives it. */
    public SettingBuilder withoutVariable() {
        hasVariable = false;
        return this;
    }

    /**
     * Accepted, and told to do nothing.
     *
     * @param warning its code
     * @param reason why, and what to do instead
     */
    public SettingBuilder noEffect(String warning, String reason) {
        code = warning;
        noEffect = reason;
        return this;
    }

    /** Values of a flag without effect that need no warning, for they ask for what is so anyway. */
    public SettingBuilder harmless(String... values) {
        harmless = List.of(values);
        return this;
    }

    /** The numbers that are allowed, and the words about another one. */
    public SettingBuilder range(long least, long most, String error) {
        range = new Setting.Range(least, most, error);
        return this;
    }

    /**
     * The row.
     *
     * @throws IllegalStateException when no flag can have values of its type, a default is not of it, or a flag has no group
     */
    public Setting row() {
        FileField file =
                field == null ? null : new FileField(field, first, last, fileDefault, fileDefaultBefore, zeroIsDefault);
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
                        shownDefault,
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
