package io.policyscheduler.engine.policy.historic;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.historic.HistoricName.Kind;
import io.policyscheduler.engine.policy.historic.HistoricName.Meaning;
import java.util.List;

/** Writes rows of one kind; releases are minor numbers. */
final class HistoricTable {
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
                name, new HistoricName(kind, name, new Release(first), new Release(last), meaning, successors, remark));
        return this;
    }
}
