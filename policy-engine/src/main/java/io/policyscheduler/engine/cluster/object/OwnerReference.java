package io.policyscheduler.engine.cluster.object;

/**
 * The controller of an object: the first owner reference with {@code controller: true}.
 *
 * @param apiVersion group and version, such as {@code apps/v1}; kinds of one name in other groups are others
 */
public record OwnerReference(String apiVersion, String kind, String name, String uid) {}
