package io.policyscheduler.tests.documents;

import java.util.List;
import java.util.regex.Pattern;

/** Removes from the output of a command what may differ between two runs. */
final class Likeness {
    private record Rule(Pattern pattern, String instead) {
        Rule(String pattern, String instead) {
            this(Pattern.compile(pattern), instead);
        }
    }

    private static final List<Rule> RULES = List.of(
            // Timestamps: 2026-11-22T00:32:57.359, 2026-11-23T03:24:17.639885999Z.
            new Rule("\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z?", "MOMENT"),
            // Durations and ages: 0.3 s, 1.081 ms, 12s, 2m5s.
            new Rule("\\b\\d+(\\.\\d+)? m?s\\b", "TIME"),
            new Rule("\\b(\\d+h)?(\\d+m)?\\d+(\\.\\d+)?m?s\\b", "TIME"),
            // The number of attempts of a waiting pod.
            new Rule("\\b([Aa])ttempt \\d+\\b", "$1ttempt N"),
            // Which of several equal pods is evicted depends on their start times.
            new Rule("\\bevict(s|ed) \\S+-\\d+\\b", "evict POD"),
            // Ports chosen by the operating system.
            new Rule("\\b127\\.0\\.0\\.1:\\d{5}\\b", "127.0.0.1:PORT"),
            // Pod IPs, which are assigned in the order of starts.
            new Rule("\\b10\\.0\\.0\\.\\d+\\b", "10.0.0.N"),
            // Digests, commits, and generated name suffixes.
            new Rule("\\b[0-9a-f]{12,64}\\b", "DIGEST"),
            // The version of an unreleased build.
            new Rule("\\bpolicy-scheduler \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\b", "policy-scheduler VERSION"),
            // Columns are as wide as their values.
            new Rule("[ ]{2,}", "  "),
            new Rule("[ ]+$", ""));

    private Likeness() {}

    static List<String> of(List<String> lines) {
        return lines.stream().map(Likeness::of).toList();
    }

    private static String of(String line) {
        String result = line;
        for (Rule rule : RULES) {
            result = rule.pattern.matcher(result).replaceAll(rule.instead);
        }
        return result;
    }
}
