package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.rules.syntax.Shown;
import io.policyscheduler.engine.rules.table.Measuring;
import io.policyscheduler.engine.rules.table.PlacedAmount;
import io.policyscheduler.engine.rules.table.TableOrigin;
import io.policyscheduler.engine.rules.table.TableSchema;
import io.policyscheduler.engine.rules.table.WhenStale;
import io.policyscheduler.engine.rules.value.RuleType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What only tables whose values are measured have. */
final class MeasuredFields {
    private static final Duration LEAST_AGE = Duration.ofSeconds(1);
    private static final Duration MOST_AGE = Duration.ofDays(7);

    private MeasuredFields() {}

    /** Adds the types of what is measured, which no values tell when the policy is read; refuses others. */
    static void complete(
            TableFields fields, TableOrigin origin, SortedMap<String, RuleType> declared, Map<String, SourceNode> given)
            throws TableException {
        SortedMap<String, RuleType> measured = new TreeMap<>();
        if (origin instanceof TableOrigin.Prometheus) {
            measured.put(TableSchema.VALUE, RuleType.NUMBER);
        } else if (origin instanceof TableOrigin.NodeMetrics) {
            measured.put("cpu", RuleType.NUMBER);
            measured.put("memory", RuleType.NUMBER);
        } else {
            return;
        }
        SourceNode types = given.getOrDefault("type", given.get("fields"));
        if (types != null && !declared.equals(measured)) {
            throw fields.refusal(
                    "the values of " + origin.text() + " are "
                            + (measured.containsKey(TableSchema.VALUE) ? "numbers" : "records of cpu and memory"),
                    "leave out type and fields",
                    types);
        }
        declared.putAll(measured);
    }

    /**
     * How the values are taken.
     *
     * @param source the field that names the origin
     * @param types of the fields
     */
    static Measuring measuring(
            TableFields fields,
            TableOrigin origin,
            String source,
            SortedMap<String, RuleType> types,
            Map<String, SourceNode> given)
            throws TableException {
        for (String name : List.of("staleAfter", "whenStale", "plusPlaced")) {
            SourceNode node = given.get(name);
            if (node != null && !origin.isMeasured()) {
                throw fields.refusal(
                        name + " with " + source, "only values that are measured have an age; leave it out", node);
            }
        }
        SourceNode age = given.get("staleAfter");
        Duration staleAfter = age == null ? null : fields.time("staleAfter", age, LEAST_AGE, LEAST_AGE, MOST_AGE);
        return new Measuring(
                staleAfter,
                whenStale(fields, given.get("whenStale")),
                plusPlaced(fields, types, given.get("plusPlaced")));
    }

    private static WhenStale whenStale(TableFields fields, @Nullable SourceNode node) throws TableException {
        if (node == null || node.text().equals("default")) {
            return WhenStale.DEFAULT;
        }
        if (node.text().equals("skip")) {
            return WhenStale.SKIP;
        }
        throw fields.refusal(
                "whenStale \"" + Shown.text(VisibleText.line(node.text())) + "\"",
                "write default, for what is missing, or skip, to leave out rules without any value",
                node);
    }

    private static SortedMap<String, PlacedAmount> plusPlaced(
            TableFields fields, SortedMap<String, RuleType> types, @Nullable SourceNode node) throws TableException {
        SortedMap<String, PlacedAmount> amounts = new TreeMap<>();
        if (node == null) {
            return amounts;
        }
        if (types.containsKey(TableSchema.VALUE)) {
            amounts.put(TableSchema.VALUE, amount(fields, node));
            return amounts;
        }
        for (Map.Entry<String, SourceNode> field :
                fields.of(node, List.copyOf(types.keySet())).entrySet()) {
            amounts.put(field.getKey(), amount(fields, field.getValue()));
        }
        return amounts;
    }

    private static PlacedAmount amount(TableFields fields, SourceNode node) throws TableException {
        for (PlacedAmount amount : PlacedAmount.values()) {
            if (node.kind() == SourceNode.Kind.STRING && node.text().equals(amount.text())) {
                return amount;
            }
        }
        throw fields.refusal(
                "plusPlaced \"" + Shown.text(VisibleText.line(node.text())) + "\"",
                "there are "
                        + Arrays.stream(PlacedAmount.values())
                                .map(PlacedAmount::text)
                                .collect(Collectors.joining(", ")),
                node);
    }
}
