package io.policyscheduler.framework.kept;

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
