/** What attempts tell of themselves on the way to a decision, and who hears it. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.cycle.attempt;
