/** Releases of Kubernetes, and what pods may say and schedulers must heed in each of them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.release;
