/** The command {@code extender}: serves filter and prioritize calls of another scheduler according to a policy. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.extender;
