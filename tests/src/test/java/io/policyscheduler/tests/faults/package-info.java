/** The program behind a proxy that does to its calls what networks, load balancers and servers in trouble do. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.faults;
