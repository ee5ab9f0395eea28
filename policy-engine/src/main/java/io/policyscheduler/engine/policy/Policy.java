package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.table.TableDefinition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Policy file as written, mirrors {@code k8s.io/kube-scheduler/config/v1.Policy}.
 *
 * @param file name of the file for messages
 * @param predicates null if the file has no list (the default provider's predicates then apply), which differs from an
 *     empty list
 * @param priorities null if the file has no list, which differs from an empty list
 * @param extenders empty if the file has none
 * @param hardPodAffinitySymmetricWeight 0 means not given
 * @param hardWeightPosition where that weight stands
 * @param alwaysCheckAllPredicates keep evaluating a node after a predicate has failed
 * @param alwaysCheckPosition where that setting stands
 * @param rules rules that entries of this file use by name; not part of v1.17
 * @param tables what rules of this file read besides pods and nodes, by name; not part of v1.17
 * @param warnings what the reader noticed
 */
public record Policy(
        String file,
        @Nullable List<PredicatePolicy> predicates,
        @Nullable List<PriorityPolicy> priorities,
        List<ExtenderConfig> extenders,
        int hardPodAffinitySymmetricWeight,
        SourcePosition hardWeightPosition,
        boolean alwaysCheckAllPredicates,
        SourcePosition alwaysCheckPosition,
        List<RuleDefinition> rules,
        Map<String, TableDefinition> tables,
        List<Warning> warnings) {

    public Policy {
        predicates = predicates == null ? null : ImmutableList.copyOf(predicates);
        priorities = priorities == null ? null : ImmutableList.copyOf(priorities);
        extenders = ImmutableList.copyOf(extenders);
        rules = ImmutableList.copyOf(rules);
        tables = ImmutableSortedMap.copyOf(tables);
        warnings = ImmutableList.copyOf(warnings);
    }
}
