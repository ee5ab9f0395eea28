/** What all controllers stand on: objects, queues, owners, conditions, events. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller.core;
