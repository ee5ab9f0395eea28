/** Calls of HTTP extenders that a policy or a configuration names. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.extender.client;
