/** Controllers of Jobs and CronJobs. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller.batch;
