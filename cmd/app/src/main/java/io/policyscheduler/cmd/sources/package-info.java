/** The schedulers (policies, profiles, configurations, plugins) and clusters (files, API servers) that options select. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.sources;
