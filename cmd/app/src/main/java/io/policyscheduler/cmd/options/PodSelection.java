package io.policyscheduler.cmd.options;

import com.google.common.base.Splitter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Picocli mixin: the selection of pods, with the flags of kubectl. Pods that are not selected stay where they are. */
public final class PodSelection {
    private static final String ALL = "all";
    /** The default of the API server for pods without a scheduler name. */
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Select only pods in this namespace (default: all namespaces).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Select pods in all namespaces. Overrides --namespace.")
    private boolean allNamespaces;

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            converter = SelectorConverter.class,
            description = "Select only pods with these labels, such as app=web,tier!=db (default: all pods).")
    private LabelSelector selector = LabelSelector.EVERYTHING;

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "Select only pods with this spec.schedulerName (default: ${DEFAULT-VALUE}).")
    private String scheduler = ALL;

    /** Returns whether the pod is selected. */
    public boolean wants(PodInfo pod) {
        return (namespace == null || allNamespaces || namespace.equals(pod.namespace()))
                && selector.matches(pod.labels())
                && (scheduler.equals(ALL) || scheduler.equals(scheduler(pod)));
    }

    /**
     * Returns the message for the case that no pod is selected.
     *
     * @param pods the candidates; not empty
     * @param what state of the pods, such as {@code pending}
     */
    public String noneOf(Collection<PodInfo> pods, String what) {
        TreeSet<String> schedulers = new TreeSet<>();
        TreeSet<String> namespaces = new TreeSet<>();
        pods.forEach(pod -> {
            schedulers.add(scheduler(pod));
            namespaces.add(pod.namespace());
        });
        return "none of the " + pods.size() + " " + what + " pods is selected by --namespace, --selector and"
                + " --scheduler-name; they are in " + String.join(", ", namespaces) + ", for "
                + String.join(", ", schedulers);
    }

    private static String scheduler(PodInfo pod) {
        String name = pod.spec().schedulerName();
        return name.isEmpty() ? DEFAULT_SCHEDULER : name;
    }

    /** Selectors as kubectl takes them: {@code app=web,tier!=db,env in (a,b),!old}. */
    public static final class SelectorConverter implements ITypeConverter<LabelSelector> {
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
}
