/** The plugins of current releases about volumes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.modern.volume;
