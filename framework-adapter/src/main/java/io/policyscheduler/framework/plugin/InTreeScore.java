package io.policyscheduler.framework.plugin;

/**
 * A score plugin of this program. It knows of every odd object a cluster may hold, so that a score out of range counts as the end
 * of the range for that node, where one of any other plugin ends the attempt.
 */
public interface InTreeScore extends ScorePlugin {}
