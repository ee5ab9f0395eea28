/** The priorities of v1.17, which score nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.priorities;
