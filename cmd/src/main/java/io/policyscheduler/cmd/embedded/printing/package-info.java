/** The columns that kubectl shows (meta/v1 Table). */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.printing;
