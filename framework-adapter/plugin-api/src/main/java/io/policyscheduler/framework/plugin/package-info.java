/** Extension points of the scheduling framework, with the names of Kubernetes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.plugin;
