package io.policyscheduler.framework.devices.cel;

import dev.cel.common.CelIssue;
import dev.cel.common.Source;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What cel-go says where the compiler of this JVM finds fault. */
final class CompileTexts {
    private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*", Pattern.DOTALL);
    private static final Pattern SYNTAX = Pattern.compile(
            "(mismatched input|extraneous input|no viable|token recognition|missing ).*", Pattern.DOTALL);

    private CompileTexts() {}

    static String of(List<CelIssue> issues, Source source) {
        return issues.stream()
                .map(CompileTexts::reworded)
                .map(issue -> issue.toDisplayString(source))
                // What has() asks twice is found fault with twice.
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    private static CelIssue reworded(CelIssue issue) {
        return CelIssue.formatError(issue.getExprId(), issue.getSourceLocation(), text(issue.getMessage()));
    }

    private static String text(String message) {
        String plain = CANDIDATES.matcher(message).replaceFirst("");
        return SYNTAX.matcher(plain).matches() ? "Syntax error: " + plain : plain;
    }
}
