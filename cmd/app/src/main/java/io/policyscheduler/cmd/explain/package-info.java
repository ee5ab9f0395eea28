/** Shows where a pod goes, and why. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.explain;
