/** Labels and selectors, with indexes for large numbers of selectors. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.selector;
