package io.policyscheduler.cmd.kube.write;

/**
 * The pod an event is about.
 *
 * @param resourceVersion the version the scheduler saw, empty when unknown
 */
public record PodReference(String namespace, String name, String uid, String resourceVersion) {}
