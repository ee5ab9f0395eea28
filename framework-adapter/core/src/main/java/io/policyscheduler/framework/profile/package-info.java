/** Scheduling profiles: the plugins of each scheduler name, also for policies and algorithm providers. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.profile;
