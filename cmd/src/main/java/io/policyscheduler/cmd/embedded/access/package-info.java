/** Who asks the embedded API server, and what the roles let them do. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.access;
