package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.reader.PodReader.PodFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code spec.affinity}. */
final class AffinityReader {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private @Nullable List<NodeSelectorTerm> requiredNode;
    private final List<Affinity.PreferredNodeTerm> preferredNode = new ArrayList<>(0);
    private Affinity.@Nullable PodTerms podAffinity;
    private Affinity.@Nullable PodTerms podAntiAffinity;

    private final PodReading reading;

    private AffinityReader(PodReading reading) {
        this.reading = reading;
    }

    static AffinityReader read(JsonCursor cursor, PodReading reading) throws IOException {
        AffinityReader reader = new AffinityReader(reading);
        cursor.object(reader::field);
        return reader;
    }

    Affinity build() {
        return new Affinity(requiredNode, preferredNode, podAffinity, podAntiAffinity);
    }

    private void field(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "nodeAffinity" -> cursor.object(this::nodeAffinity);
            case "podAffinity" -> podAffinity = podTerms(cursor);
            case "podAntiAffinity" -> podAntiAffinity = podTerms(cursor);
            default -> skipUnread(PodFields.AFFINITY, name, cursor);
        }
    }

    private void nodeAffinity(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case REQUIRED -> requiredNode = SelectorReader.nodeSelector(cursor);
            case PREFERRED -> cursor.array(c -> preferredNode.add(preferredNode(c)));
            default -> skipUnread(PodFields.NODE_AFFINITY, name, cursor);
        }
    }

    private void skipUnread(PodFields place, String field, JsonCursor cursor) throws IOException {
        reading.reportUnread(place, field);
        cursor.skip();
    }

    private static Affinity.PreferredNodeTerm preferredNode(JsonCursor cursor) throws IOException {
        int[] weight = {0};
        NodeSelectorTerm[] term = {new NodeSelectorTerm(List.of(), List.of())};
        cursor.object((field, c) -> {
            switch (field) {
                case "weight" -> weight[0] = c.integer();
                case "preference" -> term[0] = SelectorReader.term(c);
                default -> c.skip();
            }
        });
        return new Affinity.PreferredNodeTerm(weight[0], term[0]);
    }

    private Affinity.PodTerms podTerms(JsonCursor cursor) throws IOException {
        List<PodAffinityTerm> required = new ArrayList<>(1);
        List<Affinity.WeightedPodTerm> preferred = new ArrayList<>(1);
        cursor.object((field, c) -> {
            switch (field) {
                case REQUIRED -> c.array(t -> required.add(podTerm(t)));
                case PREFERRED -> c.array(t -> preferred.add(weightedPodTerm(t)));
                default -> skipUnread(PodFields.POD_AFFINITY, field, c);
            }
        });
        return new Affinity.PodTerms(required, preferred);
    }

    private Affinity.WeightedPodTerm weightedPodTerm(JsonCursor cursor) throws IOException {
        int[] weight = {0};
        PodAffinityTerm[] term = {new PodAffinityTerm(null, List.of(), "", null)};
        cursor.object((field, c) -> {
            switch (field) {
                case "weight" -> weight[0] = c.integer();
                case "podAffinityTerm" -> term[0] = podTerm(c);
                default -> c.skip();
            }
        });
        return new Affinity.WeightedPodTerm(weight[0], term[0]);
    }

    private PodAffinityTerm podTerm(JsonCursor cursor) throws IOException {
        @Nullable LabelSelector[] selectors = {null, null};
        List<String> namespaces = new ArrayList<>(0);
        String[] topologyKey = {""};
        cursor.object((field, c) -> {
            switch (field) {
                case "labelSelector" -> selectors[0] = SelectorReader.labelSelector(c);
                case "namespaceSelector" -> selectors[1] = SelectorReader.labelSelector(c);
                case "namespaces" -> namespaces.addAll(c.strings());
                case "topologyKey" -> topologyKey[0] = c.string();
                case "matchLabelKeys", "mismatchLabelKeys" -> c.skip();
                default -> skipUnread(PodFields.POD_AFFINITY_TERM, field, c);
            }
        });
        LabelSelector namespaceSelector = reading.ignores(NewerField.NAMESPACE_SELECTOR) ? null : selectors[1];
        return new PodAffinityTerm(selectors[0], namespaces, topologyKey[0], namespaceSelector);
    }

    /** Reads label selectors and node selector terms. */
    static final class SelectorReader {
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

        /** {@code nodeSelectorTerms} of a node selector; empty if the field is missing. */
        static List<NodeSelectorTerm> nodeSelector(JsonCursor cursor) throws IOException {
            List<NodeSelectorTerm> terms = new ArrayList<>(1);
            cursor.field("nodeSelectorTerms", c -> c.array(t -> terms.add(term(t))));
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
            cursor.field(
                    "matchLabelExpressions",
                    c -> c.array(e -> requirements.add(requirement(
                            e, (key, operator, values) -> LabelRequirement.ofNodeSelector(key, "In", values)))));
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
}
