/** The commands {@code simulate} and {@code audit}: where pods of a snapshot would go, and which running pods are misplaced. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.simulate;
