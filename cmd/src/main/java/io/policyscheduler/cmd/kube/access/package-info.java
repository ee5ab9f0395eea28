/** Where the API server is and who one is there: kubeconfig, service account, tokens, client certificates, proxies, TLS. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.access;
