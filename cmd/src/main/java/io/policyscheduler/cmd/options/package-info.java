/** What commands share: options that several have, exit codes, and the errors that users see. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.options;
