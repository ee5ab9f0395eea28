/** What commands are given to work on: how pods are decided (policies, profiles, configurations, plugins) and in which cluster (files, a live one). */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.sources;
