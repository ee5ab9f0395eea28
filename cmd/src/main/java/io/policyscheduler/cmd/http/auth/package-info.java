/** Who asks the status port, and whether they may: delegated to the API server, as kube-scheduler does. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.http.auth;
