/** How many pods a second the scheduler decides, without any API. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.bench;
