/** Changes of the cluster as current releases tell them apart, and what plugins say about them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.plugin.event;
