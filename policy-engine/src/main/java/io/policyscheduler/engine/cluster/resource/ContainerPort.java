package io.policyscheduler.engine.cluster.resource;

/**
 * A port that a container names.
 *
 * @param name empty when absent
 * @param containerPort 0 when absent
 * @param hostPort 0 when the container asks for none
 * @param protocol TCP when absent
 */
public record ContainerPort(String name, int containerPort, int hostPort, String protocol) {}
