/** What is kept about nodes from pod to pod, and brought up to date by the nodes that changed. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.kept;
