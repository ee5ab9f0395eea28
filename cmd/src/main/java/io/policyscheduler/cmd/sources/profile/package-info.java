/** Ways of deciding by plugins of current releases, set to work offline. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.sources.profile;
