/** The commands {@code explain} and {@code why}: the reasons for a decision, in a snapshot or of a running scheduler. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.explain;
