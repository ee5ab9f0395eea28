/** The live page in a real browser; skipped where there is none. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.page;
