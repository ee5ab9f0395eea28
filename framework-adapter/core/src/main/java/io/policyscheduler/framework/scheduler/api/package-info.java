/** The API of the scheduler: options, profiles, incoming changes, calls to the API server, and listeners. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.api;
