package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.FieldPositions;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Collects validation problems in the words of {@code k8s.io/apimachinery/pkg/util/validation/field}. */
final class FieldErrors {
    private final String file;
    private final FieldPositions positions;
    private final List<Problem> problems = new ArrayList<>();

    /** A text put before the message, and a part of the path that the message leaves out. */
    private String prefix = "";

    private String hiddenPath = "";

    FieldErrors(String file, FieldPositions positions) {
        this.file = file;
        this.positions = positions;
    }

    List<Problem> all() {
        return List.copyOf(problems);
    }

    /** Words what {@code checks} finds as the constructor of a plugin does, whose paths start at its arguments. */
    void atStartup(String startupPrefix, String argumentsPath, Runnable checks) {
        prefix = startupPrefix;
        hiddenPath = argumentsPath + ".";
        checks.run();
        prefix = "";
        hiddenPath = "";
    }

    void invalid(String path, long value, String detail) {
        add(path, "Invalid value: " + value + ": " + detail);
    }

    void invalid(String path, String value, String detail) {
        add(path, "Invalid value: " + GoText.quote(value) + ": " + detail);
    }

    /** A value that Go prints with {@code %#v}. */
    void invalidSyntax(String path, String goSyntax, String detail) {
        add(path, "Invalid value: " + goSyntax + ": " + detail);
    }

    void invalid(String path, Duration value, String detail) {
        invalidSyntax(path, "v1.Duration{Duration:" + value.toNanos() + "}", detail);
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

    /** A value that is none of the supported ones; the nearest is suggested. */
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
        problems.add(Problem.at(
                ConfigurationProblemCode.INVALID, prefix + shown + ": " + body, file, positions.nearest(inFile(path))));
    }

    /** v1alpha1 messages have a name of their own for this key. */
    private static String inFile(String path) {
        return path.replaceFirst("^leaderElectionConfiguration\\b", "leaderElection");
    }

    /** A list of strings in Go syntax. */
    static String goStrings(@Nullable JsonNode list) {
        if (list == null || list.isMissingNode() || list.isNull()) {
            return "[]string(nil)";
        }
        List<String> quoted = new ArrayList<>();
        list.forEach(item -> quoted.add(GoText.quote(item.asText())));
        return "[]string{" + String.join(", ", quoted) + "}";
    }
}
