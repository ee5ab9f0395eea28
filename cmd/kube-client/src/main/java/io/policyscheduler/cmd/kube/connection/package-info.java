/**
 * Connections to a Kubernetes API server: client configuration, requests, responses, and discovery.
 *
 * <p>Each connection has an {@link io.kubernetes.client.openapi.ApiClient} of client-java, which sets up TLS. Credentials are its {@link
 * io.kubernetes.client.util.credentials.Authentication}, and {@link io.kubernetes.client.util.KubeConfig} requests tokens from an {@code
 * auth-provider}. This package adds what client-java lacks. Each addition is followed by its test:
 *
 * <ul>
 *   <li>{@code Kubeconfig}: several merged files, {@code proxy-url}, impersonation, and errors with
 *       file and reason. Test: {@code KubeconfigTest}.
 *   <li>{@code ProxyEnvironment}: {@code HTTPS_PROXY} and {@code NO_PROXY} as in Go, and passwords
 *       of proxies. Test: {@code ProxyEnvironmentTest}.
 *   <li>{@code ExecPlugin}: expiration, repetition after a 401, a timeout, and {@code
 *       KUBERNETES_EXEC_INFO}. Test: {@code ExecPluginTest}.
 *   <li>{@link io.policyscheduler.cmd.kube.connection.Credentials}: repetition after a 401 for token files and auth providers; an unreadable
 *       file does not fail a request. Test: {@code CredentialsTest}.
 *   <li>{@link io.policyscheduler.cmd.kube.connection.ClientTls}: {@code tls-server-name} also as SNI, and a check that key and certificate
 *       match. Test: {@code TransportTest}.
 *   <li>{@code Transport}: replaced certificates without a restart, headers of impersonation, and
 *       large reads from sockets, as OkHttp interceptors and socket factories. Tests: {@code TransportTest}, {@code BufferedSocketsTest}.
 *   <li>{@link io.policyscheduler.cmd.kube.connection.KubeConnection}: a deadline for each call, {@code Retry-After}, a limit of response
 *       bodies, no writes after the loss of leadership, and streams with an idle timeout. Tests: {@code KubeConnectionTest}, {@code
 *       HttpCallsTest}.
 * </ul>
 *
 * <p>{@code docs/decisions/api-server-connection.md} compares both in detail.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.connection;
