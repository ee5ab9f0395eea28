/**
 * Simulations of the whole scheduler, including its writers, on one thread against an embedded cluster, with a virtual clock and random faults. The
 * same seed gives the same run.
 */
package io.policyscheduler.tests.simulation;
