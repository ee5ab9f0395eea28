/** Tests of the shipped manifests with exactly the rights that they grant. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.deploy;
