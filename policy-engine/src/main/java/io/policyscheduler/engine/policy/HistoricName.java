package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;

/**
 * Something that a policy of some release could say, and what it says today.
 *
 * @param kind where such a name stands
 * @param name as it is written; of arguments and fields the path, {@code extenders[].httpTimeout}
 * @param first the first release that took it
 * @param last the last release that took it, at most 1.22, which was the last with policies
 * @param meaning what has become of it
 * @param successors names that stand for it now; its own if nothing has changed, empty if it says nothing any more
 * @param remark what to know about it, for users; empty if the names say all
 */
public record HistoricName(
        Kind kind, String name, Release first, Release last, Meaning meaning, List<String> successors, String remark) {

    /** Where a name stands. */
    public enum Kind {
        PREDICATE,
        PRIORITY,
        /** A member of {@code argument}. */
        ARGUMENT,
        FIELD
    }

    /** What has become of a name. */
    public enum Meaning {
        /** The same as ever. */
        SAME,
        /** Another name for the same. */
        RENAMED,
        /** Done by algorithms that no policy can do without any more. */
        COVERED,
        /** Releases took it behind a feature gate only; here it needs none. */
        UNGATED,
        /** Taken and without any effect. */
        NOTHING
    }

    public HistoricName {
        successors = ImmutableList.copyOf(successors);
    }

    /** {@code 1.3 to 1.16}, or {@code 1.17 only}. */
    public String releases() {
        return first.equals(last) ? first + " only" : first + " to " + last;
    }

    /** True when a policy that says it needs no word about it. */
    public boolean isSame() {
        return meaning == Meaning.SAME;
    }

    /** One line for users: the name, the releases that had it, and what it is now. */
    public String describe() {
        String now = String.join(", ", successors);
        String text = switch (meaning) {
            case SAME -> "is unchanged";
            case RENAMED -> "is now " + now;
            case COVERED -> "is part of " + now + ", in every policy";
            case UNGATED -> "runs here without a feature gate";
            case NOTHING -> "has no effect and is ignored";
        };
        return name + " (" + releases() + ") " + text + (remark.isEmpty() ? "" : ": " + remark);
    }

    /** Writes rows of one kind; releases are minor numbers. */
    static final class HistoricTable {
        /** The last release that read policies. */
        static final int LAST = 22;

        private final Kind kind;
        private final ImmutableMap.Builder<String, HistoricName> rows = ImmutableMap.builder();

        HistoricTable(Kind kind) {
            this.kind = kind;
        }

        HistoricTable same(String name, int first) {
            return same(name, first, LAST);
        }

        HistoricTable same(String name, int first, int last) {
            return row(name, first, last, Meaning.SAME, List.of(name), "");
        }

        HistoricTable renamed(String name, int first, int last, String successors) {
            return row(name, first, last, Meaning.RENAMED, List.of(successors), "");
        }

        HistoricTable covered(String name, int first, int last, List<String> successors, String remark) {
            return row(name, first, last, Meaning.COVERED, successors, remark);
        }

        HistoricTable ungated(String name, int first, int last, String remark) {
            return row(name, first, last, Meaning.UNGATED, List.of(name), remark);
        }

        HistoricTable nothing(String name, int first, int last, String remark) {
            return row(name, first, last, Meaning.NOTHING, List.of(), remark);
        }

        ImmutableMap<String, HistoricName> build() {
            return rows.buildOrThrow();
        }

        private HistoricTable row(
                String name, int first, int last, Meaning meaning, List<String> successors, String remark) {
            rows.put(
                    name,
                    new HistoricName(kind, name, new Release(first), new Release(last), meaning, successors, remark));
            return this;
        }
    }
}
