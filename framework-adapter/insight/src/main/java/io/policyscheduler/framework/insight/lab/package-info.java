/** The simulation laboratory: the production scheduler on a virtual clock, driven by a trace, and what is measured of it. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.lab;
