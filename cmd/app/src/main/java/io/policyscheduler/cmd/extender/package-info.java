/** The command {@code extender}: filter and prioritize calls of another scheduler, answered by a policy. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.extender;
