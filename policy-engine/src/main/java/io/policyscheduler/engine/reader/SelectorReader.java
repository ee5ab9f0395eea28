package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads label selectors and node selector terms. */
final class SelectorReader {
    private interface RequirementFactory {
        LabelRequirement of(String key, String operator, List<String> values);
    }

    private SelectorReader() {}

    static LabelSelector labelSelector(JsonCursor cursor) throws IOException {
        Labels[] matchLabels = {Labels.EMPTY};
        List<LabelRequirement> expressions = new ArrayList<>(0);
        cursor.object((field, c) -> {
            switch (field) {
                case "matchLabels" -> matchLabels[0] = c.labels();
                case "matchExpressions" ->
                    c.array(e -> expressions.add(requirement(e, LabelRequirement::ofLabelSelector)));
                default -> c.skip();
            }
        });
        return LabelSelector.of(matchLabels[0], expressions);
    }

    /** {@code nodeSelectorTerms} of a node selector object; empty when the field is missing. */
    static List<NodeSelectorTerm> nodeSelector(JsonCursor cursor) throws IOException {
        List<NodeSelectorTerm> terms = new ArrayList<>(1);
        cursor.object((field, c) -> {
            if (field.equals("nodeSelectorTerms")) {
                c.array(t -> terms.add(term(t)));
            } else {
                c.skip();
            }
        });
        return terms;
    }

    static NodeSelectorTerm term(JsonCursor cursor) throws IOException {
        List<LabelRequirement> expressions = new ArrayList<>(1);
        List<LabelRequirement> fields = new ArrayList<>(0);
        cursor.object((field, c) -> {
            switch (field) {
                case "matchExpressions" ->
                    c.array(e -> expressions.add(requirement(e, LabelRequirement::ofNodeSelector)));
                case "matchFields" -> c.array(e -> fields.add(requirement(e, LabelRequirement::ofNodeSelector)));
                default -> c.skip();
            }
        });
        return new NodeSelectorTerm(expressions, fields);
    }

    /** {@code matchLabelExpressions} of a topology term: requirements with an implied In. */
    static List<LabelRequirement> topologyTerm(JsonCursor cursor) throws IOException {
        List<LabelRequirement> requirements = new ArrayList<>(1);
        cursor.object((field, c) -> {
            if (field.equals("matchLabelExpressions")) {
                c.array(e -> requirements.add(
                        requirement(e, (key, operator, values) -> LabelRequirement.ofNodeSelector(key, "In", values))));
            } else {
                c.skip();
            }
        });
        return requirements;
    }

    private static LabelRequirement requirement(JsonCursor cursor, RequirementFactory factory) throws IOException {
        String[] text = {"", ""};
        List<String> values = new ArrayList<>(2);
        cursor.object((field, c) -> {
            switch (field) {
                case "key" -> text[0] = c.string();
                case "operator" -> text[1] = c.string();
                case "values" -> values.addAll(c.strings());
                default -> c.skip();
            }
        });
        return factory.of(text[0], text[1], values);
    }
}
