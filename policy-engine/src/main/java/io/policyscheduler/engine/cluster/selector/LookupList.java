package io.policyscheduler.engine.cluster.selector;

import java.util.AbstractList;
import java.util.HashSet;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An immutable list of texts that finds its elements by hash, for the lists of those who write down thousands. */
public final class LookupList extends AbstractList<String> implements RandomAccess {
    private static final int WALKED_AT_MOST = 16;

    private final String[] elements;
    private final Set<String> known;

    private LookupList(List<String> list) {
        this.elements = list.toArray(String[]::new);
        this.known = new HashSet<>(list);
    }

    /** An immutable copy; short ones are walked, which is faster. */
    public static List<String> copyOf(List<String> list) {
        if (list instanceof LookupList) {
            return list;
        }
        return list.size() <= WALKED_AT_MOST ? List.copyOf(list) : new LookupList(list);
    }

    @Override
    public String get(int index) {
        return elements[index];
    }

    @Override
    public int size() {
        return elements.length;
    }

    @Override
    public boolean contains(@Nullable Object element) {
        return known.contains(element);
    }
}
