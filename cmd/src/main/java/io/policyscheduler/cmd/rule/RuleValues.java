package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.rule.report.RuleTree;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.PartValue;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an expression comes to for one pod on some nodes.
 *
 * @param pod namespace/name
 * @param budget what one evaluation may be charged in a cluster of this size
 * @param values one for each node, in the order asked for
 */
record RuleValues(RuleProgram program, String pod, long budget, List<OnNode> values) {
    /**
     * The value for one node; {@code bool} and {@code number} are null when the expression is of the other type or fails.
     *
     * @param failure why it has no value, null when it has one
     * @param work what the evaluation was charged for the sizes of what it looked at
     * @param tree the expression with its parts and what they came to; null when not asked for
     */
    public record OnNode(
            String node,
            @Nullable Boolean bool,
            @Nullable Double number,
            @Nullable String failure,
            long work,
            @Nullable PartValue tree) {
        private String text() {
            if (failure != null) {
                return "failed: " + failure;
            }
            return number == null ? String.valueOf(bool) : plain(number);
        }
    }

    public RuleValues {
        values = List.copyOf(values);
    }

    /**
     * Evaluates an expression.
     *
     * @param executor evaluates it
     * @param traced whether the parts are wanted too
     */
    public static RuleValues of(
            RuleProgram program,
            RuleProgram.Executor executor,
            PodInfo pod,
            List<NodeInfo> nodes,
            ClusterView cluster,
            boolean traced) {
        RuleProgram.Run run = program.start(pod, cluster, executor);
        List<OnNode> values = new ArrayList<>();
        for (NodeInfo node : nodes) {
            PartValue tree = traced ? program.trace(pod, node, cluster) : null;
            try {
                boolean isBool = program.type() == RuleType.BOOL;
                values.add(new OnNode(
                        node.name(),
                        isBool ? run.bool(node) : null,
                        isBool ? null : run.number(node),
                        null,
                        run.work(),
                        tree));
            } catch (RuleFailure e) {
                values.add(new OnNode(node.name(), null, null, e.kind().text(), run.work(), tree));
            }
        }
        return new RuleValues(program, pod.key(), program.budget(cluster.nodes().size()), values);
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    /** One table; with trees one for each node, the parts indented under what they are part of. */
    public void print(PrintWriter out) {
        TextTable table = new TextTable().text("NODE");
        if (program.type() == RuleType.NUMBER) {
            table.number("VALUE");
        } else {
            table.text("VALUE");
        }
        values.forEach(value -> table.row(value.node(), value.text()));
        table.print(out);
        for (OnNode value : values) {
            if (value.tree() != null) {
                out.println();
                RuleTree.print(value.node(), value.tree(), out);
            }
        }
    }

    /** The same for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("pod", pod)
                .put("expression", program.expression())
                .put("type", program.type().label())
                .put("scope", program.scope().toString())
                .put("budget", budget);
        ArrayNode nodes = json.putArray("nodes");
        for (OnNode value : values) {
            ObjectNode node = nodes.addObject().put("node", value.node());
            if (value.number() == null) {
                node.put("value", value.bool());
            } else {
                node.put("value", value.number());
            }
            node.put("failure", value.failure()).put("work", value.work());
            if (value.tree() != null) {
                node.set("tree", RuleTree.json(value.tree()));
            }
        }
        return json;
    }
}
