/** Shows what comes of comparing ways of deciding. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.compare;
