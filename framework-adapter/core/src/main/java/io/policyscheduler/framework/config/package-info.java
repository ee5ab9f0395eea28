/** KubeSchedulerConfiguration in all its API versions: reading, defaults, validation, and which plugins it comes to. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.config;
