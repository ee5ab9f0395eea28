/** Releases of Kubernetes, and the fields, rules, and rejection reasons of each. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.release;
