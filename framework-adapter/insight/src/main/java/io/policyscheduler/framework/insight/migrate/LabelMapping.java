package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Converts entries about node labels to added node affinity, or up to {@code v1beta1} to NodeLabel. */
final class LabelMapping {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final String EXISTS = "Exists";
    /** Less than the maximum, because preferences of pods share the normalization. */
    private static final int TERM_WEIGHT_WITH_PODS = 100;

    private final MigrationPlan draft;
    private final PolicyArguments arguments;

    LabelMapping(MigrationPlan draft) {
        this.draft = draft;
        this.arguments = draft.policy.arguments();
    }

    /** Labels that are required to be present or absent. */
    void presence(List<PolicyItem> items) {
        List<String> present = arguments.presentLabels();
        List<String> absent = arguments.absentLabels();
        if (present.isEmpty() && absent.isEmpty()) {
            draft.findings.exact(
                    FindingCode.M009,
                    items,
                    Texts.of("dropped: has no labels", "dropped: labelsPresence without labels has no effect"));
            return;
        }
        contradiction(present, absent, items, "no node is feasible", "required and forbidden");
        if (draft.target.hasOldPlugins()) {
            draft.plan.filter(PluginNames.NODE_LABEL, items);
            labels("presentLabels", present, items);
            labels("absentLabels", absent, items);
            draft.findings.exact(FindingCode.M010, items, MigrationPlan.LAST_IN_1_22);
            return;
        }
        YamlList conditions = new YamlList();
        conditions(conditions, present, EXISTS, items);
        conditions(conditions, absent, "DoesNotExist", items);
        if (conditions.isEmpty()) {
            return;
        }
        draft.plan.filter(PluginNames.NODE_AFFINITY, items);
        YamlMap term =
                YamlMap.block().put("matchExpressions", conditions, "one term: all of its expressions must match");
        affinity().put(REQUIRED, YamlMap.block().put("nodeSelectorTerms", new YamlList().add(term)));
        draft.findings.exact(
                FindingCode.M010,
                items,
                Texts.of(
                        "",
                        "The configuration adds a required node affinity to every pod, including pods of DaemonSets. The reason"
                                + " is now \"node(s) didn't match scheduler-enforced node affinity\". Topology spread constraints"
                                + " do not consider it."));
        boolean ownAffinity = draft.policy.predicates().containsKey(KnownAlgorithms.GENERAL_PREDICATES)
                || draft.policy.predicates().containsKey("MatchNodeSelector");
        if (!ownAffinity) {
            draft.findings.warn(
                    FindingCode.M010,
                    items,
                    Texts.of(
                            "node selectors count, too",
                            "The NodeAffinity filter also applies the nodeSelector and the required node affinity of pods. This"
                                    + " policy ignores them (no MatchNodeSelector and no GeneralPredicates)."));
        }
    }

    /** A label with an invalid name is never present. */
    private void conditions(YamlList list, List<String> labels, String operator, List<PolicyItem> items) {
        Set<String> seen = new HashSet<>();
        for (String label : labels) {
            if (!seen.add(label)) {
                continue;
            }
            if (QualifiedNames.problems(label).isEmpty()) {
                List<PolicyItem> entries = draft.items.presenceOf(label, operator.equals(EXISTS), items);
                list.add(YamlMap.flow().put("key", label).put("operator", operator), PolicyEntries.remark(entries));
            } else if (operator.equals(EXISTS)) {
                draft.findings.add(
                        FindingCode.M007,
                        Level.ERROR,
                        Fidelity.IMPOSSIBLE,
                        items,
                        Texts.of(
                                        "invalid label is dropped",
                                        "No node can have a label \"" + label
                                                + "\". v1.17 rejects every node because of it. Node affinity cannot contain"
                                                + " the name, so the condition is dropped.")
                                .fixedBy("correct the label", "Correct the label."));
            } else {
                draft.findings.exact(
                        FindingCode.M009,
                        items,
                        Texts.of(
                                "invalid label is dropped",
                                "The label \"" + label + "\" is dropped because no node can have it."));
            }
        }
    }

    /** kube-scheduler does not start with NodeLabel then, so that the administrator has to correct the entries. */
    private void contradiction(
            List<String> present, List<String> absent, List<PolicyItem> items, String effect, String contradiction) {
        for (String label : present) {
            if (absent.contains(label)) {
                draft.findings.add(
                        FindingCode.M024,
                        Level.ERROR,
                        Fidelity.IMPOSSIBLE,
                        items,
                        Texts.of(
                                        effect,
                                        "The label " + label + " is " + contradiction
                                                + " at the same time. v1.17 and the plugin NodeLabel do not start with it."
                                                + " With node affinity, " + effect + ".")
                                .fixedBy("remove one entry", "Remove one of the two entries."));
                return;
            }
        }
    }

    /** Labels that are preferred to be present or absent. */
    void preference(long weight) {
        List<PolicyItem> items = draft.items.priority(KnownAlgorithms.NODE_LABEL);
        List<String> present = arguments.presentLabelsPreference();
        List<String> absent = arguments.absentLabelsPreference();
        if (draft.target.hasOldPlugins()) {
            contradiction(present, absent, items, "the two have no effect", "preferred to be present and to be absent");
            draft.plan.score(PluginNames.NODE_LABEL, weight, items);
            labels("presentLabelsPreference", present, items);
            labels("absentLabelsPreference", absent, items);
            draft.findings.exact(FindingCode.M011, items, MigrationPlan.LAST_IN_1_22);
            return;
        }
        boolean shared = draft.hasPriority("NodeAffinityPriority");
        YamlList terms = new YamlList();
        List<String> dropped = new ArrayList<>();
        terms(terms, present, EXISTS, shared, items, dropped);
        terms(terms, absent, "DoesNotExist", shared, items, dropped);
        if (!dropped.isEmpty()) {
            draft.findings.info(
                    FindingCode.M009,
                    items,
                    Texts.of(
                            "invalid labels are dropped",
                            "The labels " + dropped
                                    + " are dropped because no node can have them. They only weakened the other"
                                    + " preferences."));
        }
        if (terms.isEmpty()) {
            return;
        }
        draft.plan.score(PluginNames.NODE_AFFINITY, weight, items);
        affinity().put(PREFERRED, terms);
        String together = shared
                ? " The weights of the matching labels (" + TERM_WEIGHT_WITH_PODS
                        + " each) and of the matching preferred terms of the pod are added, and the sum is normalized."
                : " The preferred node affinity of pods, which this policy ignores, now counts in addition.";
        draft.findings.warn(
                FindingCode.M011,
                items,
                Texts.of(
                        "score is relative to the best node",
                        "The configuration adds a preferred node affinity to every pod. The score is relative to the best"
                                + " feasible node. In v1.17, "
                                + (present.size() + absent.size() > 1
                                        ? "it is the share of matching labels: a node with 1 of 2 scores 50 (now 100 if it is the"
                                                + " best one)."
                                        : "a matching node scores 100, another node 0.")
                                + together));
        if (shared) {
            draft.findings.warn(
                    FindingCode.M015,
                    items,
                    Texts.of(
                            "NodeAffinity: weight " + draft.weight("NodeAffinityPriority") + " + " + weight,
                            "NodeAffinity has the sum of the weights of NodeAffinityPriority and labelPreference: "
                                    + draft.weight("NodeAffinityPriority") + " + " + weight + "."));
        }
    }

    private void terms(
            YamlList terms,
            List<String> labels,
            String operator,
            boolean shared,
            List<PolicyItem> items,
            List<String> dropped) {
        Map<String, Integer> shares = new LinkedHashMap<>();
        for (String label : labels) {
            if (QualifiedNames.problems(label).isEmpty()) {
                shares.merge(label, 1, Integer::sum);
            } else {
                dropped.add('"' + label + '"');
            }
        }
        shares.forEach((label, share) -> {
            String remark = PolicyEntries.remark(draft.items.preferenceOf(label, operator.equals(EXISTS), items));
            YamlMap condition = YamlMap.flow().put("key", label).put("operator", operator);
            terms.add(YamlMap.block()
                    .put("weight", termWeight(share, shared), remark)
                    .put("preference", YamlMap.block().put("matchExpressions", new YamlList().add(condition, remark))));
        });
    }

    /** The weight of a term. Labels with different weights are repeated in proportion. */
    private int termWeight(int share, boolean shared) {
        if (!shared) {
            return Math.min(share, TERM_WEIGHT_WITH_PODS);
        }
        List<String> all = new ArrayList<>(arguments.presentLabelsPreference());
        all.addAll(arguments.absentLabelsPreference());
        int most = all.stream()
                .mapToInt(label -> Math.max(
                        Collections.frequency(arguments.presentLabelsPreference(), label),
                        Collections.frequency(arguments.absentLabelsPreference(), label)))
                .max()
                .orElse(1);
        return Math.max(1, TERM_WEIGHT_WITH_PODS * share / most);
    }

    private void labels(String argument, List<String> labels, List<PolicyItem> items) {
        if (!labels.isEmpty()) {
            YamlList list = new YamlList();
            labels.forEach(label -> list.add(label, PolicyEntries.remark(items)));
            draft.plan.arguments(PluginNames.NODE_LABEL).put(argument, list);
        }
    }

    private YamlMap affinity() {
        YamlMap arguments = draft.plan.arguments(PluginNames.NODE_AFFINITY);
        YamlMap.Entry entry = arguments.entries().get("addedAffinity");
        if (entry != null && entry.value() instanceof YamlMap affinity) {
            return affinity;
        }
        YamlMap affinity = YamlMap.block();
        arguments.put("addedAffinity", affinity);
        return affinity;
    }
}
