/**
 * The live page, which shows a running scheduler in a browser. A {@link io.policyscheduler.cmd.page.LivePage} serves files,
 * details of single nodes and pods, and the same frames to all viewers. Without viewers, the state is not copied.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.page;
