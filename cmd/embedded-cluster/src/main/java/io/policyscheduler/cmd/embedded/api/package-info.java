/** The kinds, names, selectors, and errors of the Kubernetes API in the embedded server. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.api;
