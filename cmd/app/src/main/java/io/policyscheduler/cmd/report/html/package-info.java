/** Reports as pages for browsers: one file each that loads nothing from other servers. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.report.html;
