/** Results of filters, scores, and preemption that are reused for equal pods on unchanged nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.resultcache;
