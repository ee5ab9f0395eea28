package io.policyscheduler.cmd.options;

import com.google.common.base.Splitter;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Selectors as kubectl takes them: {@code app=web,tier!=db,env in (a,b),!old}. */
public final class LabelSelectorConverter implements ITypeConverter<LabelSelector> {
    /** Commas within parentheses separate values, all others requirements. */
    private static final Splitter REQUIREMENTS =
            Splitter.onPattern(",(?![^(]*\\))").trimResults();

    private static final Splitter VALUES = Splitter.on(',').trimResults();
    private static final Pattern SET = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^()]*)\\)");
    private static final Pattern COMPARISON = Pattern.compile("([^=!\\s]+)\\s*(==|=|!=)\\s*([^=!\\s]*)");
    private static final Pattern EXISTENCE = Pattern.compile("(!?)\\s*([^=!\\s()]+)");

    @Override
    public LabelSelector convert(String value) {
        List<LabelRequirement> requirements = REQUIREMENTS
                .splitToStream(value)
                .map(part -> requirement(part, value))
                .toList();
        LabelSelector selector = new LabelSelector(requirements);
        if (selector.error() != null) {
            throw new TypeConversionException("'" + value + "': " + selector.error());
        }
        return selector;
    }

    private static LabelRequirement requirement(String part, String whole) {
        @Nullable LabelRequirement requirement = parsed(part);
        if (requirement == null) {
            throw new TypeConversionException("'" + whole + "' is not a selector (such as app=web,tier!=db)");
        }
        return requirement;
    }

    private static @Nullable LabelRequirement parsed(String part) {
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            String operator = set.group(2).equals("in") ? "In" : "NotIn";
            return LabelRequirement.ofLabelSelector(set.group(1), operator, VALUES.splitToList(set.group(3)));
        }
        Matcher comparison = COMPARISON.matcher(part);
        if (comparison.matches()) {
            String operator = comparison.group(2).equals("!=") ? "NotIn" : "In";
            return LabelRequirement.ofLabelSelector(comparison.group(1), operator, List.of(comparison.group(3)));
        }
        Matcher existence = EXISTENCE.matcher(part);
        if (existence.matches()) {
            String operator = existence.group(1).isEmpty() ? "Exists" : "DoesNotExist";
            return LabelRequirement.ofLabelSelector(existence.group(2), operator, List.of());
        }
        return null;
    }
}
