/** The running scheduler against the embedded API server, over HTTP. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.e2e;
