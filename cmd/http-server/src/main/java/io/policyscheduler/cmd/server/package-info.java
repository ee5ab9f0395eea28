/** A small HTTP server: Jetty behind an exchange, with limits for all clients. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.server;
