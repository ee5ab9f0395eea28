/**
 * The whole scheduler, its real writers included, on one thread against an embedded cluster, with faults drawn from a seed and
 * a clock of its own. The same seed gives the same run.
 */
package io.policyscheduler.tests.simulation;
