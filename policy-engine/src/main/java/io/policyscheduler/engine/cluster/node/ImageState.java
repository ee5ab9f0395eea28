package io.policyscheduler.engine.cluster.node;

/**
 * What a node knows about one of its images.
 *
 * @param sizeBytes size as first reported in the cluster
 * @param holders number of nodes that had the image when this node was last added or updated
 */
public record ImageState(long sizeBytes, int holders) {}
