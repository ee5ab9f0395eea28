/** The scheduler as the rest of the program sees it: what it is told, what it asks for, and what it tells. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.api;
