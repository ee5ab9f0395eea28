/** The program behind a proxy with the faults of networks, load balancers, and overloaded servers. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.faults;
