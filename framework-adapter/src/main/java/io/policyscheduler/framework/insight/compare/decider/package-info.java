/** What decides about pods in comparisons: policies and profiles, each adjustable. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.compare.decider;
