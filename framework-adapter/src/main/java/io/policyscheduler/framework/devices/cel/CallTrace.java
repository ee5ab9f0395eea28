package io.policyscheduler.framework.devices.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The values that the parts of an expression have had in an evaluation that failed. For one evaluation; owned by one thread. */
final class CallTrace implements CelEvaluationListener {
    /** Those whose arguments need not all have a value. */
    private static final Set<String> LAZY = Set.of("_&&_", "_||_", "_?_:_", "@not_strictly_false");

    /**
     * A call that gave no value.
     *
     * @param args its arguments in order, with what stands before the dot first
     */
    record Failed(String function, List<Object> args) {}

    private final List<CelNavigableExpr> nodes;
    private final Map<Long, CelNavigableExpr> byId = new HashMap<>();
    private final Map<Long, Object> values = new HashMap<>();

    CallTrace(CelAbstractSyntaxTree ast) {
        this.nodes = CelNavigableAst.fromAst(ast).getRoot().allNodes().toList();
        nodes.forEach(node -> byId.put(node.id(), node));
    }

    /** What the value is for has not had one since: in a loop it has one of an earlier round. */
    @Override
    public void callback(CelExpr expr, Object value) {
        values.put(expr.id(), value);
        Optional<CelNavigableExpr> above =
                Optional.ofNullable(byId.get(expr.id())).flatMap(CelNavigableExpr::parent);
        while (above.isPresent()) {
            values.remove(above.get().id());
            above = above.get().parent();
        }
    }

    /** The call at which the evaluation ended; empty when it was none, or more than one is possible. */
    Optional<Failed> failed() {
        List<Failed> found = new ArrayList<>();
        for (CelNavigableExpr node : nodes) {
            if (node.getKind() != CelExpr.ExprKind.Kind.CALL || values.containsKey(node.id())) {
                continue;
            }
            CelExpr.CelCall call = node.expr().call();
            List<CelExpr> args = new ArrayList<>();
            call.target().ifPresent(args::add);
            args.addAll(call.args());
            boolean isReady = args.stream().allMatch(arg -> values.containsKey(arg.id()));
            if (isReady && !LAZY.contains(call.function())) {
                found.add(new Failed(
                        call.function(),
                        args.stream().map(arg -> values.get(arg.id())).toList()));
            }
        }
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }
}
