/** Controllers that keep a cluster in order: garbage, namespaces, budgets, nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller.upkeep;
