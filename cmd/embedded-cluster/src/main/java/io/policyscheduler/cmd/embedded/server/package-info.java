/** The HTTP API: a handler for each verb and subresource, discovery, faults by order. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.server;
