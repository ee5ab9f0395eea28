/** The scheduling thread, and what becomes of each change it is told. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.loop;
