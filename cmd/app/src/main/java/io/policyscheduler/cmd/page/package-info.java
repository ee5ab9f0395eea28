/**
 * The live page: what a scheduler does, shown in a browser while it does it. A {@link io.policyscheduler.cmd.page.LivePage} serves
 * files, answers questions about single nodes and pods, and sends all viewers the same frames. Nothing is looked at while nobody
 * looks.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.page;
