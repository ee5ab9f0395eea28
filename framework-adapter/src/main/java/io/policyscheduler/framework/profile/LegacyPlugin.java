package io.policyscheduler.framework.profile;

import io.policyscheduler.framework.plugin.Plugin;

/** A plugin made of an algorithm of 1.17; where it filters or scores, it must also be asked before. */
interface LegacyPlugin extends Plugin {}
