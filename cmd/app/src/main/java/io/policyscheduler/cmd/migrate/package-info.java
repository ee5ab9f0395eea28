/** The commands {@code migrate} and {@code preflight}: what changes with a later release, for a policy and for a cluster. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.migrate;
