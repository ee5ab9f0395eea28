/** The embedded cluster for tests with JUnit: an annotation, and the cluster that it starts. Stable; its types change by the rules of releases. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.embedded;
