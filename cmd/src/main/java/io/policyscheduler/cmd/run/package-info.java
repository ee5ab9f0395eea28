/** The scheduler against a cluster: what is watched, how it is written to, and the parts put together. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.run;
