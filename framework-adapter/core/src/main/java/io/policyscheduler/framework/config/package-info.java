/** KubeSchedulerConfiguration in all its API versions: parsing, defaults, validation, and the effective plugins. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.config;
