/** What kube-controller-manager does, as far as a playground needs it: workloads, garbage, namespaces, budgets, nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller;
