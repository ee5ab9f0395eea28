/** Measures the cost of the largest and most expensive pods that an API server accepts. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.costly;
