package io.policyscheduler.framework.config.setting;

/**
 * {@code clientConnection} of a configuration: how to talk to the API server.
 *
 * @param kubeconfig path of a kubeconfig, empty for none
 * @param acceptContentTypes {@code Accept} header, empty for the default
 * @param contentType content type of requests
 * @param qps requests a second
 * @param burst requests that may go out at once
 */
public record ClientSettings(String kubeconfig, String acceptContentTypes, String contentType, double qps, int burst) {}
