package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableFilter.PodClass;
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
 * What is kept about the nodes of one cluster for the plugins of one profile: their answers, by what they read of a pod, and rankings
 * by filters and by class of pods. Bounded, the least used go first; what is asked for once is not kept. Owned by the scheduling thread.
 */
public final class ResultCache {
    /** Enough for all pods of a large cluster that come again and again. */
    public static final int USUAL_BYTES = 1 << 26;

    private static final int FEW = 16;
    /** Of each kind at most, however small the cluster is: classes of pods come and go for as long as the process runs. */
    private static final int MOST = 2048;

    private static final int SEEN_ONCE = 4096;
    private static final int BYTES_OF_RANKED = 5;

    private record Key(int plugin, Object basis) {}

    /** Values by key, the least used of which goes when there are too many. */
    private static final class Kept<K, V> {
        private final LinkedHashMap<K, V> values = new LinkedHashMap<>(16, 0.75f, true);
        private final LinkedHashMap<K, Boolean> seenOnce = new LinkedHashMap<>();
        private final int bytesOfNode;
        private final int maxBytes;
        private final int most;

        Kept(int bytesOfNode, int maxBytes, int most) {
            this.most = most;
            this.bytesOfNode = bytesOfNode;
            this.maxBytes = maxBytes;
        }

        /** The value of a key that is seen again; null for one that is not known yet. */
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
    private final Kept<Key, CachedFilterResults> fits;
    private final Kept<Key, CachedScores> scores;
    private final Kept<PodClass, CachedRanking> rankings;
    private final CachedFilterResults open = new CachedFilterResults();
    private final CachedFilterResults[] fitsOnce;
    private final CachedScores[] scoresOnce;
    /** What the columns that are not kept were asked for last. */
    private final @Nullable Object[] onceFor;

    /**
     * Rankings by the filters, for pods of any class: classes mostly differ in what is no matter of single nodes. One that finds other
     * scores there gets a ranking of its own.
     */
    private final LinkedHashMap<List<CachedFilterResults>, CachedRanking> shared = new LinkedHashMap<>(16, 0.75f, true);

    /** The class of the pod that was given a shared ranking last; null when it has one of its own. */
    private @Nullable PodClass sharing;

    private final VictimCache evictions;
    private Positions positions;

    /**
     * Nothing is kept yet.
     *
     * @param filters number of filter plugins
     * @param scorers number of score plugins
     * @param maxBytes of answers of filters at most, of scores, and of rankings, beyond a few of each
     */
    public ResultCache(ClusterIndex index, int filters, int scorers, int maxBytes) {
        this.index = index;
        this.fits = new Kept<>(4, maxBytes, MOST);
        this.scores = new Kept<>(4, maxBytes, MOST);
        this.rankings = new Kept<>(BYTES_OF_RANKED, maxBytes, MOST - FEW);
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

    /** How much is kept by now. */
    public KeptSize size() {
        int nodes = index.slots();
        return new KeptSize(
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

    /** What is kept about making room. */
    public VictimCache evictions() {
        return evictions;
    }

    /** The order of the nodes in this attempt. */
    public Positions positions() {
        if (!positions.isOrderOf(index)) {
            positions = Positions.of(index);
        }
        return positions;
    }

    /**
     * What a filter says about each node, brought up to date; null when nobody has asked this for long, so that it is not kept.
     *
     * @param plugin number of the filter
     * @param basis equal for pods that are the same to it
     * @param revision of its answers
     * @param filter ready for the pod at hand
     */
    public @Nullable CachedFilterResults fits(
            int plugin, Object basis, long revision, Function<NodeInfo, Status> filter) {
        CachedFilterResults column = fits.get(new Key(plugin, basis), index.slots(), CachedFilterResults::new);
        if (column != null) {
            column.refresh(index, revision, filter);
        }
        return column;
    }

    /** The same for this attempt alone. */
    public CachedFilterResults fitsOnce(int plugin, long revision, Function<NodeInfo, Status> filter) {
        CachedFilterResults column = fitsOnce[plugin];
        column.forget();
        column.refresh(index, revision, filter);
        return column;
    }

    /**
     * What a plugin scores each node with before normalizing, brought up to date; null when nobody has asked this for long.
     *
     * @param plugin number of the score plugin
     * @param reduction what normalizing does, which says what a score may be
     */
    public @Nullable CachedScores scores(
            int plugin, Object basis, long revision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        CachedScores column = scores.get(new Key(plugin, basis), index.slots(), CachedScores::new);
        if (column != null) {
            column.refresh(index, revision, reduction, score);
        }
        return column;
    }

    /** The same until another pod is asked for. */
    public CachedScores scoresOnce(
            int plugin, Object basis, long revision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        CachedScores column = scoresOnce[plugin];
        column.forget();
        onceFor[plugin] = basis;
        column.refresh(index, revision, reduction, score);
        return column;
    }

    /** What one of these two gave for this basis, brought up to date; null when it would have to be worked out. Keeps nothing more. */
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

    /** Says of each node only whether it takes pods at all. */
    public CachedFilterResults open() {
        open.refresh(index, 0, node -> Status.SUCCESS);
        return open;
    }

    /** The nodes that pass these filters, for pods like this one; valid until another pod is asked for. */
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
                Kept.removeEldest(shared, FEW);
            }
            sharing = rankings.values.containsKey(podClass) ? null : podClass;
        }
        ranking.refreshFits(index, now, filters);
        return ranking;
    }

    /** Brings the totals of a ranking up to date. */
    public void addUp(CachedRanking ranking, List<Summand> summands) {
        PodClass podClass = sharing;
        if (podClass != null && ranking.addsUpOthers(summands)) {
            rankings.get(podClass, index.slots(), () -> new CachedRanking(positions()));
        }
        ranking.refreshTotals(index, summands);
    }

    /**
     * How much is kept about the nodes of a cluster.
     *
     * @param columns answers and scores of plugins, each for all nodes
     * @param rankings nodes ranked, for pods that are the same to the filters or of one class
     * @param bytes that these take, about
     */
    public record KeptSize(int columns, int rankings, long bytes) {
        /** Nothing is kept. */
        public static final KeptSize NONE = new KeptSize(0, 0, 0);
    }
}
