package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException.ConfigurationProblemCode;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Collects validation errors with the messages of {@code k8s.io/apimachinery/pkg/util/validation/field}. Versions before {@code v1}
 * print values that are neither string nor number in Go syntax; {@code v1} prints durations and, since 1.34, lists as JSON.
 */
final class FieldErrors {
    private final String file;
    private final FieldPositions positions;
    private final boolean asJson;
    private final boolean listsAsJson;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Problem> startupProblems = new ArrayList<>();
    private @Nullable String startupMessage;

    /** A prefix of the message, and a part of the path that the message omits. */
    private String prefix = "";

    private String hiddenPath = "";

    FieldErrors(SchedulerConfiguration configuration, Release release) {
        this.listsAsJson = SchedulerChange.VALUES_AS_JSON.in(release);
        this.file = configuration.file();
        this.positions = configuration.positions();
        this.asJson = configuration.version().atLeast(ConfigVersion.V1);
    }

    /** The validation errors; if there are none, the errors of plugin constructors. */
    List<Problem> all() {
        return List.copyOf(problems.isEmpty() ? startupProblems : problems);
    }

    /**
     * Throws if there is a problem.
     *
     * @throws ConfigurationException with all validation errors, or with those of plugin constructors; the message of the latter
     *     ends with the first plugin, as in kube-scheduler
     */
    void check() throws ConfigurationException {
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        if (startupMessage != null) {
            throw new ConfigurationException(startupProblems, startupMessage);
        }
    }

    /**
     * Reports the errors of {@code checks} as the constructor of a plugin does, with paths relative to its arguments. Plugins are
     * constructed only after validation has passed.
     */
    void atStartup(String startupPrefix, String argumentsPath, Runnable checks) {
        prefix = startupPrefix;
        hiddenPath = argumentsPath + ".";
        int before = startupProblems.size();
        checks.run();
        List<String> found = startupProblems.stream()
                .skip(before)
                .map(problem -> problem.message().substring(startupPrefix.length()))
                .toList();
        if (startupMessage == null && !found.isEmpty()) {
            startupMessage = startupPrefix + ConfigurationException.aggregate(found);
        }
        prefix = "";
        hiddenPath = "";
    }

    /** Reports an error of the whole configuration that occurs before the first plugin is constructed. */
    void beforeStartup(String message, SourcePosition position) {
        startupProblems.add(0, Problem.at(ConfigurationProblemCode.INVALID, message, file, position));
        startupMessage = message;
    }

    void invalid(String path, long value, String detail) {
        add(path, "Invalid value: " + value + ": " + detail);
    }

    void invalid(String path, String value, String detail) {
        add(path, "Invalid value: " + GoText.quote(value) + ": " + detail);
    }

    /** An invalid value that is neither string nor number, in Go syntax and as JSON. */
    void invalid(String path, GoValue value, String detail) {
        add(path, "Invalid value: " + value.text(asJson && listsAsJson) + ": " + detail);
    }

    void invalid(String path, Duration value, String detail) {
        add(path, "Invalid value: " + GoValue.of(value).text(asJson) + ": " + detail);
    }

    void required(String path, String detail) {
        add(path, "Required value" + (detail.isEmpty() ? "" : ": " + detail));
    }

    void forbidden(String path, String detail) {
        add(path, "Forbidden: " + detail);
    }

    void duplicate(String path, String value) {
        add(path, "Duplicate value: " + GoText.quote(value));
    }

    /** A duplicate value. Kubernetes prints a pointer here; later releases print nothing. */
    void duplicateOf(String path, String other) {
        add(path, "Duplicate value: " + (asJson ? "{}" : GoText.quote(other)));
    }

    /** An unsupported selector operator, which only later releases report. */
    void unsupportedOperator(String path, String value, List<String> supported) {
        unsupported(path, value, asJson ? supported : List.of());
    }

    /** An unsupported value. */
    void unsupported(String path, String value, List<String> supported) {
        String list = supported.stream().map(GoText::quote).collect(Collectors.joining(", "));
        add(
                path,
                "Unsupported value: " + GoText.quote(value)
                        + (supported.isEmpty() ? "" : ": supported values: " + list));
    }

    /** An invalid value whose path does not match its position in the file, because defaults precede it. */
    void invalid(String path, String value, String detail, SourcePosition position) {
        plain(path + ": Invalid value: " + GoText.quote(value) + ": " + detail, position);
    }

    /** A message of the constructor of a plugin without a field path, about the arguments at {@code path}. */
    void inPlugin(String path, String message) {
        startupProblems.add(
                Problem.at(ConfigurationProblemCode.INVALID, prefix + message, file, positions.nearest(path)));
    }

    /** A message without a field path. */
    void plain(String message, SourcePosition position) {
        problems.add(Problem.at(ConfigurationProblemCode.INVALID, message, file, position));
    }

    /** Adds a message at the innermost object that exists in the file. */
    private void add(String path, String body) {
        String text = path.startsWith(hiddenPath) ? path.substring(hiddenPath.length()) : path;
        List<Problem> stage = prefix.isEmpty() ? problems : startupProblems;
        stage.add(Problem.at(
                ConfigurationProblemCode.INVALID, prefix + text + ": " + body, file, positions.nearest(inFile(path))));
    }

    /** The field name in messages of v1alpha1. */
    private static String inFile(String path) {
        return path.replaceFirst("^leaderElectionConfiguration\\b", "leaderElection");
    }

    /**
     * A value as Go programs print it.
     *
     * @param syntax in the format {@code %#v}
     * @param json in JSON
     */
    record GoValue(String syntax, String json) {
        String text(boolean asJson) {
            return asJson ? json : syntax;
        }

        static GoValue of(Duration duration) {
            return new GoValue(
                    "v1.Duration{Duration:" + duration.toNanos() + "}", GoText.quote(GoDuration.format(duration)));
        }

        /** A list of strings; a missing list is nil. */
        static GoValue ofStrings(JsonNode list) {
            if (list.isMissingNode() || list.isNull()) {
                return new GoValue("[]string(nil)", "null");
            }
            List<String> quoted = new ArrayList<>();
            list.forEach(item -> quoted.add(GoText.quote(item.asText())));
            return new GoValue("[]string{" + String.join(", ", quoted) + "}", "[" + String.join(",", quoted) + "]");
        }

        static GoValue ofShape(JsonNode shape) {
            List<String> points = new ArrayList<>();
            List<String> objects = new ArrayList<>();
            for (JsonNode point : shape) {
                int utilization = point.path("utilization").asInt();
                int score = point.path("score").asInt();
                points.add("config.UtilizationShapePoint{Utilization:" + utilization + ", Score:" + score + "}");
                objects.add("{\"Utilization\":" + utilization + ",\"Score\":" + score + "}");
            }
            return new GoValue(
                    "[]config.UtilizationShapePoint{" + String.join(", ", points) + "}",
                    "[" + String.join(",", objects) + "]");
        }

        static GoValue of(PluginSet set) {
            List<PluginEntry> disabled =
                    set.disabled().stream().map(PluginEntry::of).toList();
            return new GoValue(
                    "config.PluginSet{Enabled:" + syntax(set.enabled()) + ", Disabled:" + syntax(disabled) + "}",
                    "{\"Enabled\":" + json(set.enabled()) + ",\"Disabled\":" + json(disabled) + "}");
        }

        private static String syntax(List<PluginEntry> entries) {
            return entries.isEmpty()
                    ? "[]config.Plugin(nil)"
                    : "[]config.Plugin{" + joined(entries, ", ", "config.Plugin{Name:", ", Weight:") + "}";
        }

        private static String json(List<PluginEntry> entries) {
            return entries.isEmpty() ? "null" : "[" + joined(entries, ",", "{\"Name\":", ",\"Weight\":") + "]";
        }

        private static String joined(List<PluginEntry> entries, String separator, String name, String weight) {
            return entries.stream()
                    .map(entry -> name + GoText.quote(entry.name()) + weight + entry.weight() + "}")
                    .collect(Collectors.joining(separator));
        }
    }
}
