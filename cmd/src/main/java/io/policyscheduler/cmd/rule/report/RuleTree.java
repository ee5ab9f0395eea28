package io.policyscheduler.cmd.rule.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.rules.compiler.Part;
import io.policyscheduler.engine.rules.compiler.PartValue;
import io.policyscheduler.engine.rules.compiler.Tally;
import io.policyscheduler.engine.rules.compiler.Syntax;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows the parts of an expression and what they came to on a node. Literals, names and maps are left out. */
public final class RuleTree {
    private static final int WIDTH = 100;
    private static final int GAP = 3;
    private static final String INDENT = "  ";
    private static final String CUT = "...";

    private record Row(int depth, String text, String value) {}

    private RuleTree() {}

    /** A table, at most 100 columns wide as long as the values leave room; what is part of something is indented under it. */
    public static void print(String node, PartValue root, PrintWriter out) {
        List<Row> rows = new ArrayList<>();
        collect(root, 0, true, rows);
        int values = rows.stream().mapToInt(row -> row.value().length()).max().orElse(0);
        int width = Math.max(WIDTH / 3, WIDTH - GAP - values);
        TextTable table = new TextTable().text(node).text("VALUE");
        for (Row row : rows) {
            String text = INDENT.repeat(row.depth()) + row.text();
            table.row(text.length() <= width ? text : text.substring(0, width - CUT.length()) + CUT, row.value());
        }
        table.print(out);
    }

    private static void collect(PartValue value, int depth, boolean whole, List<Row> rows) {
        boolean shown = whole || isShown(value.part());
        if (shown) {
            rows.add(new Row(depth, value.part().text(), text(value.tally())));
        }
        if (!shown || value.tally().evaluations() > 0) {
            value.parts().forEach(part -> collect(part, shown ? depth + 1 : depth, false, rows));
        }
    }

    private static boolean isShown(Part part) {
        Syntax syntax = part.syntax();
        boolean plain = syntax instanceof Syntax.NumberLiteral
                || syntax instanceof Syntax.StringLiteral
                || syntax instanceof Syntax.BoolLiteral
                || syntax instanceof Syntax.NullLiteral
                || syntax instanceof Syntax.Name;
        Term term = part.term();
        boolean constant = term instanceof Term.Constant && syntax instanceof Syntax.Unary;
        if (plain || term == null || constant) {
            return false;
        }
        RuleType type = term.type();
        return type.isScalar() || type.isText() || type.isMaybeNumber() || type.element() != null;
    }

    /** What all evaluations came to, in few words. */
    static String text(Tally tally) {
        long times = tally.evaluations();
        if (times == 0) {
            return "not evaluated";
        }
        if (tally.same()) {
            return one(tally) + (times == 1 ? "" : " for all " + times);
        }
        if (tally.trues() + tally.falses() > 0) {
            return "true for " + tally.trues() + " of " + times;
        }
        return times + " values";
    }

    private static String one(Tally tally) {
        if (tally.failure() != null) {
            return "failed: " + tally.failure();
        }
        if (tally.value() instanceof Integer size) {
            return size + (size == 1 ? " element" : " elements");
        }
        return tally.value() == null ? "null" : TermText.of(tally.value());
    }

    /** The same for programs. */
    public static ObjectNode json(PartValue value) {
        Part part = value.part();
        Tally tally = value.tally();
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("text", part.text())
                .put("line", part.line())
                .put("column", part.column())
                .put("evaluations", tally.evaluations());
        put(json, tally.same() ? tally.value() : null);
        json.put("failure", tally.failure()).put("true", tally.trues()).put("false", tally.falses());
        List<PartValue> shown = new ArrayList<>();
        value.parts().forEach(inner -> shown(inner, shown));
        ArrayNode parts = json.putArray("parts");
        shown.forEach(inner -> parts.add(json(inner)));
        return json;
    }

    private static void shown(PartValue value, List<PartValue> into) {
        if (isShown(value.part())) {
            into.add(value);
        } else {
            value.parts().forEach(part -> shown(part, into));
        }
    }

    private static void put(ObjectNode json, @Nullable Object value) {
        if (value instanceof Boolean bool) {
            json.put("value", bool);
        } else if (value instanceof Double number) {
            json.put("value", number);
        } else if (value instanceof Integer size) {
            json.put("value", size);
        } else {
            json.put("value", value == null ? null : String.valueOf(value));
        }
    }
}
