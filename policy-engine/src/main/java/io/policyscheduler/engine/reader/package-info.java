/** Reads Kubernetes objects from JSON and YAML straight into the small cluster model. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.reader;
