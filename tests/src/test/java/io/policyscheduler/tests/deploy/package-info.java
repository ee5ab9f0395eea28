/** What is installed in clusters at work, with no more rights than it brings along. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.deploy;
