/** Shows running pods that are not where they should be, and evicts them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.audit;
