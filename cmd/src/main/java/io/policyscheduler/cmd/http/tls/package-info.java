/** What the status port needs for TLS: certificates that are read again when they change, and one of its own. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.http.tls;
