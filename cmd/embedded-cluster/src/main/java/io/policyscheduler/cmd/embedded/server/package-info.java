/** The HTTP API: a handler for each verb and subresource, discovery, and injected faults. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.server;
