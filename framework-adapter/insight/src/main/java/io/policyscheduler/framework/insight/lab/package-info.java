/** The simulation laboratory: the production scheduler on a virtual clock, driven by a trace, and its metrics. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.lab;
