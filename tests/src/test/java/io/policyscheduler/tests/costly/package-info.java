/** What pods cost that say as much as an API server lets them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.costly;
