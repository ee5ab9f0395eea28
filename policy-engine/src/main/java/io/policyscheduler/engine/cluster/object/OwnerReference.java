package io.policyscheduler.engine.cluster.object;

/** The controller of an object: the first owner reference with {@code controller: true}. */
public record OwnerReference(String kind, String name, String uid) {}
