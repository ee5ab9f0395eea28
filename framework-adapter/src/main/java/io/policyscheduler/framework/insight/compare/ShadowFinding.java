package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * What a decider thinks of a placement that somebody else has made.
 *
 * @param pod {@code namespace/name}
 * @param node where it was placed
 * @param kind what the decider thinks of that
 * @param best the nodes that the decider likes best, by name; empty when it finds none
 * @param cause why it thinks otherwise, in words; empty when it agrees
 * @param algorithms what makes the difference: the filters that reject the node, or the scores that prefer another one, the
 *     largest share first
 */
public record ShadowFinding(
        String pod, String node, Kind kind, List<String> best, String cause, List<String> algorithms) {
    /** Opinions. */
    public enum Kind {
        /** The node is among the best ones. */
        SAME("same node"),
        /** The node would do, another one is better. */
        OTHER_NODE("another node"),
        /** The node is rejected, others are not. */
        NOT_THERE("not on that node"),
        /** No node would be good enough. */
        NOWHERE("nowhere"),
        /** Nothing can be said: the node is not known, or deciding failed. */
        UNDECIDED("undecided");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    public ShadowFinding {
        best = ImmutableList.copyOf(best);
        algorithms = ImmutableList.copyOf(algorithms);
    }

    /** True when the decider could have placed the pod there too. */
    public boolean agrees() {
        return kind == Kind.SAME;
    }
}
