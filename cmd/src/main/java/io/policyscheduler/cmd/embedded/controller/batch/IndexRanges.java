package io.policyscheduler.cmd.embedded.controller.batch;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The completed indexes of a Job as text: {@code 0-2,5} (pkg/controller/job/indexed_job_utils.go). */
final class IndexRanges {
    private IndexRanges() {}

    static List<Integer> parse(String text) {
        List<Integer> indexes = new ArrayList<>();
        for (String part : Splitter.on(',').omitEmptyStrings().split(text)) {
            List<String> ends = Splitter.on('-').splitToList(part);
            int last = Integer.parseInt(ends.get(ends.size() - 1));
            for (int i = Integer.parseInt(ends.get(0)); i <= last; i++) {
                indexes.add(i);
            }
        }
        return indexes;
    }

    static String text(Collection<Integer> indexes) {
        StringBuilder text = new StringBuilder();
        int start = -1;
        int previous = -2;
        for (int index : new TreeSet<>(indexes)) {
            if (index != previous + 1) {
                end(text, start, previous);
                start = index;
            }
            previous = index;
        }
        end(text, start, previous);
        return text.toString();
    }

    private static void end(StringBuilder text, int start, int last) {
        if (start >= 0) {
            text.append(text.isEmpty() ? "" : ",").append(start);
            // Two in a row are not a range, as in Kubernetes.
            if (last > start) {
                text.append(last == start + 1 ? "," : "-").append(last);
            }
        }
    }
}
