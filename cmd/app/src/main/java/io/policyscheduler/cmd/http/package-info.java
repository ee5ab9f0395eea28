/** HTTP endpoints of this program. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.http;
