/** The kinds, names, selectors and errors of the Kubernetes API, as the embedded server knows them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.api;
