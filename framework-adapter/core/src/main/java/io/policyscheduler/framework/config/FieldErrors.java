package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
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
 * Collects validation problems in the words of {@code k8s.io/apimachinery/pkg/util/validation/field}. Values that are neither
 * text nor number were shown in Go's syntax by the releases of earlier versions; those of {@code v1} show them as JSON.
 */
final class FieldErrors {
    private final String file;
    private final FieldPositions positions;
    private final boolean asJson;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Problem> startupProblems = new ArrayList<>();
    private @Nullable String startupMessage;

    /** A text put before the message, and a part of the path that the message leaves out. */
    private String prefix = "";

    private String hiddenPath = "";

    FieldErrors(SchedulerConfiguration configuration) {
        this.file = configuration.file();
        this.positions = configuration.positions();
        this.asJson = configuration.version().atLeast(ConfigVersion.V1);
    }

    /** What the validation refuses; if it refuses nothing, what plugins refuse afterwards. */
    List<Problem> all() {
        return List.copyOf(problems.isEmpty() ? startupProblems : problems);
    }

    /**
     * Refuses a configuration that has a problem.
     *
     * @throws ConfigurationException with all problems of the validation, or of the plugins; the message of the latter ends with
     *     the first plugin, as that of kube-scheduler
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
     * Words what {@code checks} finds as the constructor of a plugin does, whose paths start at its arguments. Nothing is
     * constructed before the validation has passed.
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

    /** What is wrong with the configuration as a whole when it is used, before the first plugin is constructed. */
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

    /** A value that is neither text nor number, in Go's syntax and as JSON. */
    void invalid(String path, GoValue value, String detail) {
        add(path, "Invalid value: " + value.text(asJson) + ": " + detail);
    }

    void invalid(String path, Duration value, String detail) {
        invalid(path, GoValue.of(value), detail);
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

    /** A value that another place of the file has already, of which Kubernetes shows the memory or, in later releases, nothing. */
    void duplicateOf(String path, String other) {
        add(path, "Duplicate value: " + (asJson ? "{}" : GoText.quote(other)));
    }

    /** A value that is none of the supported ones, which only later releases tell of selectors. */
    void unsupportedOperator(String path, String value, List<String> supported) {
        unsupported(path, value, asJson ? supported : List.of());
    }

    /** A value that is none of the supported ones. */
    void unsupported(String path, String value, List<String> supported) {
        String list = supported.stream().map(GoText::quote).collect(Collectors.joining(", "));
        add(
                path,
                "Unsupported value: " + GoText.quote(value)
                        + (supported.isEmpty() ? "" : ": supported values: " + list));
    }

    /** A value whose path does not lead to its place, because defaults stand before it. */
    void invalid(String path, String value, String detail, SourcePosition position) {
        plain(path + ": Invalid value: " + GoText.quote(value) + ": " + detail, position);
    }

    /** A message without a field path. */
    void plain(String message, SourcePosition position) {
        problems.add(Problem.at(ConfigurationProblemCode.INVALID, message, file, position));
    }

    /** The same position for all messages about a value, the innermost object that the file has. */
    private void add(String path, String body) {
        String shown = path.startsWith(hiddenPath) ? path.substring(hiddenPath.length()) : path;
        List<Problem> stage = prefix.isEmpty() ? problems : startupProblems;
        stage.add(Problem.at(
                ConfigurationProblemCode.INVALID, prefix + shown + ": " + body, file, positions.nearest(inFile(path))));
    }

    /** v1alpha1 messages have a name of their own for this key. */
    private static String inFile(String path) {
        return path.replaceFirst("^leaderElectionConfiguration\\b", "leaderElection");
    }

    /**
     * A value as messages of Go programs show it.
     *
     * @param syntax as {@code %#v} prints it
     * @param json as it is written in JSON
     */
    record GoValue(String syntax, String json) {
        String text(boolean asJson) {
            return asJson ? json : syntax;
        }

        static GoValue of(Duration duration) {
            return new GoValue(
                    "v1.Duration{Duration:" + duration.toNanos() + "}", GoText.quote(GoDuration.format(duration)));
        }

        /** A list of strings; one that is missing is nil. */
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
