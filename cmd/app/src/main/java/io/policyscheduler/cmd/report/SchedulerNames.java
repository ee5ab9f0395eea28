package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The names of schedulers and algorithms in reports for people. JSON keeps the full names. */
public final class SchedulerNames {
    private static final String DEFAULT_KIND = "framework:";

    private SchedulerNames() {}

    /** A scheduler as the user wrote it, without redundant prefixes: {@code policy:a/policy.json} is {@code a/policy.json}. */
    public static String of(String name) {
        String bare = name.startsWith(DEFAULT_KIND) ? name.substring(DEFAULT_KIND.length()) : name;
        for (String kind : List.of("policy:", "provider:")) {
            if (bare.startsWith(kind)) {
                return bare.substring(kind.length());
            }
        }
        return bare;
    }

    /** Short names of several schedulers: without folders, unless two would be equal. */
    public static List<String> of(List<String> names) {
        List<String> bare = names.stream().map(SchedulerNames::of).toList();
        List<String> files = bare.stream().map(SchedulerNames::file).toList();
        return new LinkedHashSet<>(files).size() == new LinkedHashSet<>(bare).size() ? files : bare;
    }

    private static String file(String name) {
        int colon = name.indexOf(':');
        int slash = name.lastIndexOf('/');
        return slash < 0 || name.startsWith("configmap:")
                ? name
                : name.substring(0, colon + 1) + name.substring(slash + 1);
    }

    static String of(CompareReport report, int index) {
        return of(report.schedulers().stream().map(SchedulerSpec::name).toList())
                .get(index);
    }

    /** A scheduler of a report by its full name; other names stay as they are. */
    static String of(CompareReport report, String name) {
        List<String> full =
                report.schedulers().stream().map(SchedulerSpec::name).toList();
        int index = full.indexOf(name);
        return index < 0 ? name : of(full).get(index);
    }

    /** The names of an algorithm in the scheduler that has it, with its plugin: {@code NodeLabel filter (InAZone, NotRetiring)}. */
    static String title(CompareReport report, int index, Cause cause) {
        String names = shortTitle(report, index, cause);
        return cause.concept() == null || cause.label().startsWith(names + " ")
                ? cause.label()
                : cause.label() + " (" + names + ")";
    }

    /** The names alone: those of the reference, or of the other scheduler if only that one has the algorithm. */
    static String shortTitle(CompareReport report, int index, Cause cause) {
        if (cause.concept() == null) {
            return cause.label();
        }
        boolean isOther = cause.reference().isEmpty();
        SchedulerSpec source = report.schedulers().get(isOther ? index + 1 : 0);
        return algorithms(
                source.names(),
                isOther ? cause.other() : cause.reference(),
                cause.label().endsWith(" filter"));
    }

    /** The first cause of a pod, and the number of the others. */
    static String shortCause(CompareReport report, int index, Difference difference) {
        if (difference.causes().isEmpty()) {
            return Difference.NOT_FOUND;
        }
        // With a comma, entries that are merged would look like several causes.
        String first = shortTitle(report, index, difference.causes().get(0)).replace(", ", "/");
        int more = difference.causes().size() - 1;
        return more == 0 ? first : first + " and " + more + (more == 1 ? " more cause" : " more causes");
    }

    private static String algorithms(PolicyNames names, Collection<String> algorithms, boolean isFilter) {
        UnaryOperator<String> name = isFilter ? names::filter : names::score;
        Set<String> shown = new LinkedHashSet<>();
        algorithms.forEach(algorithm -> shown.add(name.apply(algorithm)));
        return String.join(", ", shown);
    }

    /** Returns an object with other keys; a key that would be there twice stays as it is. */
    public static ObjectNode keys(JsonNode object, UnaryOperator<String> name) {
        ObjectNode renamed = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(field -> {
            String key = name.apply(field.getKey());
            renamed.set(renamed.has(key) ? field.getKey() : key, field.getValue());
        });
        return renamed;
    }
}
