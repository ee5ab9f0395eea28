/** Reports as pages for browsers: one file each that loads nothing from elsewhere. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.report.html;
