package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.List;

/**
 * The result of the migration for one item of a policy.
 *
 * @param items the entries or the setting, e.g. {@code SameRegion}; empty if the finding is about the whole policy
 * @param position of the first item in the policy, unknown if the file does not contain it
 * @param plugins that replace the items in the configuration; empty if there is none
 * @param texts the effect and the fix
 */
public record Finding(
        FindingCode code,
        Level level,
        Fidelity fidelity,
        List<String> items,
        SourcePosition position,
        List<String> plugins,
        Texts texts) {
    public Finding {
        items = ImmutableList.copyOf(items);
        plugins = ImmutableList.copyOf(plugins);
    }

    /** Whether a part of the policy is lost. */
    public boolean isLoss() {
        return fidelity == Fidelity.IMPOSSIBLE;
    }

    /** The names of the items, separated by commas. */
    public String item() {
        return String.join(", ", items);
    }

    /** The full description of the effect. */
    public String text() {
        return texts.details();
    }

    /** The full description of the fix; empty if no fix is needed. */
    public String wayOut() {
        return texts.fix();
    }

    /** The kinds of findings. The names are stable. */
    public enum FindingCode {
        /** serviceAffinity, which no release after 1.22 has. */
        M001,
        /** NodePreferAvoidPodsPriority, which no release after 1.22 has. */
        M002,
        /** ResourceLimitsPriority, which no release after 1.19 has. */
        M003,
        /** More than one scoring strategy for resources, of which a profile has one. */
        M004,
        /** A rule, which runs behind an extender. */
        M005,
        /** An algorithm that Kubernetes does not have. */
        M006,
        /** A weight or number that the configuration cannot hold. */
        M007,
        /** An algorithm kept behind an extender. */
        M008,
        /** An entry that has no effect. */
        M009,
        /** labelsPresence as an added required node affinity. */
        M010,
        /** labelPreference as an added preferred node affinity. */
        M011,
        /** serviceAntiAffinity as a default spread constraint. */
        M012,
        /** Spreading over nodes and zones, with another formula. */
        M013,
        /** EvenPodsSpread, alpha in 1.17. */
        M014,
        /** Several entries that share the weight of one plugin. */
        M015,
        /** LeastRequestedPriority or MostRequestedPriority with another formula. */
        M016,
        /** BalancedResourceAllocation with another formula. */
        M017,
        /** A requested-to-capacity ratio with another formula. */
        M018,
        /** InterPodAffinityPriority with another formula. */
        M019,
        /** NodeAffinityPriority, TaintTolerationPriority or ImageLocalityPriority. */
        M020,
        /** Limits of volumes. */
        M021,
        /** Other predicates about volumes. */
        M022,
        /** Resources and host ports as filters. */
        M023,
        /** A label that is required and forbidden at the same time. */
        M024,
        /** Node name, node selector, taints, cordoned nodes, pod affinity. */
        M025,
        /** hardPodAffinitySymmetricWeight. */
        M030,
        /** alwaysCheckAllPredicates. */
        M031,
        /** EqualPriority. */
        M032,
        /** PodFitsPorts. */
        M033,
        /** Plugins that every configuration needs. */
        M040,
        /** Default filters of the release that the policy does not have. */
        M041,
        /** Filters that the default profile adds. */
        M042,
        /** No priorities. */
        M043,
        /** No predicates. */
        M044,
        /** Weights of the release instead of those of the policy. */
        M045,
        /** Plugins for pod fields newer than 1.17, which stay enabled. */
        M046,
        /** A plugin of a v1alpha1 configuration that the release does not have. */
        M047,
        /** A plugin of a v1alpha1 configuration that kube-scheduler does not contain. */
        M048,
        /** Keys of extenders with other names or units. */
        M050,
        /** An extender that is not node cache capable. */
        M051,
        /** Resources that only extenders count. */
        M052,
        /** Flags and settings outside the policy. */
        M060,
        /** Texts of events and conditions. */
        M061,
        /** Preemption. */
        M062,
        /** Fields of pods that v1.17 ignores. */
        M063,
        /** A release that this program does not support. */
        M064;

        private static final int FIRST_AFTER_ALGORITHMS = 30;

        /** Returns whether findings with this code are about one predicate or priority. */
        public boolean aboutAlgorithm() {
            return number() < FIRST_AFTER_ALGORITHMS && this != M015 || this == M032 || this == M033;
        }

        private int number() {
            return Integer.parseInt(name().substring(1));
        }
    }

    /**
     * The texts of a finding: a short one for a table cell and a full one, of the effect and of the fix.
     *
     * @param effect the effect in a few words
     * @param details the effect in full sentences
     * @param action the fix in a few words; empty if none is needed
     * @param fix the fix in full sentences; empty if none is needed
     */
    public record Texts(String effect, String details, String action, String fix) {
        /** Texts of a finding that needs no fix. */
        static Texts of(String effect, String details) {
            return new Texts(effect, details, "", "");
        }

        /** The same texts with a fix. */
        Texts fixedBy(String shortFix, String fullFix) {
            return new Texts(effect, details, shortFix, fullFix);
        }
    }

    /** The degree to which the configuration preserves an item of the policy. */
    public enum Fidelity {
        /** The same. */
        EXACT,
        /** Nearly the same, or the same under conditions. */
        APPROXIMATED,
        /** Lost. */
        IMPOSSIBLE
    }

    /** The severity of a finding, the most severe first. */
    public enum Level {
        /** A part of the policy is lost. */
        ERROR,
        /** Placements may differ. */
        WARN,
        /** Placements differ only in special cases, or not at all. */
        INFO
    }
}
