/** The cache of filter results, scores, and victims, for equivalent pods on unchanged nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.resultcache;
