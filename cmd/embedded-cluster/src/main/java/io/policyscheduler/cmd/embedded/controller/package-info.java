/** The controllers of kube-controller-manager that a test cluster needs: workloads, garbage, namespaces, budgets, nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller;
