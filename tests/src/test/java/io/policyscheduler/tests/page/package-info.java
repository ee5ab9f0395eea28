/** Tests of the web page in a real browser; skipped without one. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.page;
