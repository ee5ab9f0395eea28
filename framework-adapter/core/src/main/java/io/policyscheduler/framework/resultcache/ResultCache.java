package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.CachedRanking.Positions;
import io.policyscheduler.framework.resultcache.CachedScores.Summand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The result cache of one cluster for the plugins of one profile: results of plugins by the pod fields that they read, and rankings
 * by filters and by class of pods. Bounded, with least-recently-used eviction; a key is cached from its second use on. Owned by the
 * scheduling thread.
 */
public final class ResultCache {
    /** Enough for all recurring pods of a large cluster. */
    public static final int USUAL_BYTES = 1 << 26;

    private static final int FEW = 16;
    /** The maximum number of entries per kind, also in small clusters, because the number of pod classes is unbounded over time. */
    private static final int MOST = 2048;

    private static final int SEEN_ONCE = 4096;
    private static final int BYTES_OF_RANKED = 5;

    private record Key(int plugin, Object basis) {}

    /** A map that evicts the least recently used values. */
    private static final class LruStore<K, V> {
        private final LinkedHashMap<K, V> values = new LinkedHashMap<>(16, 0.75f, true);
        private final LinkedHashMap<K, Boolean> seenOnce = new LinkedHashMap<>();
        private final int bytesOfNode;
        private final int maxBytes;
        private final int most;

        LruStore(int bytesOfNode, int maxBytes, int most) {
            this.most = most;
            this.bytesOfNode = bytesOfNode;
            this.maxBytes = maxBytes;
        }

        /** The value of a key that is seen again; null at its first use. */
        @Nullable
        V get(K key, int nodes, Supplier<V> made) {
            V known = values.get(key);
            if (known != null) {
                return known;
            }
            if (seenOnce.remove(key) == null) {
                seenOnce.put(key, true);
                removeEldest(seenOnce, SEEN_ONCE);
                return null;
            }
            V value = made.get();
            values.put(key, value);
            removeEldest(values, Math.min(most, Math.max(FEW, maxBytes / (bytesOfNode * (nodes + 1)))));
            return value;
        }

        long bytes(int nodes) {
            return (long) values.size() * bytesOfNode * nodes;
        }

        private static void removeEldest(Map<?, ?> map, int bound) {
            if (map.size() > bound) {
                map.remove(map.keySet().iterator().next());
            }
        }
    }

    private final ClusterIndex index;
    private final LruStore<Key, CachedFilterResults> fits;
    private final LruStore<Key, CachedScores> scores;
    private final LruStore<PodClass, CachedRanking> rankings;
    private final CachedFilterResults open = new CachedFilterResults();
    private final CachedFilterResults[] fitsOnce;
    private final CachedScores[] scoresOnce;
    /** The keys of the single-use columns. */
    private final @Nullable Object[] onceFor;

    /**
     * Rankings by filters, shared by pod classes: most classes differ only in fields that are not related to single nodes. A class
     * with other scores gets its own ranking.
     */
    private final LinkedHashMap<List<CachedFilterResults>, CachedRanking> shared = new LinkedHashMap<>(16, 0.75f, true);

    /** The class of the last pod that used a shared ranking; null if it has its own. */
    private @Nullable PodClass sharing;

    private final VictimCache evictions;
    private Positions positions;

    /**
     * An empty cache.
     *
     * @param filters number of filter plugins
     * @param scorers number of score plugins
     * @param maxBytes the limit for filter results, for scores, and for rankings each; a few of each are cached in any case
     */
    public ResultCache(ClusterIndex index, int filters, int scorers, int maxBytes) {
        this.index = index;
        this.fits = new LruStore<>(4, maxBytes, MOST);
        this.scores = new LruStore<>(4, maxBytes, MOST);
        this.rankings = new LruStore<>(BYTES_OF_RANKED, maxBytes, MOST - FEW);
        this.evictions = new VictimCache(index);
        this.positions = Positions.of(index);
        this.fitsOnce = new CachedFilterResults[filters];
        for (int i = 0; i < filters; i++) {
            fitsOnce[i] = new CachedFilterResults();
        }
        this.onceFor = new @Nullable Object[scorers];
        this.scoresOnce = new CachedScores[scorers];
        for (int i = 0; i < scorers; i++) {
            scoresOnce[i] = new CachedScores();
        }
    }

    /** The current size. */
    public CacheSize size() {
        int nodes = index.slots();
        return new CacheSize(
                fits.values.size() + scores.values.size(),
                rankings.values.size() + shared.size(),
                fits.bytes(nodes)
                        + scores.bytes(nodes)
                        + rankings.bytes(nodes)
                        + (long) shared.size() * BYTES_OF_RANKED * nodes);
    }

    /** The cluster's index. */
    public ClusterIndex index() {
        return index;
    }

    /** The cache of victims. */
    public VictimCache evictions() {
        return evictions;
    }

    /** The search order of this attempt. */
    public Positions positions() {
        if (!positions.isOrderOf(index)) {
            positions = Positions.of(index);
        }
        return positions;
    }

    /**
     * The refreshed results of a filter for each node; null at the first use of a key.
     *
     * @param plugin index of the filter
     * @param basis equal for pods that are equivalent to it
     * @param revision of its results
     * @param filter prepared for the current pod
     */
    public @Nullable CachedFilterResults fits(
            int plugin, Object basis, long revision, Function<NodeInfo, Status> filter) {
        CachedFilterResults column = fits.get(new Key(plugin, basis), index.slots(), CachedFilterResults::new);
        if (column != null) {
            column.refresh(index, revision, filter);
        }
        return column;
    }

    /** The same for this attempt only, without caching. */
    public CachedFilterResults fitsOnce(int plugin, long revision, Function<NodeInfo, Status> filter) {
        CachedFilterResults column = fitsOnce[plugin];
        column.forget();
        column.refresh(index, revision, filter);
        return column;
    }

    /**
     * The refreshed scores of a plugin for each node before normalizing; null at the first use of a key.
     *
     * @param plugin index of the score plugin
     * @param reduction the normalization, which defines the range of scores
     */
    public @Nullable CachedScores scores(
            int plugin, Object basis, long revision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        CachedScores column = scores.get(new Key(plugin, basis), index.slots(), CachedScores::new);
        if (column != null) {
            column.refresh(index, revision, reduction, score);
        }
        return column;
    }

    /** The same until another pod is requested. */
    public CachedScores scoresOnce(
            int plugin, Object basis, long revision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        CachedScores column = scoresOnce[plugin];
        column.forget();
        onceFor[plugin] = basis;
        column.refresh(index, revision, reduction, score);
        return column;
    }

    /** Refreshed scores that one of these methods returned for this basis; null if there are none. Adds no entry. */
    public @Nullable CachedScores knownScores(
            int plugin, Object basis, long revision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        CachedScores column = scores.values.get(new Key(plugin, basis));
        if (column == null && basis.equals(onceFor[plugin])) {
            column = scoresOnce[plugin];
        }
        if (column != null) {
            column.refresh(index, revision, reduction, score);
        }
        return column;
    }

    /** Results that only reject closed nodes. */
    public CachedFilterResults open() {
        open.refresh(index, 0, node -> Status.SUCCESS);
        return open;
    }

    /** The nodes that pass these filters for pods of this class; valid until another pod is requested. */
    public CachedRanking ranking(PodInfo pod, List<CachedFilterResults> filters) {
        Positions now = positions();
        PodClass podClass = new PodClass(pod);
        CachedRanking ranking = rankings.values.get(podClass);
        sharing = null;
        if (ranking == null) {
            List<CachedFilterResults> key = List.copyOf(filters);
            ranking = shared.get(key);
            if (ranking == null) {
                ranking = rankings.get(podClass, index.slots(), () -> new CachedRanking(now));
            }
            if (ranking == null) {
                ranking = new CachedRanking(now);
                shared.put(key, ranking);
                LruStore.removeEldest(shared, FEW);
            }
            sharing = rankings.values.containsKey(podClass) ? null : podClass;
        }
        ranking.refreshFits(index, now, filters);
        return ranking;
    }

    /** Refreshes the totals of a ranking. */
    public void addUp(CachedRanking ranking, List<Summand> summands) {
        PodClass podClass = sharing;
        if (podClass != null && ranking.addsUpOthers(summands)) {
            rankings.get(podClass, index.slots(), () -> new CachedRanking(positions()));
        }
        ranking.refreshTotals(index, summands);
    }

    /**
     * The size of the result cache.
     *
     * @param columns filter results and scores, each for all nodes
     * @param rankings rankings, by filters or pod class
     * @param bytes approximate size of these
     */
    public record CacheSize(int columns, int rankings, long bytes) {
        public static final CacheSize NONE = new CacheSize(0, 0, 0);
    }
}
