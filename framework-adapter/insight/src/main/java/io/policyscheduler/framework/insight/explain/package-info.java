/** Tells why a pod goes where it goes, why not elsewhere, and what would have to change. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.explain;
