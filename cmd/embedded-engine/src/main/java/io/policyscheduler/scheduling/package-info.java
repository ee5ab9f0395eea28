/** Schedules pods on snapshots from Java. Stable; its types change by the rules of releases. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.scheduling;
