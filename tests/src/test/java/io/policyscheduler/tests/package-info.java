/** Tests that span modules. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests;
