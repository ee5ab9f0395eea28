/** Reports in Markdown, to be pasted into a comment of a pull request. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.report.markdown;
