/**
 * The commands {@code compare} and {@code shadow}: decisions of several schedulers on one snapshot, or next to a running scheduler.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.compare;
