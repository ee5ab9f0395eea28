/** Decides the pending pods of a dump, offline. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.simulate;
