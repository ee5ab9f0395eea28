package io.policyscheduler.cmd.validate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.policy.EffectivePolicy;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The effects of fields that are newer than v1.17, as far as the release of the cluster has them. */
final class NewerFieldTable {
    private final EffectivePolicy policy;

    NewerFieldTable(EffectivePolicy policy) {
        this.policy = policy;
    }

    private List<NewerField> served() {
        FeatureGates gates = policy.gates();
        return Arrays.stream(NewerField.values())
                .filter(field -> gates.ignoring(Set.of()).honours(field))
                .toList();
    }

    /** Prints the table; nothing for a cluster of v1.17. */
    void print(PrintWriter out) {
        TextTable table = new TextTable().text("NEWER FIELD").text("EFFECT");
        for (NewerField field : served()) {
            table.row(field.key(), effect(field));
        }
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
    }

    void addTo(ArrayNode json) {
        for (NewerField field : served()) {
            json.addObject().put("name", field.key()).put("path", field.path()).put("effect", effect(field));
        }
    }

    /** Without the predicate DynamicResources, a policy rejects pods with resource claims. */
    private boolean rejectsClaims(NewerField field) {
        return field == NewerField.RESOURCE_CLAIMS && !policy.allocatesClaims();
    }

    private String effect(NewerField field) {
        if (!policy.gates().honours(field)) {
            return "ignored (--ignore-newer-fields)";
        }
        String since = " " + field.since(policy.gates().release());
        return switch (field.effect()) {
            case REQUESTS -> "counted in requests" + since;
            case MANDATORY ->
                rejectsClaims(field)
                        ? "pods with claims are rejected" + since + "; list " + field.algorithm()
                                + " to allocate claims"
                        : "honored by the mandatory " + field.algorithm() + since;
            case WAITS -> "honored" + since + ": pods wait until their gates are removed";
            case PREEMPTION -> "limits preemption" + since;
            case GROWN ->
                policy.predicates().containsKey(field.algorithm())
                        ? "honored by " + field.algorithm() + since
                        : "ignored: the policy has no " + field.algorithm();
        };
    }
}
