/** Tables of policies while a scheduler runs: their sources are watched, and other values come into force. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.table;
