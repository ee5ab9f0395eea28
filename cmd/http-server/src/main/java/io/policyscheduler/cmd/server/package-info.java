/** A small HTTP server for what this program serves: Jetty behind an exchange, with limits on every client. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.server;
