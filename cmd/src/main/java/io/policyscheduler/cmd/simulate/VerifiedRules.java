package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleExecution.Verified;
import java.io.PrintWriter;
import java.util.Map;
import java.util.stream.Collectors;

/** Tells what of the rules was verified with the other executor; nothing when nobody asked. */
record VerifiedRules(RuleExecution execution) {
    /** Prints one line. */
    public void print(PrintWriter out) {
        if (!execution.checks()) {
            return;
        }
        Map<String, Verified> rules = execution.verified();
        long evaluations =
                rules.values().stream().mapToLong(Verified::evaluations).sum();
        long differences =
                rules.values().stream().mapToLong(Verified::differences).sum();
        String which = rules.entrySet().stream()
                .filter(rule -> rule.getValue().differences() > 0)
                .map(rule -> rule.getKey() + " " + rule.getValue().differences())
                .collect(Collectors.joining(", "));
        out.println("rules run by " + execution.executor() + ": " + evaluations + " evaluations verified, "
                + differences + " differences" + (which.isEmpty() ? "" : " (" + which + ")"));
    }

    /** Adds {@code rules} to a report for programs. */
    public void addTo(ObjectNode json) {
        if (!execution.checks()) {
            return;
        }
        ObjectNode rules = json.putObject("rules");
        rules.put("executor", execution.executor().toString());
        ObjectNode all = rules.putObject("verified");
        execution
                .verified()
                .forEach((rule, verified) -> all.putObject(rule)
                        .put("evaluations", verified.evaluations())
                        .put("differences", verified.differences()));
    }
}
