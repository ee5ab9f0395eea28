/** Labels, what selects them, and many selectors asked at once. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.selector;
